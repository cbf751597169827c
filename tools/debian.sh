#!/bin/sh
# The Debian packages of packaging/debian: a source package of the committed tree, the packages built from it, and what
# lintian says of them; an error of lintian's is a failure.
#
#   tools/debian.sh [FOLDER]        FOLDER, build/debian by default, is emptied first
#   tools/debian.sh source FOLDER   FOLDER gets the upstream archive and the tree with debian/ in it
#   tools/debian.sh try FOLDER DIR  installs FOLDER's packages in a new Debian in DIR, uses them there and removes them
#
# Needs dpkg-dev, debhelper, lintian and what the packages build with (`sh tools/deps.sh debian`); `try` needs root and
# debootstrap, too; GHC's companion and the Haskell library are taken only with TRY_GHC=1, since GHC has half a
# gigabyte, and the library for profiling only with TRY_GHC=prof. Called by hand and by tools/release.sh;
# test/scripts/release_test.sh builds a source package.
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
    rm -rf "$dir/srv/consumer"
    cp -r "$root/test/hs/consumer" "$dir/srv/consumer"
    case ${TRY_GHC:-} in
    prof) ;;
    1) rm -f "$dir"/srv/debs/libghc-*-prof*.deb ;;
    *) rm -f "$dir"/srv/debs/libghcomp-rts*.deb "$dir"/srv/debs/libghc-*-dev*.deb "$dir"/srv/debs/libghc-*-prof*.deb ;;
    esac
    cat >"$dir/srv/try" <<'END'
set -eu
cd /srv
wrong() { printf 'debian: %s\n' "$*" >&2; exit 1; }
# runtime PROGRAM: the library that the loader takes for libgomp.so.1.
runtime() { realpath "$(ldd "$1" | sed -n 's/.*libgomp.so.1 => \([^ ]*\).*/\1/p')"; }
lib=/usr/lib/x86_64-linux-gnu
packages=$(for deb in debs/*.deb; do dpkg-deb -f "$deb" Package; done)
gnu=$(realpath $lib/libgomp.so.1)

# All but the one that changes the system.
apt-get -qy --no-install-recommends install $(ls ./debs/*.deb | grep -v libgomp1-ghcomp) >/dev/null
gcc -O2 -fopenmp hello.c -o hello
[ "$(ghcomp run --host posix --threads 3 -- ./hello)" = '3 threads, sum 500000500000' ] || wrong 'ghcomp run'
[ "$(runtime ./hello)" = "$gnu" ] || wrong 'the packages change what programs run on'
gcc -O2 -fopenmp -c ask.c && gcc ask.o -lghcomp -o ask
readelf -d ask | grep -q 'libghcomp.so.0' || wrong 'a program does not name libghcomp.so.0'
GHCOMP_HOST=posix ./ask | grep -q 'host posix' || wrong 'a program with -lghcomp'

if dpkg-query -W libghc-ghc-openmp-dev >/dev/null 2>&1; then
    ghc-pkg check --simple-output || wrong 'the package database'
    rm -rf built-*
    # build WAY: the program of a Haskell user, by GHC alone.
    build() {
        mkdir "built$1"
        ghc -v0 "$@" -threaded -rtsopts -optc-fopenmp -outputdir "built$1" consumer/Main.hs consumer/dot.c \
            -o "built$1/run"
        "built$1/run" +RTS -N2 || wrong "the Haskell library with $1"
    }
    build -static
    build -dynamic
    if dpkg-query -W libghc-ghc-openmp-prof >/dev/null 2>&1; then build -prof; fi
    rm -rf built-*
fi
[ -e /usr/share/doc/libghc-ghc-openmp-doc/html/OpenMP.html ] || wrong 'the documentation'

# The system's libgomp.so.1, there and back.
apt-get -qy --no-install-recommends install ./debs/libgomp1-ghcomp_*.deb >/dev/null
[ "$(runtime ./hello)" = $lib/ghc-openmp/libgomp.so.1 ] || wrong "hello runs on $(runtime ./hello)"
[ "$(OMP_NUM_THREADS=3 ./hello)" = '3 threads, sum 500000500000' ] || wrong 'hello on the alternative'
update-alternatives --set libgomp.so.1-x86_64-linux-gnu $lib/libgomp.so.1 >/dev/null
[ "$(runtime ./hello)" = "$gnu" ] || wrong 'the alternative is not set back'
ldconfig
[ "$(runtime ./hello)" = "$gnu" ] || wrong 'ldconfig changes the alternative'
update-alternatives --auto libgomp.so.1-x86_64-linux-gnu >/dev/null
[ "$(runtime ./hello)" = $lib/ghc-openmp/libgomp.so.1 ] || wrong 'the alternative does not come back'
dpkg --purge libgomp1-ghcomp >/dev/null
[ "$(runtime ./hello)" = "$gnu" ] && ./hello >/dev/null || wrong 'the removed alternative leaves something'
[ -z "$(ls /etc/ld.so.conf.d/*ghcomp* 2>/dev/null)" ] || wrong 'a file of the loader is left'

dpkg --purge $packages >/dev/null 2>&1
left=$(find /usr/lib /usr/share /usr/include /var/lib/ghc /etc \( -path '*ghcomp*' -o -path '*ghc-openmp*' \) \
    2>/dev/null || true)
[ ! -e /usr/bin/ghcomp ] && [ -z "$left" ] || wrong "left behind: $left"
echo 'debian: installed, used and removed'
END
    sh "$root/tools/chroot.sh" run "$dir" -- sh /srv/try
}

case ${1:-} in
try) [ $# = 3 ] || die 'usage: tools/debian.sh try FOLDER DIR'; try "$2" "$3" ;;
source) mkdir -p "$2"; unpacked "$(cd "$2" && pwd)" ;;
*) build "${1:-$root/build/debian}" ;;
esac
