#!/bin/sh
# LLVM's own OpenMP tests on libomp and on the drop-in, from Debian's source package of LLVM.
#
#   tools/llvm-suite.sh [--version N] [--tests N | --source FOLDER] [OPTION...] [FILTER]
#
#   tools/llvm-suite.sh                                  what libomp passes and the drop-in does not, on both hosts
#   tools/llvm-suite.sh --only libomp                    what libomp itself passes here
#   tools/llvm-suite.sh --hosts ghc --parts runtime 'tasking/.*depend'
#   tools/llvm-suite.sh --parts ompt,archer              the tests of OMPT, and those of the race detector Archer
#   tools/llvm-suite.sh --parts ompt,archer --compiler gcc   ... compiled by gcc 12
#
# --version is that of clang, flang and libomp, by default 19, and --tests that of the tests, by default the same.
# FOLDER is a source tree of LLVM; without it tools/debian-source.sh fetches the package llvm-toolchain-N into
# build/suites and takes the folders of tests out of it. The other options are those of the runner
# (docs/internals/testing.md). It needs the drop-in (make), clang-N, libomp-N-dev, llvm-N-tools and python3-psutil.
# Newer versions run in a chroot: the step `suite` of tools/multi-clang.sh. It is no part of `make test` because of the
# package's size and the time.
set -eu
here=$PWD
cd "$(dirname "$0")/.."
die() { printf 'ghc-openmp: tools/llvm-suite.sh: %s\n' "$*" >&2; exit 1; }
source='' version=19 tests=''
while [ $# -gt 0 ]; do
    case $1 in
    --source | --version | --tests) [ $# -ge 2 ] || die "$1 needs a value" ;;
    *) break ;;
    esac
    case $1,$2 in
    --source,/*) source=$2 ;;
    --source,*) source=$here/$2 ;;
    *,*[!0-9]* | *,) die "$1 takes the number of a version of LLVM, not '$2'" ;;
    --version,*) version=$2 ;;
    --tests,*) tests=$2 ;;
    esac
    shift 2
done
[ -n "$source" ] || source=$(tools/debian-source.sh llvm-toolchain-"${tests:-$version}" "${BUILD:-build}/suites" \
    openmp/runtime/test openmp/tools/archer/tests offload/test)
# Debian's python: another one lacks Debian's module psutil.
exec /usr/bin/python3 test/suites/llvm/suite.py --source "$source" --version "$version" "$@"
