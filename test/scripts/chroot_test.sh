#!/usr/bin/env bash
# tools/chroot.sh without making a chroot: what it refuses and with which message, and which mirror it takes from apt's
# files. root, debootstrap and unshare are fake commands, the only ones in PATH beside coreutils.

# shellcheck disable=SC2015  # fail ends the script
set -eu
chroot=$PWD/tools/chroot.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { printf 'FAILED: %s\n--- output:\n%s\n' "$1" "$output" >&2; exit 1; }

mkdir -p "$work/bin" "$work/apt/sources.list.d"
for c in sh bash cat awk sed ls mktemp rm mkdir dirname tail wc grep cp env; do
    ln -s "$(type -P "$c")" "$work/bin/$c"
done
fake() { printf '#!%s/bin/bash\n%s\n' "$work" "$2" >"$work/bin/$1"; chmod +x "$work/bin/$1"; }
run() {
    status=0
    output=$(PATH=$work/bin APT_ETC=$work/apt OS_RELEASE=$work/os-release sh "$chroot" "$@" 2>&1) || status=$?
}
refused() { # refused WORDS WHAT: one line, exit status 1
    [ $status -eq 1 ] && [[ $output == "ghc-openmp: tools/chroot.sh: "*"$1"* ]] || fail "$2"
    [ "$(wc -l <<<"$output")" -eq 1 ] || fail "$2: one line"
}

fake id 'echo 1000'
fake unshare 'exit 99'
run
refused usage 'no argument gives the usage'
run trixie
refused usage 'no folder gives the usage'
run run "$work/c" true
refused usage 'a command stands behind --'
run trixie "$work/c"
refused 'needs root' 'making a chroot needs root'
run run "$work/c" -- true
refused 'needs root' 'entering a chroot needs root'

fake id 'echo 0'
run trixie "$work/c"
refused 'debootstrap is missing' 'debootstrap must be there'
run run "$work/c" -- true
refused 'was not made by' 'only its own chroots are entered'
# shellcheck disable=SC2016  # the fake command expands it
fake debootstrap 'printf "%s\n" "$@" >'"$work/called"'; exit 7'
# shellcheck disable=SC2016
fake unshare 'shift; exec "$@"'
mkdir "$work/full"
touch "$work/full/file"
run trixie "$work/full"
refused 'no chroot of ours' 'a folder with something else in it is left alone'

# The mirror: the source that names this Debian's release, in either format.
echo 'VERSION_CODENAME=bookworm' >"$work/os-release"
cat >"$work/apt/sources.list.d/debian.sources" <<'SOURCES'
Types: deb
URIs: http://other.example/packages
Suites: nodistro
Components: main

Types: deb-src
URIs: http://source.example/debian
Suites: bookworm

# the one
Types: deb deb-src
URIs: http://mirror.example/debian http://second.example/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
SOURCES
mirror() { grep -m1 -E '^(https?|file):' "$work/called" || true; }
run bookworm "$work/c"
[ $status -eq 1 ] && [[ $output == *'debootstrap failed'* ]] || fail 'a failing debootstrap is named'
output=$(mirror)
[ "$output" = http://mirror.example/debian ] || fail 'the deb822 source of the release is the mirror'

rm "$work/apt/sources.list.d/debian.sources"
run bookworm "$work/c"
refused 'name one in DEBIAN_MIRROR' 'no source of the release, no guess'
cat >"$work/apt/sources.list" <<'SOURCES'
# deb http://commented.example/debian bookworm main
deb http://security.example/debian-security bookworm-security main
deb-src http://source.example/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] https://list.example/debian bookworm main contrib
SOURCES
run bookworm "$work/c"
output=$(mirror)
[ "$output" = https://list.example/debian ] || fail 'the line of the release in sources.list is the mirror'
DEBIAN_MIRROR=http://named.example/debian run bookworm "$work/c"
output=$(mirror)
[ "$output" = http://named.example/debian ] || fail 'DEBIAN_MIRROR goes first'
run nosuchsuite "$work/c"
output=$(cat "$work/called")
[[ $output == *--no-check-gpg*nosuchsuite*sid ]] || fail 'a suite that debootstrap does not know is made like sid'

echo trixie >"$work/full/.ghcomp-chroot"
run forky "$work/full"
refused 'a chroot of trixie' 'a chroot keeps its suite'
