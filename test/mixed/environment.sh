#!/bin/sh
# A program and its library, by gcc and by clang: the code that makes the process's first call decides whether a
# variable counts that main() has set, and all get the same answers from then on.
#
# limit: 120
set -eu
compilers='gcc clang-19'
# shellcheck source=test/mixed/common.sh
. "$(dirname "$0")/common.sh"
for compiler in $compilers; do
    $compiler -O2 -g -fopenmp -fPIC -shared -o "$tmp/lib$compiler.so" test/mixed/environment_library.c
done
wanted() { case $1 in gcc) echo 2 ;; *) echo 5 ;; esac; }
for program in $compilers; do
    for library in $compilers; do
        $program -O2 -g -fopenmp -o "$tmp/program" test/mixed/environment.c "$tmp/lib$library.so" -Wl,-rpath,"$tmp"
        for host in $hosts; do
            for order in lmLM LlmM flmLM mlML MLml; do
                case $order in [lLf]*) first=$library ;; *) first=$program ;; esac
                OMP_NUM_THREADS=2 LD_LIBRARY_PATH="$dropin" GHCOMP_HOST=$host \
                    "$tmp/program" $order "$(wanted "$first")" ||
                    { echo "environment.sh: $program's program, $library's library, $host: wrong" >&2; exit 1; }
            done
        done
    done
done
