#!/bin/sh
# Haskell programs with OpenMP code by clang: their own C, compiled by clang, and a shared library by clang, which needs
# libomp.so.5; static and -dynamic. The program is test/hs/consumer, which fails when a region in C makes no thread of
# the runtime's. docs/reference/haskell.md, "The matrix". The last line counts the cases.
#
# Called by test/hs/run.sh; by itself: test/hs/linking/clang.sh
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD
work=$(realpath "${BUILD:-build}")/test/linking-clang
. test/hs/cases.sh
rm -rf "$work"
mkdir -p "$work/lib"
if ! command -v clang-19 >/dev/null || [ ! -e /usr/lib/llvm-19/lib/libomp.so.5 ]; then
    echo 'SKIP linking, clang: clang-19 or libomp is not installed'
    skipped=$((skipped + 1))
    counts
    exit 0
fi

# package NAME DYNAMIC EDIT...: a copy of the consumer, its description edited by sed
package() {
    name=$1 dynamic=$2
    shift 2
    cp -r test/hs/consumer "$work/$name"
    sed "s/^name:.*/name: $name/; s/^executable .*/executable $name/" test/hs/consumer/consumer.cabal |
        sed "$@" >"$work/$name/$name.cabal"
    rm "$work/$name/consumer.cabal"
    echo 'int ghcomp_workers_created(void), made(void); int made(void) { return ghcomp_workers_created(); }' \
        >"$work/$name/made.c"
    printf 'package %s\n  extra-lib-dirs: %s/lib\n  executable-dynamic: %s\n' "$name" "$work" "$dynamic" \
        >>"$work/cabal.project"
}

cat >"$work/cabal.project" <<END
packages: $root */*.cabal
active-repositories: :none
END
clang-19 -O2 -fopenmp -fPIC -shared -Dmade=made_in_library -Icbits/include -L/usr/lib/llvm-19/lib \
    -o "$work/lib/libclanged.so" test/hs/consumer/dot.c
for way in static dynamic; do
    dynamic=False
    [ $way = static ] || dynamic=True
    # GHC asks its own C compiler alone whether the linker must be told of position-independent programs.
    package "own-$way" $dynamic -e 's/^  ghc-options: */&-pgmc clang-19 -pgma clang-19 -optl-no-pie /'
    package "library-$way" $dynamic -e 's/^  c-sources:.*/  c-sources: made.c\n  extra-libraries: clanged/' \
        -e '/^  cc-options:/d'
done

programs='own-static own-dynamic library-static library-dynamic'
if ! sh tools/cabal.sh build -v1 lib:ghc-openmp >"$work/log" 2>&1; then
    cat "$work/log"
    exit 1
fi
cd "$work"
GHCOMP_CABAL_PROJECT=$work
export GHCOMP_CABAL_PROJECT
cabal_here() { # cabal_here COMMAND ARG...: cabal in the project of the copies
    command=$1
    shift
    sh "$root/tools/cabal.sh" "$command" --builddir="$root/dist-newstyle" "$@"
}
for program in $programs; do
    if ! cabal_here build -v1 "$program" >log 2>&1; then
        fail "$program: it is built" log
        continue
    fi
    file=$(cabal_here list-bin "$program" 2>/dev/null | tail -n 1)
    status=0
    LD_LIBRARY_PATH=$work/lib:/usr/lib/llvm-19/lib timeout 60 "$file" >out 2>err || status=$?
    if [ $status = 0 ] && [ "$(cat out)" = 'consumer: C and Haskell on one team' ] && [ ! -s err ]; then
        pass "$program: the runtime serves clang's code, and nothing is said"
    else
        fail "$program: exit status $status" out err
    fi
    code=lib/libclanged.so
    [ "${program#own}" = "$program" ] || code=$file
    if readelf -p .comment "$code" | grep -q 'clang version'; then
        pass "$program: the code is clang's"
    else
        fail "$program: $code has no code by clang"
    fi
done
counts
[ "$failed" -eq 0 ]
