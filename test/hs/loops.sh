#!/bin/sh
# The loops that GHC's native code generator makes of the library's are those that a programmer writes (loops.py). The
# last line counts the loops. Called by test/hs/run.sh; by itself: test/hs/loops.sh
set -eu
cd "$(dirname "$0")/../.."
work=$(realpath "${BUILD:-build}")/test/loops
rm -rf "$work"
mkdir -p "$work"

if [ "$(uname -m)" != x86_64 ] || ! command -v python3 >/dev/null; then
    echo 'SKIP loops: needs python3 and reads the assembly of x86-64'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi

# As run.sh builds the library for its suites.
sh tools/cabal.sh build -v0 --enable-tests lib:ghc-openmp
packages=dist-newstyle/packagedb/ghc-$(ghc --numeric-version)
# A unit, since a name may stand for a library inside a package, too: vector 0.13 has one.
vector=$(ghc-pkg field vector id --simple-output)
for module in Alone Team; do
    ghc -v0 -O1 -fasm -S -package-db "$packages" -package ghc-openmp -package-id "$vector" -hidir "$work" \
        "test/hs/loops/$module.hs" -o "$work/$module.s"
done
python3 test/hs/loops/loops.py "$work/Alone.s" "$work/Team.s"
