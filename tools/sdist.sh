#!/bin/sh
# The Cabal package as its users get it: `cabal check`, `cabal sdist`, then everything built from the unpacked
# archive, which has only the files that the .cabal file names; its documentation, and the library's tests run there.
# Last a package elsewhere that depends on it, test/hs/consumer, is built, static and -dynamic, and run.
#
#   tools/sdist.sh [FOLDER]      FOLDER, by default build/sdist, is emptied first
#
# Called by tools/multi-ghc.sh.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$root/build/sdist}
rm -rf "$work"
mkdir -p "$work/out"
work=$(cd "$work" && pwd)

echo "sdist: cabal check"
CABAL_DIR=$work/state
export CABAL_DIR
mkdir -p "$CABAL_DIR"
echo 'active-repositories: :none' >"$CABAL_DIR/config"
# Every remark is a failure but one: a test-suite is compiled by -O0. Later versions of Cabal exit 1 for theirs.
(cd "$root" && cabal check) >"$work/check" 2>&1 || true
if grep -E '^(Warning|Error): ' "$work/check" | grep -v '^Warning: These warnings may cause' |
    grep -qv -e "'ghc-options: -O0' is not needed"; then
    cat "$work/check" >&2
    exit 1
fi

echo "sdist: cabal sdist"
(cd "$root" && cabal sdist -v1 --output-directory="$work/out" .)
mkdir "$work/tree"
tar -xzf "$work"/out/ghc-openmp-*.tar.gz -C "$work/tree" --strip-components=1
cd "$work/tree"
printf 'packages: .\nactive-repositories: :none\n' >cabal.project

echo "sdist: building everything in it"
cabal build -v1 --offline --enable-tests all

echo "sdist: the library's tests, and the launcher"
for suite in runtime library; do
    "$(cabal list-bin --offline --enable-tests "test:$suite")" --color never -j1
done
"$(cabal list-bin --offline --enable-tests exe:ghcomp)" --version

echo "sdist: the documentation"
cabal haddock -v1 --offline lib:ghc-openmp >"$work/haddock" 2>&1 || { cat "$work/haddock" >&2; exit 1; }
# Not looked at: links into packages whose documentation is not installed. Every export of a public module has a text.
grep '^ *[0-9]*% (' "$work/haddock"
if grep '^ *[0-9]*% (' "$work/haddock" | grep -v "^ *100%" | grep -vq '\.Internal'; then
    echo 'sdist: some exports of a public module have no documentation' >&2
    exit 1
fi

# The build folder is the archive's, so that the library is not compiled a second time.
echo "sdist: a package that depends on it"
cp -r "$root/test/hs/consumer" "$work/consumer"
cd "$work/consumer"
for dynamic in False True; do
    printf 'packages: . ../tree\nactive-repositories: :none\npackage consumer\n  executable-dynamic: %s\n' $dynamic \
        >cabal.project
    cabal build -v1 --offline --builddir=../tree/dist-newstyle exe:consumer
    "$(cabal list-bin --offline --builddir=../tree/dist-newstyle exe:consumer)"
done
