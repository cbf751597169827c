#!/bin/sh
# Programs of code by two compilers: the program by one and its library by the other, in all sixteen pairs of gcc,
# gfortran, clang and flang, on both hosts.
#
#   main.c, main.f90              regions, loops, locks, threadprivate variables; the process loads one runtime, under
#   library.c, library.f90        the names that both parts ask for, and has one pool
#   constructs{,_library}.c, .f90 constructs that begin in one part and go on in the other
#   further{,_library}.c          the same for what flang 19 lacks, in the pairs of gcc and clang
#
# limit: 300
set -eu
compilers='gcc gfortran clang-19 flang-new-19'
# shellcheck source=test/mixed/common.sh
. "$(dirname "$0")/common.sh"
. test/sample.sh

gcc -O2 -g -c -o "$tmp/threads.o" test/mixed/threads.c

# compile COMPILER PROGRAM LIBRARY LANGUAGE: the parts, as PROGRAM-COMPILER.o and libPROGRAM-COMPILER.so.
compile()
(
    # A Fortran compiler writes the modules of what it compiles where it runs.
    source=$PWD/test/mixed
    mkdir -p "$tmp/modules-$1"
    cd "$tmp/modules-$1"
    "$1" -O2 -g -fopenmp -fPIC -shared -o "$tmp/lib$2-$1.so" "$source/$3.$4"
    "$1" -O2 -g -fopenmp -c -o "$tmp/$2-$1.o" "$source/$2.$4"
)

# pair PROGRAM COMPILER OTHER: the program by the one with the library by the other.
pair()
{
    sampled || return 0
    program=$tmp/$1-$2-with-$3
    # The linker reads the library's needs, too, from where it was linked.
    "$2" -fopenmp -Wl,-rpath-link,/usr/lib/llvm-19/lib -o "$program" "$tmp/$1-$2.o" "$tmp/threads.o" \
        "$tmp/lib$1-$3.so" -Wl,-rpath,"$tmp"
    loaded=$(LD_LIBRARY_PATH="$dropin" ldd "$program" |
        sed -n 's/.*lib\(gomp\|omp\|iomp5\)\.so[.0-9]* => \([^ ]*\).*/\2/p' |
        xargs -n 1 realpath | sort -u)
    [ "$loaded" = "$(realpath "$dropin/libgomp.so.1")" ] ||
        { echo "mixed.sh: $1 by $2 with $3 loads $loaded" >&2; exit 1; }
    for host in $hosts; do
        LD_LIBRARY_PATH="$dropin" GHCOMP_HOST=$host OMP_CANCELLATION=true "$program" ||
            { echo "mixed.sh: $1 by $2 with $3 on $host failed" >&2; exit 1; }
    done
}

for compiler in $compilers; do
    case $compiler in
    *fortran | flang*) language=f90 ;;
    *)
        language=c
        compile $compiler further further_library c
        ;;
    esac
    compile $compiler main library $language
    compile $compiler constructs constructs_library $language
done
sample_group 36
for first in $compilers; do
    for second in $compilers; do
        pair main $first $second
        pair constructs $first $second
    done
done
for first in gcc clang-19; do
    for second in gcc clang-19; do
        pair further $first $second
    done
done
