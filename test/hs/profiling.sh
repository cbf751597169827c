#!/bin/sh
# A program with profiling (cabal's --enable-profiling, GHC's -prof -fprof-auto): it does what it does without, and its
# profile has the bodies that the library ran, on whichever thread, with the number of their calls. The last line counts
# the cases.
#
# With one Capability the numbers are exact. With two, GHC's profiler counts without atomic operations, so calls at the
# same time may be counted once. Called by test/hs/run.sh; by itself: test/hs/profiling.sh
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
BUILD=$(realpath "${BUILD:-build}")
work=$BUILD/test/profiling
folder=$BUILD/cabal-profiling
log=$work/log
. test/hs/cases.sh
rm -rf "$work"
mkdir -p "$work"

# What the program prints, and how often each function of it is called.
cat >"$work/wanted" <<'END'
a loop: 499500
a reduction: 499500
a region: 46
tasks: 144
callbacks by an object: 499500.0
callbacks by a pointer: 4950.0
a linear array: 500500
lazy values: 338350
interrupted: [Nothing,Nothing]
failed: Left 13
divided: Left divide by zero
END
calls='loopBody 1000 reduceBody 1000 memberBody 2 taskBody 465 objectBody 1000 pointerBody 100 partBody 10 lazyBody 100'

# --- the program

# Only what this program needs is built, and the library without optimisation, which is sooner done. With
# GHCOMP_DEEP=1 it is as its users have it.
optimized=False noopt=/noopt
[ "${GHCOMP_DEEP:-0}" = 0 ] || optimized=True noopt=
cat >"$work/cabal.project" <<END
packages: $root $root/test/hs/profiling
active-repositories: :none
profiling: True
library-vanilla: False
shared: False
executable-dynamic: False
package profiling
  profiling-detail: all-functions
package ghc-openmp
  optimization: $optimized
END

# Cabal sees no changed header, and makes nothing anew for C alone (tools/cabal.sh).
sources="$optimized $(find cbits cmm src test/hs/profiling ghc-openmp.cabal -type f | sort | xargs cat | cksum)"
if [ "$(cat "$folder/ghcomp-sources" 2>/dev/null)" != "$sources" ]; then rm -rf "$folder"; fi

# objects: C that has nothing to do with GHC's headers is the same in a profiled program, and takes most of the time, so
# the objects of the library without profiling are taken. Cabal compiles what is missing.
objects() {
    sh tools/cabal.sh build -v1 lib:ghc-openmp || return 1
    from=$(find dist-newstyle/build -path "*/ghc-$(ghc --numeric-version)/*" -path '*/build/cbits/abi/anchor.o')
    from=${from%/cbits/abi/anchor.o}
    [ -n "$from" ] || return 0
    find cbits -name '*.c' -exec grep -LE 'Rts|HsFFI' {} + | while read -r file; do
        object=$from/${file%.c}.o
        [ -e "$object" ] || continue
        copy=$folder/${from#dist-newstyle/}
        copy=${copy%/build}$noopt/build/${file%.c}.o
        mkdir -p "${copy%/*}"
        cp -p "$object" "$copy"
        cp -p "$object" "${copy%.o}.p_o"
    done
}
if ! objects >"$log" 2>&1 || ! (cd "$work" && CABAL_DIR=$root/build/cabal cabal build -v1 --offline \
    --builddir="$folder" exe:profiling) >>"$log" 2>&1; then
    fail 'the program builds' "$log"
    counts
    exit 1
fi
echo "$sources" >"$folder/ghcomp-sources"
program=$(cd "$work" && CABAL_DIR=$root/build/cabal cabal list-bin --offline --builddir="$folder" exe:profiling)

# --- its runs

# run NAME OPTION...: the program with these options of the RTS, in a folder of its own, where its files are
run() {
    name=$1
    shift
    mkdir "$work/$name"
    status=0
    (cd "$work/$name" && timeout 120 "$program" +RTS "$@" -RTS >out 2>err </dev/null) || status=$?
    if [ "$status" -eq 0 ] && cmp -s "$work/$name/out" "$work/wanted" && [ ! -s "$work/$name/err" ]; then
        pass "$name: the results"
    else
        fail "$name: the results, exit status $status" "$work/$name/out" "$work/$name/err"
    fi
}

# counted NAME FUNCTION: the calls of the function in the profile, over all stacks that lead to it
counted() {
    awk -v name="$2" '$1 == name && $2 == "Main" && NF == 9 { calls += $5 } END { print calls + 0 }' \
        "$work/$1/profiling.prof"
}

run one -N1 -p
# shellcheck disable=SC2086  # a list of names and numbers
set -- $calls
while [ $# -gt 0 ]; do
    found=$(counted one "$1")
    if [ "$found" -eq "$2" ]; then
        pass "one: $1"
    else
        fail "one: $1 has $found calls, not $2" "$work/one/profiling.prof"
    fi
    shift 2
done

# A sample of the heap at each collection.
run two -N2 -p -hc -i0
# shellcheck disable=SC2086
set -- $calls
while [ $# -gt 0 ]; do
    if [ "$(counted two "$1")" -gt 0 ]; then
        pass "two: $1"
    else
        fail "two: $1 has no calls" "$work/two/profiling.prof"
    fi
    shift 2
done
# GHC writes marks without a line between them, too.
if awk '/^BEGIN_SAMPLE/ { inside = 1 } /^END_SAMPLE/ { inside = 0 }
        inside && /\t[1-9][0-9]*$/ { found = 1 } END { exit !found }' "$work/two/profiling.hp"; then
    pass 'two: the heap'
else
    fail 'two: the heap has no sample' "$work/two/profiling.hp"
fi

counts
[ "$failed" -eq 0 ]
