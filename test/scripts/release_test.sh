#!/bin/sh
# tools/release.sh in a copy of the tree: it refuses what is no release, in one line, and makes archives whose checksums
# are right and which have what their users need; a dry run makes no tag. tools/debian.sh makes the source package.
# limit: 180
set -eu
cd "$(dirname "$0")/../.."
for command in git cabal dpkg-source; do
    command -v $command >/dev/null || { echo "skipped: needs $command"; exit 77; }
done
git rev-parse HEAD >/dev/null 2>&1 || { echo 'skipped: this is no git checkout'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { printf '%s\n' "$@"; exit 1; }

mkdir "$work/tree"
git ls-files -z | tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -xf - -C "$work/tree"
cd "$work/tree"
git init -q .
git config user.name test
git config user.email test@example.org
git add -A
git commit -qm tree
version=$(sed -n 's/^version: *//p' ghc-openmp.cabal)

# refused WHAT REGEX ARGUMENT...: exit status 1, one line, no folder.
refused() {
    what=$1 expected=$2
    shift 2
    if sh tools/release.sh "$@" "$work/out" >"$work/said" 2>&1; then wrong "$what is accepted"; fi
    [ "$(wc -l <"$work/said")" = 1 ] && grep -qE "$expected" "$work/said" || wrong "$what:" "$(cat "$work/said")"
    [ ! -e "$work/out" ] || wrong "$what: leaves a folder"
}
refused 'another version' 'has version' 9.9
touch new
refused 'a tree with changes' 'not committed' "$version"
rm new
refused 'a changelog without the release' 'CHANGELOG.md has no line' "$version"
git tag "v$version"
refused 'a version that was released' "the tag v$version exists" "$version"
git tag -d "v$version" >/dev/null
sed -i "s/^ghc-openmp ([^)]*)/ghc-openmp (9.9-1)/" packaging/debian/changelog
git commit -qam older
if sh tools/debian.sh source "$work/older" >"$work/said" 2>&1; then wrong 'packages of another version are made'; fi
grep -q 'does not begin with version' "$work/said" || wrong "$(cat "$work/said")"
git reset -q --hard HEAD~

sh tools/release.sh --dry-run "$version" "$work/out" >"$work/said" 2>&1 || wrong "$(cat "$work/said")"
[ -z "$(git tag)" ] || wrong 'a dry run makes a tag'
(cd "$work/out" && sha256sum --quiet -c SHA256SUMS) || wrong 'the checksums are wrong'
[ "$(wc -l <"$work/out/SHA256SUMS")" = 5 ] || wrong "$(cat "$work/out/SHA256SUMS")"
has() { # has ARCHIVE FILE...
    archive=$1
    shift
    tar -tf "$work/out/$archive" >"$work/list"
    for file in "$@"; do grep -qx "[^/]*/$file" "$work/list" || wrong "$archive lacks $file"; done
}
has "ghc-openmp-$version-source.tar.gz" Makefile README.md man/ghcomp.1 mk/install.mk test/run.py
has "ghc-openmp-$version.tar.gz" README.md CHANGELOG.md LICENSE ghc-openmp.cabal cbits/include/ghcomp.h
has "ghc-openmp_$version-1.debian.tar.xz" control rules changelog
