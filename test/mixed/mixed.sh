#!/bin/sh
# Programs of code by two compilers: main.c by one, library.c by the other, in all four pairs, on both hosts. The
# process loads one runtime, under the names that both parts ask for, and has one pool (main.c).
#
# limit: 120
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
dropin=$build/dropin
clang=clang-19
[ -e "$dropin/libomp.so.5" ] || { echo "mixed.sh: $dropin/libomp.so.5 is not there: run make" >&2; exit 1; }
command -v "$clang" > /dev/null || { echo "no $clang here"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for compiler in gcc "$clang"; do
    "$compiler" -O2 -g -fopenmp -fPIC -shared -o "$tmp/lib$compiler.so" test/mixed/library.c
    "$compiler" -O2 -g -fopenmp -c -o "$tmp/$compiler.o" test/mixed/main.c
done
for main in gcc "$clang"; do
    for library in gcc "$clang"; do
        program=$tmp/$main-with-$library
        # The linker reads the library's needs, too, from where it was linked.
        "$main" -fopenmp -Wl,-rpath-link,/usr/lib/llvm-19/lib -o "$program" "$tmp/$main.o" "$tmp/lib$library.so" \
            -Wl,-rpath,"$tmp"
        loaded=$(LD_LIBRARY_PATH="$dropin" ldd "$program" |
            sed -n 's/.*lib\(gomp\|omp\|iomp5\)\.so[.0-9]* => \([^ ]*\).*/\2/p' |
            xargs -n 1 realpath | sort -u)
        [ "$loaded" = "$(realpath "$dropin/libgomp.so.1")" ] ||
            { echo "mixed.sh: $main with $library loads $loaded" >&2; exit 1; }
        for host in posix ghc; do
            [ "$host" = posix ] || [ -e "$dropin/libghcomp_rts.so" ] || continue
            LD_LIBRARY_PATH="$dropin" GHCOMP_HOST=$host "$program" ||
                { echo "mixed.sh: $main with $library on $host failed" >&2; exit 1; }
        done
    done
done
