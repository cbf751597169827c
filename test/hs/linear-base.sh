#!/bin/sh
# The package ghc-openmp-linear-base, with modules that stand for linear-base's: Debian has no package of it. The last
# line counts the checks. Called by test/hs/run.sh; by itself: test/hs/linear-base.sh
set -eu
cd "$(dirname "$0")/../.."
. test/hs/cases.sh
work=$(realpath "${BUILD:-build}")/test/linear-base
rm -rf "$work"
mkdir -p "$work"

# As run.sh builds the library for its suites.
sh tools/cabal.sh build -v0 --enable-tests lib:ghc-openmp
packages=dist-newstyle/packagedb/ghc-$(ghc --numeric-version)
# A unit, since a name may stand for a library inside a package, too: vector 0.13 has one.
vector=$(ghc-pkg field vector id --simple-output)
compile() {
    ghc -v0 -O1 -threaded -Wall -package-db "$packages" -package ghc-openmp -package-id "$vector" \
        -itest/hs/linear-base/stand-in -ighc-openmp-linear-base/src -outputdir "$work" "$@"
}

if compile -Werror test/hs/linear-base/Main.hs -o "$work/main" >"$work/log" 2>&1; then
    pass 'it compiles without warnings'
else
    fail 'it compiles without warnings' "$work/log"
fi
if "$work/main" +RTS -N2 >"$work/log" 2>&1; then
    pass 'conversions and instances'
else
    fail 'conversions and instances' "$work/log"
fi
if compile -fno-code test/hs/linear-base/View.hs >"$work/log" 2>&1; then
    echo 'It compiles.' >>"$work/log"
fi
if grep -q "can't leave the borrow" "$work/log"; then
    pass 'a view does not leave its borrow in the other Ur'
else
    fail 'a view does not leave its borrow in the other Ur' "$work/log"
fi

# What the module is built with above is what its package says that it needs.
needs=$(sed -n 's/^    , \([a-z-]*\) .*/\1/p' ghc-openmp-linear-base/ghc-openmp-linear-base.cabal | tr '\n' ' ')
if [ "$needs" = 'base ghc-openmp linear-base ' ]; then
    pass 'the package needs nothing else'
else
    echo "$needs" >"$work/log"
    fail 'the package needs nothing else' "$work/log"
fi
counts
