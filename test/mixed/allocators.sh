#!/bin/sh
# Programs of two parts that make allocators by the names of their compilers' omp.h, whose numbers differ: gcc and LLVM
# up to 19 have one set, LLVM from 20 on another one. All pairs of gcc and of the versions of clang that are here with
# their omp.h, on both hosts.
#
# PARTS is a folder that already has such libraries, liballocators-NAME.so by other compilers: the pairs with them are
# run, too (tools/multi-clang.sh has that of clang 19).
#
# limit: 120
set -eu
compilers=gcc
# shellcheck source=test/mixed/common.sh
. "$(dirname "$0")/common.sh"
for version in 19 20 21 22 23 24; do
    ! echo '#include <omp.h>' | "clang-$version" -fopenmp -fsyntax-only -x c - 2>/dev/null ||
        compilers="$compilers clang-$version"
done
[ "$compilers" != gcc ] || [ -n "${PARTS:-}" ] || { echo "no clang with its omp.h here"; exit 77; }

for compiler in $compilers; do
    "$compiler" -O2 -g -fopenmp -fPIC -shared -DLIBRARY -o "$tmp/liballocators-$compiler.so" \
        test/mixed/allocators_library.c
    "$compiler" -O2 -g -fopenmp -c -o "$tmp/allocators-$compiler.o" test/mixed/allocators.c
done
[ -z "${PARTS:-}" ] || cp "$PARTS"/liballocators-*.so "$tmp"

for first in $compilers; do
    for library in "$tmp"/liballocators-*.so; do
        program=$tmp/program
        "$first" -fopenmp -o "$program" "$tmp/allocators-$first.o" "$library" -Wl,-rpath,"$tmp" \
            -Wl,--allow-shlib-undefined
        for host in $hosts; do
            printed=$(LD_LIBRARY_PATH="$dropin" GHCOMP_HOST=$host "$program") ||
                { echo "allocators.sh: $first with $(basename "$library") on $host failed" >&2; exit 1; }
            echo "$first with $(basename "$library"): $printed"
        done
    done
done
