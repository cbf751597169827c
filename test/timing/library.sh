#!/bin/sh
# The tests of the Haskell library that judge by time, by a rate, or by the number of OS threads
# (test/hs/library/Timing.hs), and those that have such parts.
# limit: 1800
set -eu
cd "$(dirname "$0")/../.."
for tool in ghc cabal; do
    command -v "$tool" >/dev/null || { echo "$tool is not installed"; exit 77; }
done
for package in primitive vector QuickCheck tasty tasty-hunit tasty-quickcheck; do
    [ -n "$(ghc-pkg list --simple-output "$package" 2>/dev/null)" ] ||
        { echo "the Haskell package $package is not installed"; exit 77; }
done
sh tools/cabal.sh build -v0 --enable-tests test:library
program=$(sh tools/cabal.sh list-bin --enable-tests test:library)
# endsEarly (Generators.hs) is in the tests whose names say timeout or interrupt.
TEST_TIMING=1 exec "$program" --color never -j1 \
    -p '/timing/ || /storm/ || /stress/ || /timeout/ || /nterrupt/ || /the system makes no more/'
