#!/bin/sh
# The Debian packages of packaging/debian: a source package of the committed tree, the packages built from it, and what
# lintian says of them; an error of lintian's is a failure.
#
#   tools/debian.sh [FOLDER]        FOLDER, build/debian by default, is emptied first
#   tools/debian.sh source FOLDER   FOLDER gets the upstream archive and the tree with debian/ in it
#   tools/debian.sh try FOLDER DIR  installs FOLDER's packages in a new Debian in DIR, uses them there and removes them
#
# Needs dpkg-dev, debhelper, lintian and what the packages build with (`sh tools/deps.sh debian`); `try` needs root and
# debootstrap, too, and takes GHC's companion only with TRY_RTS=1, since GHC has half a gigabyte. Called by hand and by
# tools/release.sh; test/scripts/release_test.sh builds a source package.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
die() { printf 'ghc-openmp: tools/debian.sh: %s\n' "$*" >&2; exit 1; }
version=$(sed -n 's/^version: *//p' "$root/ghc-openmp.cabal")

# unpacked FOLDER: the .orig archive and the unpacked tree with debian/ in it.
unpacked() {
    git -C "$root" rev-parse HEAD >/dev/null 2>&1 || die 'this is no git checkout, so there is no committed tree'
    git -C "$root" archive --prefix="ghc-openmp-$version/" HEAD | gzip -9n >"$1/ghc-openmp_$version.orig.tar.gz"
    tar -xzf "$1/ghc-openmp_$version.orig.tar.gz" -C "$1"
    cp -r "$1/ghc-openmp-$version/packaging/debian" "$1/ghc-openmp-$version/debian"
    case $(dpkg-parsechangelog -l "$1/ghc-openmp-$version/debian/changelog" -S Version) in
    "$version"-*) ;;
    *) die "packaging/debian/changelog does not begin with version $version: add an entry" ;;
    esac
}

build() {
    for command in dpkg-buildpackage dh lintian git; do
        command -v $command >/dev/null || die "$command is missing: sh tools/deps.sh debian"
    done
    rm -rf "$1"
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
    unpacked "$folder"
    cd "$folder/ghc-openmp-$version"
    dpkg-buildpackage --no-sign >"$folder/build.log" 2>&1 || {
        tail -n 40 "$folder/build.log" | cut -c1-200 >&2
        exit 1
    }
    cd "$folder"
    lintian --fail-on error --tag-display-limit 0 ./*.changes
    ls ./*.deb
}

try() {
    folder=$1 dir=$2
    [ "$(ls "$folder"/*.deb 2>/dev/null)" ] || die "no packages in $folder: run tools/debian.sh $folder"
    CHROOT_PACKAGES='gcc libc6-dev' sh "$root/tools/chroot.sh" "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$dir"
    rm -rf "$dir/srv/debs"
    mkdir -p "$dir/srv/debs"
    cp "$folder"/*.deb "$dir/srv/debs/"
    cp "$root/examples/guides/ask.c" "$root/examples/guides/hello.c" "$dir/srv/"
    [ "${TRY_RTS:-}" = 1 ] || rm -f "$dir"/srv/debs/libghcomp-rts*.deb
    cat >"$dir/srv/try" <<'END'
set -eu
cd /srv
apt-get -qy --no-install-recommends install ./debs/*.deb >/dev/null
gcc -O2 -fopenmp hello.c -o hello
[ "$(ghcomp run --host posix --threads 3 -- ./hello)" = '3 threads, sum 500000500000' ]
gcc -O2 -fopenmp -c ask.c && gcc ask.o -lghcomp -o ask
GHCOMP_HOST=posix ./ask | grep 'host posix'
packages=$(for deb in debs/*.deb; do dpkg-deb -f "$deb" Package; done)
dpkg --purge $packages
[ ! -e /usr/bin/ghcomp ] && [ -z "$(find /usr/lib /usr/share /usr/include -path '*ghcomp*')" ]
echo 'debian: installed, used and removed'
END
    sh "$root/tools/chroot.sh" run "$dir" -- sh /srv/try
}

case ${1:-} in
try) [ $# = 3 ] || die 'usage: tools/debian.sh try FOLDER DIR'; try "$2" "$3" ;;
source) mkdir -p "$2"; unpacked "$(cd "$2" && pwd)" ;;
*) build "${1:-$root/build/debian}" ;;
esac
