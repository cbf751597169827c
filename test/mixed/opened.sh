#!/bin/sh
# Libraries by gcc and by clang that programs by gcc and by clang open and close while regions run (opened.c), on both
# hosts.
#
# limit: 240
set -eu
compilers='gcc clang-19'
# shellcheck source=test/mixed/common.sh
. "$(dirname "$0")/common.sh"
for compiler in $compilers; do
    $compiler -O2 -g -fopenmp -fPIC -shared -o "$tmp/lib$compiler.so" test/mixed/opened_library.c
    $compiler -O2 -g -fopenmp -pthread -o "$tmp/$compiler" test/mixed/opened.c -ldl
done
for program in $compilers; do
    for library in $compilers; do
        for host in $hosts; do
            LD_LIBRARY_PATH="$dropin" GHCOMP_HOST=$host "$tmp/$program" "$tmp/lib$library.so" ||
                { echo "opened.sh: $program opening $library's library on $host failed" >&2; exit 1; }
        done
    done
done
