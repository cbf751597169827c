#!/bin/sh
# Fetches a Debian source package and unpacks it, with Debian's patches, or parts of it.
#
#   tools/debian-source.sh PACKAGE FOLDER           prints the folder FOLDER/PACKAGE with the sources
#   tools/debian-source.sh PACKAGE FOLDER PART...   the same with these folders of the upstream archive alone, without
#                                                   Debian's patches
#
# The system's own sources of packages serve, also where they have no deb-src line: a copy of them below FOLDER has, and
# nothing of the system's is changed. What is there is not fetched again. Needs apt-get, and dpkg-source of dpkg-dev
# where all is unpacked, xz for parts. Called by tools/llvm-suite.sh, test/examples/parallel-make.sh and
# bench/parallel_make.py.
set -eu
die() { printf 'ghc-openmp: tools/debian-source.sh: %s\n' "$*" >&2; exit 1; }
[ $# -ge 2 ] || die "usage: tools/debian-source.sh PACKAGE FOLDER [PART...]"
package=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
if [ -d "$folder/$package" ]; then
    echo "$folder/$package"
    exit 0
fi
if [ $# -gt 0 ]; then needed='apt-get:apt xz:xz-utils'; else needed='apt-get:apt dpkg-source:dpkg-dev'; fi
for command in $needed; do
    command -v "${command%:*}" >/dev/null || die "${command%:*} is missing: install ${command#*:}, on Debian"
done

state=$folder/.apt
mkdir -p "$state/parts" "$state/lists/partial" "$state/cache/archives/partial"
for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] || continue
    sed 's/^Types:.*/Types: deb-src/' "$file" >"$state/parts/$(basename "$file")"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] || continue
    sed -n 's/^deb /deb-src /p' "$file" >"$state/parts/$(basename "$file" .list).list"
done
apt() {
    apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$state/parts" \
        -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root "$@"
}
# Other sources than Debian's may have no source packages: then a part of the update fails, which does not matter.
apt update >"$state/log" 2>&1 || true
rm -rf "$state/unpacked"
mkdir "$state/unpacked"
failed() { tail -3 "$state/log" >&2; die "$package: $1 failed; the log is $state/log"; }
if [ $# = 0 ]; then
    (cd "$state/unpacked" && apt source --only-source "$package") >>"$state/log" 2>&1 || failed 'apt-get source'
else
    (cd "$state/unpacked" && apt source --only-source --tar-only --download-only "$package") >>"$state/log" 2>&1 ||
        failed 'apt-get source'
    # The archive's folder has a name of its own.
    for part; do set -- "$@" "*/$part"; shift; done
    mkdir "$state/unpacked/parts"
    tar -xf "$state/unpacked/"*.orig.tar.* -C "$state/unpacked/parts" --strip-components=1 --no-same-owner --wildcards \
        "$@" >>"$state/log" 2>&1 || failed tar
fi
for found in "$state"/unpacked/*/; do
    mv "$found" "$folder/$package"
done
echo "$folder/$package"
