#!/bin/sh
# Measures OpenMP runtimes on this machine and writes results/*.json; see README. The kit is in this folder.
#
#   ./run [--minutes 10] [--out FOLDER] [--only constructs,large,...] [--list]
#   ./run bench/NAME.py ARGUMENTS...     one of the measurements by itself, as docs/results/benchmarks.md describes it
#
# POSIX sh, which only starts Python: the measurements are the same programs as in the repository, and the kit has an
# interpreter for them, so the machine needs none. Made by bench/kit.py; tested by test/scripts/bench_kit_test.py.
set -eu
case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
here=$(cd "$here" && pwd)
die() { echo "ghc-openmp: kit: $*" >&2; exit 2; }

system=$(uname -s)/$(uname -m)
[ "$system" = Linux/x86_64 ] || die "this is $system; the kit needs Linux on x86-64"

# "glibc 2.36", or "ld.so (Debian GLIBC 2.36-9) stable release version 2.36."; GHCOMP_KIT_GLIBC is for tests.
read -r need <"$here/glibc-needed"
have=${GHCOMP_KIT_GLIBC-$( (getconf GNU_LIBC_VERSION || /lib64/ld-linux-x86-64.so.2 --version) 2>/dev/null || :)}
case $have in
*'version 2.'*) minor=${have#*version 2.} ;;
*'glibc 2.'*) minor=${have#*glibc 2.} ;;
*) die "no glibc was found here; the kit needs glibc $need or newer" ;;
esac
minor=${minor%%[!0-9]*}
[ "${minor:-0}" -ge "${need#2.}" ] || die "glibc is 2.$minor here; the kit needs $need or newer"

LD_LIBRARY_PATH=$here/python/lib
export LD_LIBRARY_PATH
case ${1-} in
bench/*.py) script=$1; shift; [ -f "$here/$script" ] || die "the kit has no $script" ;;
*) script=bench/kit_run.py ;;
esac
# Isolated: no site packages, nothing of the user's environment, no files written into the kit.
exec "$here/python/bin/python3" -I -S -B -X utf8 "$here/$script" "$@"
