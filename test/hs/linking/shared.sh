#!/bin/sh
# A Haskell shared library in a C program with OpenMP, and who then serves the program's own regions:
# docs/reference/haskell.md, "A Haskell shared library in a C program". The last line counts the cases.
#
# Called by test/hs/run.sh; by itself: test/hs/linking/shared.sh
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD
BUILD=${BUILD:-build}
work=$(realpath "$BUILD")/test/linking-shared
. test/hs/cases.sh
rm -rf "$work"
mkdir -p "$work"

version=$(ghc --numeric-version)
sh tools/cabal.sh build -v1 lib:ghc-openmp >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
package=$(find "$root/dist-newstyle/build" -name "libHSghc-openmp-*-ghc$version.so" -path "*/ghc-$version/*" |
    grep -v '/[tx]/' | head -n 1)
folder=$(dirname "$package")
name=$(basename "$package" .so)
# The RTS belongs to the library: a shared library has none unless it is named. Its file's name has changed.
rts=$(find "$(ghc --print-libdir)" "$(ghc --print-libdir)/.." -name "libHSrts*_thr-ghc$version.so" | head -n 1)
rts=$(basename "$rts" .so)

# library FOLDER OPTION...
library() {
    mkdir "$work/$1"
    cp test/hs/linking/shared/* "$work/$1"
    (
        cd "$work/$1"
        shift
        ghc -v0 -shared -dynamic -fPIC -threaded -package-env - \
            -package-db "$root/dist-newstyle/packagedb/ghc-$version" -package ghc-openmp Hsl.hs start.c \
            -o libhsl.so "-optl-l${rts#lib}" "$@" && gcc -O1 -fopenmp -c main.c
    )
}

# program CASE SERVES FOLDER OPTION...: built with the options after the library, it prints what it should
program() {
    case=$1 serves=$2 place=$work/$3
    shift 3
    : >"$work/out"
    if ! gcc main.o -o main -L. -lhsl "-Wl,-rpath,$place:$folder" "$@" >"$work/err" 2>&1; then
        fail "$case: it does not link" "$work/err"
    elif ! timeout 60 ./main >"$work/out" 2>"$work/err"; then
        fail "$case: it fails" "$work/out" "$work/err"
    elif [ "$(cat "$work/out")" != "C 4950, Haskell 4950, serves $serves" ]; then
        fail "$case: serves should be $serves" "$work/out" "$work/err"
    elif [ "$serves" -eq 1 ] && [ -s "$work/err" ]; then
        fail "$case: it says something" "$work/err"
    else
        pass "$case"
    fi
}

if ! library filter "-optl-Wl,--auxiliary=$name.so" >"$work/log" 2>&1 || ! library plain >"$work/log" 2>&1; then
    cat "$work/log"
    echo 'the library does not build'
    exit 1
fi
cd "$work/filter"
program 'a library that names the package as auxiliary, gcc -fopenmp' 1 filter -fopenmp
program 'the same, libgomp named too' 1 filter -lgomp
cd "$work/plain"
program 'the program names the package, gcc -fopenmp' 1 plain -fopenmp "-L$folder" "-l${name#lib}"
program 'the program names the package, gcc without -fopenmp' 1 plain "-L$folder" "-l${name#lib}"
program 'nobody names it: libgomp serves, and a line says so' 0 plain -fopenmp
if grep -q '^ghc-openmp: warning: OpenMP code of this program runs on .*libgomp' "$work/err"; then
    pass 'the line'
else
    fail 'the line' "$work/err"
fi

counts
[ "$failed" -eq 0 ]
