#!/usr/bin/env bash
# tools/gcc-suite.sh without a chroot: what it refuses and with which message, and how it calls tools/chroot.sh, which
# is a fake here, in a tree of its own. The fake runs the commands in the folder's srv, where the tree must be by then.

# shellcheck disable=SC2015  # fail ends the script
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/tools" "$work/tree/test" "$work/bin" "$work/dropin"
cp tools/gcc-suite.sh "$work/tree/tools/"
cd "$work/tree"

fail() { printf 'FAILED: %s\n--- output:\n%s\n--- called:\n%s\n' "$1" "$output" "$(cat "$work/called")" >&2; exit 1; }
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$1"; chmod +x "$1"; }
run() {
    : >"$work/called"
    status=0; output=$(WORK=$work PATH=$work/bin:$PATH bash tools/gcc-suite.sh "$@" 2>&1) || status=$?
}
refused() { # refused WORDS WHAT: one line, exit status 1, before anything was made
    [ $status -eq 1 ] && [[ $output == "ghc-openmp: tools/gcc-suite.sh: "*"$1"* ]] || fail "$2"
    [ "$(wc -l <<<"$output")" -eq 1 ] && [ ! -s "$work/called" ] || fail "$2: one line and no call"
}
called() { grep -qxF -- "$1" "$work/called" || fail "$2"; }

# shellcheck disable=SC2016  # the fake commands expand it
fake tools/chroot.sh '
case $1 in
run) mkdir -p "$2/srv" && cd "$2/srv" && shift 3 && exec "$@" ;;
*) printf "chroot:%s\n" "$(printf " [%s]" "$@")" >>"$WORK/called" ;;
esac'
fake "$work/bin/gcc" 'echo 16.2'
# shellcheck disable=SC2016
fake "$work/bin/make" 'printf "make: %s in %s\n" "$*" "${PWD#"$WORK"}" >>"$WORK/called"; [ ! -e broken ]'
# shellcheck disable=SC2016
fake "$work/bin/python3" '
printf "runner:%s in %s\n" "$(printf " [%s]" "$@")" "${PWD#"$WORK"}" >>"$WORK/called"
[ -e test/tracked ] && [ ! -e test/untracked ] && exit 3'
touch test/tracked test/untracked
git init -q
git add tools test/tracked

run
refused 'usage' 'no argument gives the usage'
run forky
refused 'name a Debian suite and' 'a suite needs a folder'
run --speed forky "$work/c"
refused "no option '--speed'" 'an unknown option is named'
run forky "$work/c" --only ours
refused "stand behind --, not '--only'" "the runner's options stand behind --"
run --jobs many forky "$work/c"
refused "'many' is not a number" 'jobs are a number'
run --jobs
refused '--jobs needs' '--jobs needs a value'
run --tests new forky "$work/c"
refused "'new' is not a number" 'the version of the tests is a number'
run --compiler gcc-17 forky "$work/c"
refused "not 'gcc-17'" 'the compiler is a path of the chroot'
run --dropin "$work/dropin" forky "$work/c"
refused 'has no libgomp.so.1' 'the drop-in must be there'

# Builds in the chroot; the options arrive as they are; the runner's status is the script's.
runner='runner: [test/suites/libgomp/suite.py] [--build] [build] [--cache] [/srv/gcc-suite/cache] [--jobs] [2]'
# shellcheck disable=SC2016  # not to be expanded
run --jobs 2 forky "$work/c" -- --only ours --filter 'a b|$x*'
[ $status -eq 3 ] || fail "the runner's exit status"
called "chroot: [forky] [$work/c]" 'the chroot is made'
called "chroot: [forky] [$work/c] [gcc-16-source] [gdb]" "the suite of the chroot's gcc is added"
called 'make: -j2 all around in /c/srv/gcc-suite/tree' 'the tree is built in the chroot'
# shellcheck disable=SC2016
called "$runner"' [--only] [ours] [--filter] [a b|$x*] in /c/srv/gcc-suite/tree' "the runner's options"

# Another compiler of the chroot, with the tests of a version that is not its own.
run --jobs 2 --compiler /opt/gcc --tests 15 sid "$work/c"
called "chroot: [sid] [$work/c] [gcc-15-source] [gdb]" 'the suite that is asked for is added'
called "$runner [--tests] [15] [--libraries] [/opt/gcc/lib] in /c/srv/gcc-suite/tree" "the compiler's libraries"

# What a build left stays, and files that were deleted in the tree are deleted.
mkdir "$work/c/srv/gcc-suite/tree/build"
touch "$work/c/srv/gcc-suite/tree/test/untracked" "$work/c/srv/gcc-suite/tree/build/kept"
run forky "$work/c"
[ $status -eq 3 ] && [ -e "$work/c/srv/gcc-suite/tree/build/kept" ] ||
    fail 'a second run copies anew and keeps the build'

# A drop-in is taken as it is, in a folder of its own, and a relative name counts from the caller's folder.
echo given >"$work/real"
ln -s ../real "$work/dropin/libgomp.so.1"
touch "$work/dropin/libghcomp_rts.so"
cd "$work"
: >called
status=0
export WORK=$work
output=$(PATH=$work/bin:$PATH bash tree/tools/gcc-suite.sh --jobs 2 --dropin dropin forky c 2>&1) || status=$?
given=$work/c/srv/gcc-suite/tree-dropin/build/dropin
[ $status -eq 3 ] && [ "$(cat "$given/libgomp.so.1")" = given ] && [ ! -L "$given/libgomp.so.1" ] || fail '--dropin'
[ ! -e "$given/libghcomp_rts.so" ] || fail 'the companion of another GHC stays out'
called "$runner in /c/srv/gcc-suite/tree-dropin" 'the runner takes the given drop-in'
! grep -q '^make' called || fail 'nothing is built for a given drop-in'
cd tree

touch broken
git add broken
run forky "$work/c"
[ $status -eq 1 ] && [[ $output == *'does not build'* ]] || fail 'a tree that does not build is named'
! grep -q '^runner' "$work/called" || fail 'nothing is run then'
