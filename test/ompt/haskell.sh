#!/bin/sh
# limit: 900
# Regions and tasks with Haskell bodies under a tool: the examples `tasks` and `barrier` print what they print without
# one, and the tool, which checks all its events, has seen regions and tasks with their frames, and all dependences.
. "$(dirname "$0")/../examples/common.sh"

tool=$PWD/$build/tool.so
mkdir -p "$build/tool"
ln -sf "$PWD/cbits/include/omp-tools.h" "$build/tool/omp-tools.h"
gcc -std=gnu11 -O1 -g -shared -fPIC -I "$build/tool" -o "$tool" test/ompt/tool/haskell.c -pthread

# watched NAME TOLD: what the tool says of the example's run.
watched() {
    build "$1"
    for threads in 1 2 3; do
        for capabilities in 1 2 4; do
            same "$1" env OMP_NUM_THREADS=$threads OMP_TOOL_LIBRARIES="$tool" "$program" +RTS -N$capabilities
            [ "$(cat "$build/$1.err")" = "$2" ] || {
                echo "$1 with $threads threads, -N$capabilities: the tool said"
                cat "$build/$1.err"
                exit 1
            }
        done
    done
}

# A team of one could run its tasks without their dependences, but the tool is told all of them.
watched tasks 'some regions, some tasks, 156 with dependences'
watched barrier 'some regions, no tasks, 0 with dependences'
