#!/bin/sh
# Programs with profiling: test/hs/consumer and the suite `runtime`, built by cabal with --enable-profiling, library and
# programs; they do what they do without, and the consumer's profile names its cost centres. The last line counts.
#
# Needs Debian's libraries for profiling (`sh tools/deps.sh profiling`); called by test/hs/run.sh.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
BUILD=$(realpath "${BUILD:-build}")
work=$BUILD/test/profiling
unset GHCRTS GHCOMP_HOST OMP_NUM_THREADS OMP_DYNAMIC LD_PRELOAD LD_LIBRARY_PATH
passed=0 failed=0
fail() { # fail CASE FILE: with what the file has
    echo "  FAIL  $1"
    sed 's/^/        /' "$2"
    failed=$((failed + 1))
}
pass() { echo "  ok    $1"; passed=$((passed + 1)); }
finish() { echo "$passed passed, $failed failed, ${1:-0} skipped"; [ "$failed" -eq 0 ]; exit; }

mkdir -p "$BUILD/test"
cat >"$BUILD/test/Profiled.hs" <<'END'
module Main (main) where
import Data.Vector.Unboxed ()
import Test.Tasty.HUnit ()
main :: IO ()
main = pure ()
END
if ! ghc -v0 -prof -outputdir "$BUILD/test/profiled" "$BUILD/test/Profiled.hs" -o "$BUILD/test/profiled.exe" \
    >"$BUILD/test/profiled.log" 2>&1; then
    echo 'SKIP profiling: the Haskell libraries for profiling are not installed (sh tools/deps.sh profiling)'
    finish 1
fi

# The library is compiled for profiling alone.
rm -rf "$work"
mkdir -p "$work"
cp -r test/hs/consumer "$work/consumer"
cat >"$work/cabal.project" <<END
packages: $root consumer
active-repositories: :none
profiling: True
shared: False
library-vanilla: False
package ghc-openmp
  tests: True
END
cabal_here() {
    (cd "$work" && command=$1 && shift &&
        CABAL_DIR=$BUILD/cabal-state cabal "$command" --offline --builddir="$BUILD/cabal-profiling" "$@")
}
mkdir -p "$BUILD/cabal-state"
echo 'active-repositories: :none' >"$BUILD/cabal-state/config"
if ! cabal_here build -v1 exe:consumer ghc-openmp:test:runtime >"$work/log" 2>&1; then
    fail 'programs with profiling do not build' "$work/log"
    finish
fi

consumer=$(cabal_here list-bin exe:consumer)
runtime=$(cabal_here list-bin ghc-openmp:test:runtime)
cd "$work"
if timeout 120 "$consumer" +RTS -p >log 2>&1 && grep -q '^main *Main ' consumer.prof; then
    pass 'a program and its profile'
else
    fail 'a program and its profile' log
fi
if timeout 600 "$runtime" --color never -j1 >log 2>&1; then
    pass 'the suite runtime'
else
    fail 'the suite runtime' log
fi
finish
