#!/bin/sh
# Libraries by gcc and by clang that programs by gcc and by clang open and close while regions run (opened.c), on both
# hosts.
#
# limit: 240
set -eu
cd "$(dirname "$0")/../.."
dropin=${BUILD:-build}/dropin
[ -e "$dropin/libomp.so.5" ] || { echo "opened.sh: $dropin/libomp.so.5 is not there: run make" >&2; exit 1; }
compilers='gcc clang-19'
for compiler in $compilers; do
    command -v $compiler >/dev/null || { echo "no $compiler here"; exit 77; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for compiler in $compilers; do
    $compiler -O2 -g -fopenmp -fPIC -shared -o "$tmp/lib$compiler.so" test/mixed/opened_library.c
    $compiler -O2 -g -fopenmp -pthread -o "$tmp/$compiler" test/mixed/opened.c -ldl
done
for program in $compilers; do
    for library in $compilers; do
        for host in posix ghc; do
            [ "$host" = posix ] || [ -e "$dropin/libghcomp_rts.so" ] || continue
            LD_LIBRARY_PATH="$dropin" GHCOMP_HOST=$host "$tmp/$program" "$tmp/lib$library.so" ||
                { echo "opened.sh: $program opening $library's library on $host failed" >&2; exit 1; }
        done
    done
done
