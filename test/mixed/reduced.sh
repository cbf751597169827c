#!/bin/sh
# Task reductions in a program and its library (reduced.cc) by g++ and clang++, on both hosts. Where one compiler made
# both, the sum is right. Only gcc's code knows how its copies are initialized, and clang's leaves that to the runtime:
# so a task in one compiler's code cannot take part in a reduction in the other's, and the program ends with one line
# that says so.
#
# limit: 60
set -eu
compilers='g++ clang++-19'
# shellcheck source=test/mixed/common.sh
. "$(dirname "$0")/common.sh"
fail() { echo "reduced.sh: $1" >&2; cat "$tmp/out" "$tmp/err" >&2; exit 1; }

for compiler in $compilers; do
    $compiler -O2 -g -fopenmp -fPIC -shared -DLIBRARY -o "$tmp/lib$compiler.so" test/mixed/reduced.cc
    $compiler -O2 -g -fopenmp -c -o "$tmp/$compiler.o" test/mixed/reduced.cc
done
for first in $compilers; do
    for second in $compilers; do
        program=$tmp/$first-with-$second
        $first -fopenmp -Wl,-rpath-link,/usr/lib/llvm-19/lib -o "$program" "$tmp/$first.o" "$tmp/lib$second.so" \
            -Wl,-rpath,"$tmp"
        for host in $hosts; do
            status=0
            LD_LIBRARY_PATH="$dropin" GHCOMP_HOST=$host "$program" >"$tmp/out" 2>"$tmp/err" || status=$?
            what="$first with $second on $host"
            if [ "$first" = "$second" ]; then
                [ $status = 0 ] && [ "$(cat "$tmp/out")" = 4955 ] || fail "$what has status $status and another sum"
            else
                case $first in g++) made=gcc ;; *) made=clang ;; esac
                [ $status = 1 ] || fail "$what has status $status"
                [ "$(grep -c '' "$tmp/err")" = 1 ] || fail "$what says more or less than a line"
                grep -q "task reduction: the variable at 0x[0-9a-f]* is reduced by $made's code" "$tmp/err" ||
                    fail "$what does not say whose reduction it is"
            fi
        done
    done
done
