#!/bin/bash
# The commands of docs/guide/start.md and of the guides for C, Fortran and the tools, as their reader would give them:
# the runtime is installed into a new prefix, and each script of examples/guides prints what the .out beside it has.
# test/examples/docs.py says that the pages show these files. Without GHC the threads are POSIX threads; without
# gfortran, pkg-config or CMake their script is left out, and the output says so. It waits for site.py's build.
# limit: 480
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
export BUILD=${BUILD:-build}
HOME=$(mktemp -d)
export HOME
trap 'rm -rf "$HOME"' EXIT
mkdir -p "$BUILD/test"

[ -x "$BUILD/bin/ghcomp" ] || { echo "skipped: the launcher is not built, so nothing can be installed"; exit 77; }

# One test at a time may use cabal, which `make` calls.
exec 9>"$BUILD/test/docs.lock"
flock 9
. examples/guides/install.sh >"$HOME/log" 2>&1 || { cat "$HOME/log"; exit 1; }
flock -u 9

cp -r examples/guides "$HOME/guides"
cd "$HOME/guides"
bad=0
for script in *.sh; do
    name=${script%.sh}
    case $name in
    install) continue ;;
    guide-cmake) needs='cmake' ;;
    guide-c) needs='pkg-config' ;;
    guide-fortran) needs='gfortran' ;;
    *) needs='gcc' ;;
    esac
    if ! command -v $needs >/dev/null; then
        echo "left out: $script, since there is no $needs"
        continue
    fi
    if ! sh -eu "$script" >"$name.said" 2>"$name.err"; then
        echo "$script fails"
        cat "$name.said" "$name.err"
        bad=1
    elif ! diff "$root/examples/guides/$name.out" "$name.said"; then
        echo "$script prints something else (< examples/guides/$name.out)"
        bad=1
    fi
done
exit $bad
