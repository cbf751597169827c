#!/bin/sh
# The version has one source, ghc-openmp.cabal; the header's macro is its first three numbers.
set -eu
cd "$(dirname "$0")/../.."
header=$(sed -n 's/^#define GHCOMP_VERSION "\([0-9.]*\)"$/\1/p' cbits/include/ghcomp.h)
package=$(sed -n 's/^version: *\([0-9.]*\)$/\1/p' ghc-openmp.cabal)
if [ -z "$header" ] || [ -z "$package" ]; then
    echo "no version in the header ($header) or the package ($package)"
    exit 1
fi
[ "$header" = "$(echo "$package" | cut -d. -f1-3)" ] || {
    echo "cbits/include/ghcomp.h says $header, ghc-openmp.cabal says $package"
    exit 1
}
