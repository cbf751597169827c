#!/bin/sh
# Another Debian in a folder, for trying the tree with other versions of GHC and GCC than the machine's own.
#
#   tools/chroot.sh SUITE DIR [PACKAGE...]      makes DIR, or adds to it what is missing
#   tools/chroot.sh run DIR -- COMMAND [ARG...] runs a command in it, as root, in its /srv
#   tools/chroot.sh enter DIR                   a shell in it
#
# SUITE is a Debian suite (trixie, forky); DIR gets the compilers, linkers and Haskell packages that the tests need,
# those that examples, documentation tests and benchmarks need where the suite has them, and the named packages. The
# mirror is the one that this machine's own apt uses; DEBIAN_MIRROR names another. Needs root, debootstrap and
# util-linux.
#
# CHROOT_PACKAGES replaces all these packages, for a chroot of another use (tools/debian.sh).
#
# Whatever is mounted is mounted in a mount namespace of its own, which ends with its last process: nothing is left
# mounted, however a run ends, and DIR can be removed with rm -rf.
#
# Called by tools/multi-ghc.sh; tested by test/scripts/chroot_test.sh.
set -eu

PACKAGES=${CHROOT_PACKAGES:-'ghc cabal-install gcc g++ gfortran make binutils lld libc6-dev python3 git xz-utils
procps file
libghc-ghc-events-dev libghc-optparse-applicative-dev libghc-primitive-dev libghc-vector-dev libghc-quickcheck2-dev
libghc-tasty-dev libghc-tasty-hunit-dev libghc-tasty-quickcheck-dev
ghc-prof libghc-primitive-prof libghc-vector-prof'}
# Not every suite has all of these; what needs one that is missing is left out there.
PACKAGES_IF_THERE='doctest libghc-async-dev libghc-parallel-dev libghc-monad-par-dev libghc-hmatrix-dev
binutils-gold libopenblas0-openmp libfftw3-dev libopenmpi-dev openmpi-bin python3-sklearn python3-threadpoolctl
r-base-core r-cran-data.table'
[ -z "${CHROOT_PACKAGES:-}" ] || PACKAGES_IF_THERE=

APT_ETC=${APT_ETC:-/etc/apt}
OS_RELEASE=${OS_RELEASE:-/etc/os-release}
SCRIPTS=/usr/share/debootstrap/scripts

die() { printf 'ghc-openmp: tools/chroot.sh: %s\n' "$*" >&2; exit 1; }
usage() { die "usage: chroot.sh SUITE DIR [PACKAGE...] | chroot.sh run DIR -- COMMAND... | chroot.sh enter DIR"; }
have() { command -v "$1" >/dev/null 2>&1; }

# mirror: where this machine's apt takes Debian itself from, which is the source that names this Debian's release; the
# sources of security updates and of other software name other suites or another path.
mirror() {
    if [ -n "${DEBIAN_MIRROR:-}" ]; then
        echo "$DEBIAN_MIRROR"
        return
    fi
    # shellcheck disable=SC1090
    release=$(. "$OS_RELEASE" && echo "${VERSION_CODENAME:-sid}")
    for file in "$APT_ETC"/sources.list "$APT_ETC"/sources.list.d/*.list; do
        [ -f "$file" ] && sed -n 's/\[[^]]*\]//; s/^ *deb  *\([^ ]*\)  *\([^ ]*\) .*/\1 \2/p' "$file"
    done >"$list"
    for file in "$APT_ETC"/sources.list.d/*.sources; do
        [ -f "$file" ] && awk '
            function stanza() { if (types ~ /(^| )deb( |$)/ && uri != "") print uri, suites; types = uri = suites = "" }
            /^[ \t]*$/ { stanza() }
            tolower($1) == "types:" { $1 = ""; types = $0 }
            tolower($1) == "uris:" { uri = $2 }
            tolower($1) == "suites:" { $1 = ""; suites = $0 }
            END { stanza() }' "$file"
    done >>"$list"
    awk -v release="$release" '
        $1 ~ /^(https?|file):/ { for (i = 2; i <= NF; i++) if ($i == release) { print $1; exit } }' "$list"
}

inside() { # inside DIR COMMAND...: the command in the chroot, its mounts in a namespace of their own
    dir=$1
    shift
    # The inner shell gets the folder and the command as arguments; nothing of them is parsed again.
    # shellcheck disable=SC2016
    exec unshare --mount sh -c '
        set -eu
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        mount --rbind /sys "$1/sys"
        dir=$1
        shift
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv LANG=C.UTF-8 TERM="${TERM:-dumb}" \
            DEBIAN_FRONTEND=noninteractive chroot "$dir" sh -c "cd /srv && exec \"\$@\"" sh "$@"' \
        sh "$dir" "$@"
}

need_root() {
    [ "$(id -u)" -eq 0 ] || die "a chroot needs root: run it with sudo"
    have unshare || die "unshare is missing: install the package util-linux"
}

chroot_dir() { # chroot_dir DIR: prints it as an absolute path
    [ -e "$1/.ghcomp-chroot" ] || die "$1 was not made by tools/chroot.sh: make it with tools/chroot.sh SUITE $1"
    (cd "$1" && pwd)
}

# missing_of DIR PACKAGE...: those that are not installed in it.
missing_of() {
    # shellcheck disable=SC2016  # the inner shell expands it
    (dir=$1 && shift && inside "$dir" sh -c 'for p; do dpkg-query -W -f="\${db:Status-Status}" "$p" 2>/dev/null |
        grep -qx installed || echo "$p"; done' sh "$@")
}

# known_of DIR PACKAGE...: those that its suite has.
known_of() {
    # shellcheck disable=SC2016  # the inner shell expands it
    (dir=$1 && shift &&
        inside "$dir" sh -c 'for p; do [ -z "$(apt-cache -q madison "$p")" ] || echo "$p"; done' sh "$@")
}

make_chroot() { # make_chroot SUITE DIR PACKAGE...
    suite=$1 dir=$2
    shift 2
    if [ ! -e "$dir/.ghcomp-chroot" ]; then
        have debootstrap || die "debootstrap is missing: install the package debootstrap"
        [ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || die "$dir exists and is no chroot of ours: name another folder"
        list=$(mktemp)
        trap 'rm -f "$list"' EXIT
        from=$(mirror)
        [ -n "$from" ] || die "no Debian mirror in $APT_ETC: name one in DEBIAN_MIRROR"
        echo "chroot: $suite in $dir"
        if [ -e "$SCRIPTS/$suite" ]; then
            unshare --mount debootstrap --variant=minbase "$suite" "$dir" "$from" >"$list" 2>&1 || failed=1
        else
            # A suite newer than this debootstrap: it is made like sid, and its key is newer than our keyring too.
            echo "chroot: $suite is newer than this machine's debootstrap; its signature can't be checked"
            unshare --mount debootstrap --variant=minbase --no-check-gpg "$suite" "$dir" "$from" sid >"$list" 2>&1 ||
                failed=1
        fi
        [ -z "${failed:-}" ] || { tail -5 "$list" >&2; die "debootstrap failed; remove $dir before the next try"; }
        echo "$suite" >"$dir/.ghcomp-chroot"
    elif [ "$(cat "$dir/.ghcomp-chroot")" != "$suite" ]; then
        die "$dir is a chroot of $(cat "$dir/.ghcomp-chroot"), not of $suite: name another folder"
    fi
    dir=$(cd "$dir" && pwd)
    # shellcheck disable=SC2046,SC2086  # lists of names
    missing=$(missing_of "$dir" $PACKAGES "$@" && known_of "$dir" $(missing_of "$dir" $PACKAGES_IF_THERE))
    [ -n "$missing" ] || { echo "chroot: $suite in $dir has everything"; return; }
    cp /etc/resolv.conf "$dir/etc/resolv.conf"
    log=$dir/var/log/ghcomp-apt.log
    echo "chroot: installing $(echo "$missing" | wc -l) packages, log in $log"
    # The mirror may be a frozen copy, whose date of validity has passed.
    # shellcheck disable=SC2016,SC2086
    (inside "$dir" sh -c 'echo "Acquire::Check-Valid-Until false;" >/etc/apt/apt.conf.d/90frozen &&
        apt-get -q update && apt-get -qy --no-install-recommends install "$@" && apt-get clean' \
        sh $missing) >"$log" 2>&1 </dev/null ||
        { tail -5 "$log" >&2; die "apt-get failed in $dir; the log is $log"; }
}

case ${1:-} in
run)
    { [ $# -ge 4 ] && [ "$3" = -- ]; } || usage
    need_root
    dir=$(chroot_dir "$2")
    shift 3
    inside "$dir" "$@" ;;
enter)
    [ $# -eq 2 ] || usage
    need_root
    dir=$(chroot_dir "$2")
    inside "$dir" bash -l ;;
-* | '') usage ;;
*)
    [ $# -ge 2 ] || usage
    need_root
    make_chroot "$@" ;;
esac
