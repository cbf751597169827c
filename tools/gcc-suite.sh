#!/usr/bin/env bash
# libgomp's own test suite of another GCC version, in a chroot with a Debian that has that GCC.
#
#   tools/gcc-suite.sh [--jobs N] [--dropin FOLDER] [--compiler FOLDER --tests N] SUITE DIR [-- OPTION...]
#
# SUITE and DIR are those of tools/chroot.sh, which makes the chroot where it isn't there yet and adds the package
# gcc-NN-source of the chroot's gcc. The OPTIONs go to the suite's runner (docs/internals/testing.md):
#
#   tools/gcc-suite.sh forky ~/chroots/forky -- --only libgomp           what that libgomp itself passes
#   tools/gcc-suite.sh forky ~/chroots/forky -- --matrix --repeat 3
#   tools/gcc-suite.sh --dropin build/dropin forky ~/chroots/forky -- --filter task --limit 20
#   tools/gcc-suite.sh --compiler /usr/lib/gcc-snapshot --tests 16 sid ~/chroots/sid
#
# The tracked files, as they are in the working tree, are copied to the chroot, and the drop-in and the companion are
# built there with its GCC and GHC. With --dropin nothing is built: FOLDER's libgomp.so.1 is taken, which may have been
# built with an older glibc; its companion belongs to another GHC and stays out, so there is only the host posix.
#
# --compiler names another GCC of the chroot, by the folder that has its bin and lib; its libgomp is then the reference.
# --tests takes the tests of version N, by default those of the compiler's.
#
# All working trees share the cache of compiled tests, DIR/srv/gcc-suite/cache. Each has a folder of its own name beside
# it and keeps its build there, so several can be run at a time. Tested by test/scripts/gcc-suite_test.sh.
set -eu
here=$PWD
cd "$(dirname "$0")/.."
root=$PWD

die() { printf 'ghc-openmp: tools/gcc-suite.sh: %s\n' "$*" >&2; exit 1; }
usage() {
    die "$1; usage: gcc-suite.sh [--jobs N] [--dropin FOLDER] [--compiler FOLDER --tests N] SUITE DIR [-- OPTION...]"
}
absolute() { case $1 in /*) echo "$1" ;; *) echo "$here/$1" ;; esac; }

jobs=$(nproc) dropin= compiler= tests=
while [ $# -gt 0 ]; do
    case $1 in
    --jobs) [ $# -ge 2 ] || usage "--jobs needs a number"; jobs=$2; shift 2 ;;
    --dropin) [ $# -ge 2 ] || usage "--dropin needs a folder"; dropin=$(absolute "$2"); shift 2 ;;
    --compiler) [ $# -ge 2 ] || usage "--compiler needs a folder"; compiler=$2; shift 2 ;;
    --tests) [ $# -ge 2 ] || usage "--tests needs a number"; tests=$2; shift 2 ;;
    -*) usage "no option '$1'" ;;
    *) break ;;
    esac
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || usage "--jobs: '$jobs' is not a number"
[[ ${tests:-1} =~ ^[1-9][0-9]*$ ]] || usage "--tests: '$tests' is not a number"
[[ ${compiler:-/} == /* ]] || usage "--compiler takes a path of the chroot, from its root, not '$compiler'"
[ $# -ge 2 ] || usage "name a Debian suite and the chroot's folder"
suite=$1 dir=$(absolute "$2")
shift 2
if [ $# -gt 0 ]; then
    [ "$1" = -- ] || usage "the runner's options stand behind --, not '$1'"
    shift
fi
[ -z "$dropin" ] || [ -f "$dropin/libgomp.so.1" ] || die "$dropin has no libgomp.so.1: run make"

in_chroot() { "$root/tools/chroot.sh" run "$dir" -- "$@"; }

"$root/tools/chroot.sh" "$suite" "$dir"
major=$(in_chroot gcc -dumpversion)
major=${major%%.*}
[ -z "$tests" ] || major=$tests
# gdb: a hung test's stacks.
"$root/tools/chroot.sh" "$suite" "$dir" "gcc-$major-source" gdb

# A folder for each kind: what make built and what was given must not replace one another.
tree=gcc-suite/$(basename "$root")${dropin:+-dropin}
copy=$dir/srv/$tree
mkdir -p "$copy"
find "$copy" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
# Files keep their times, so that only what changed is built again.
git ls-files -z | tar --null --files-from=- -cf - | tar -xf - --no-same-owner -C "$copy"
if [ -n "$dropin" ]; then
    mkdir -p "$copy/build/dropin"
    cp -L "$dropin/libgomp.so.1" "$copy/build/dropin/libgomp.so.1"
else
    log=$copy/build.log
    # shellcheck disable=SC2016  # the chroot's shell expands it
    in_chroot sh -c 'cd "$1" && make -j"$2" all around' sh "$tree" "$jobs" >"$log" 2>&1 ||
        { tail -20 "$log" >&2; die "the tree does not build in $dir; the log is $log"; }
fi
echo "gcc-suite: tests of GCC $major in $dir, results in $copy/build/suites/libgomp"
# shellcheck disable=SC2016
in_chroot sh -c 'cd "$1" && shift && PATH=$1$PATH && export PATH && shift && exec "$@"' sh "$tree" \
    "${compiler:+$compiler/bin:}" python3 test/suites/libgomp/suite.py --build build \
    --cache /srv/gcc-suite/cache --jobs "$jobs" \
    ${tests:+--tests "$tests"} ${compiler:+--libraries "$compiler/lib"} "$@"
