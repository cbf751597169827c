#!/bin/sh
# Programs of code by two compilers: main.c or main.f90 by one, library.c or library.f90 by the other, in all sixteen
# pairs of gcc, gfortran, clang and flang, on both hosts. The process loads one runtime, under the names that both parts
# ask for, and has one pool (main.c).
#
# limit: 300
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
dropin=$build/dropin
compilers='gcc gfortran clang-19 flang-new-19'
[ -e "$dropin/libomp.so.5" ] || { echo "mixed.sh: $dropin/libomp.so.5 is not there: run make" >&2; exit 1; }
for compiler in $compilers; do
    command -v $compiler >/dev/null || { echo "no $compiler here"; exit 77; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

gcc -O2 -g -c -o "$tmp/threads.o" test/mixed/threads.c
for compiler in $compilers; do
    case $compiler in
    *fortran | flang*) language=f90 ;;
    *) language=c ;;
    esac
    mkdir "$tmp/modules-$compiler"
    (
        # A Fortran compiler writes the modules of what it compiles where it runs.
        source=$PWD/test/mixed
        cd "$tmp/modules-$compiler"
        "$compiler" -O2 -g -fopenmp -fPIC -shared -o "$tmp/lib$compiler.so" "$source/library.$language"
        "$compiler" -O2 -g -fopenmp -c -o "$tmp/$compiler.o" "$source/main.$language"
    )
done
for main in $compilers; do
    for library in $compilers; do
        program=$tmp/$main-with-$library
        # The linker reads the library's needs, too, from where it was linked.
        "$main" -fopenmp -Wl,-rpath-link,/usr/lib/llvm-19/lib -o "$program" "$tmp/$main.o" "$tmp/threads.o" \
            "$tmp/lib$library.so" -Wl,-rpath,"$tmp"
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
