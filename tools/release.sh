#!/bin/sh
# A release: from a clean tree whose version, changelog and tag agree, the archives that people get, with checksums.
#
#   tools/release.sh VERSION [FOLDER]     FOLDER, build/release by default, must not exist
#
# VERSION is that of ghc-openmp.cabal. The tree must have no change that is not committed, CHANGELOG.md a section
# `## VERSION` with a date, what `make gen` writes must be current, and the tag vVERSION must not exist. FOLDER gets the
# source archive, the Cabal sdist, the Debian source package's files and SHA256SUMS; then the tag is made. Nothing is
# uploaded. With --dry-run in front nothing is tagged and `## Unreleased` will do. Needs git, cabal and dpkg-dev. Tested
# by test/scripts/release_test.sh.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
die() { printf 'ghc-openmp: tools/release.sh: %s\n' "$*" >&2; exit 1; }
dry=no
if [ "${1:-}" = --dry-run ]; then dry=yes; shift; fi
[ $# -ge 1 ] || die 'usage: tools/release.sh [--dry-run] VERSION [FOLDER]'
version=$1 folder=${2:-$root/build/release}
cd "$root"

have=$(sed -n 's/^version: *//p' ghc-openmp.cabal)
[ "$have" = "$version" ] || die "ghc-openmp.cabal has version $have: change it, or name that version"
[ -z "$(git status --porcelain)" ] || die 'the tree has changes that are not committed: commit them, or put them away'
if git rev-parse -q --verify "refs/tags/v$version" >/dev/null; then
    die "the tag v$version exists: raise the version"
fi
heading="## $version - [0-9]{4}-[0-9]{2}-[0-9]{2}"
[ $dry = no ] || heading="($heading|## Unreleased)"
grep -qE "^$heading\$" CHANGELOG.md ||
    die "CHANGELOG.md has no line '## $version - YYYY-MM-DD': give the section of this release its name and date"
[ ! -e "$folder" ] || die "$folder is there: remove it, or name another folder"
for command in git cabal dpkg-source gzip sha256sum; do
    command -v $command >/dev/null || die "$command is missing"
done
sh test/scripts/version.sh >/dev/null || die 'the version differs between the package and the header'
if [ $dry = no ]; then
    echo 'release: make gen'
    make gen >/dev/null
    [ -z "$(git status --porcelain)" ] || die 'make gen changes committed files: commit what it writes'
fi

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'release: source archive'
git archive --prefix="ghc-openmp-$version/" HEAD | gzip -9n >"$folder/ghc-openmp-$version-source.tar.gz"
echo 'release: Cabal sdist'
mkdir "$work/cabal"
echo 'active-repositories: :none' >"$work/cabal/config"
CABAL_DIR=$work/cabal cabal sdist -v0 --output-directory="$folder" .
echo 'release: Debian source package'
sh tools/debian.sh source "$work"
(cd "$work" && dpkg-source --build "ghc-openmp-$version" >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
cp "$work"/*.orig.tar.gz "$work"/*.debian.tar.* "$work"/*.dsc "$folder"
(cd "$folder" && sha256sum -- * >"$work/sums" && mv "$work/sums" SHA256SUMS)
if [ $dry = no ]; then
    git tag -a "v$version" -m "ghc-openmp $version"
    echo "release: tagged v$version"
fi
echo "release: $folder"
ls "$folder"
