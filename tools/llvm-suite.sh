#!/bin/sh
# LLVM's own OpenMP tests on libomp and on the drop-in, from Debian's source package of LLVM.
#
#   tools/llvm-suite.sh [--source FOLDER] [OPTION...] [FILTER]
#
#   tools/llvm-suite.sh                                  what libomp passes and the drop-in does not, on both hosts
#   tools/llvm-suite.sh --only libomp                    what libomp itself passes here
#   tools/llvm-suite.sh --hosts ghc --parts runtime 'tasking/.*depend'
#   tools/llvm-suite.sh --parts ompt,archer              the tests of OMPT, and those of the race detector Archer
#   tools/llvm-suite.sh --parts ompt,archer --compiler gcc   ... compiled by gcc 12
#
# FOLDER is a source tree of LLVM. Without --source the package llvm-toolchain-19 is fetched into build/suites, by
# tools/debian-source.sh; it unpacks into two gigabytes. The options are those of the runner
# (docs/internals/testing.md). It needs the drop-in (make), clang-19, libomp-19-dev, llvm-19-tools and python3-psutil.
# It is no part of `make test` because of the package's size and the time.
set -eu
here=$PWD
cd "$(dirname "$0")/.."
source='' version=19
if [ "${1:-}" = --source ]; then
    [ $# -ge 2 ] || { echo "ghc-openmp: tools/llvm-suite.sh: --source needs a folder" >&2; exit 1; }
    case $2 in /*) source=$2 ;; *) source=$here/$2 ;; esac
    shift 2
fi
[ -n "$source" ] || source=$(tools/debian-source.sh llvm-toolchain-$version "${BUILD:-build}/suites")
# Debian's python: another one lacks Debian's module psutil.
exec /usr/bin/python3 test/suites/llvm/suite.py --source "$source" --version $version "$@"
