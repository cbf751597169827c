#!/bin/sh
# Runs scikit-learn and LightGBM as pip installs them, scikit-learn with a libgomp of its own, on the runtime: fits in
# one process, and in a pool that is forked afterwards (docs/guide-python.md).
#
#   sh tools/python-wheels.sh [FOLDER]     the virtual environment is made there; build/python-wheels by default
#
# It needs python3-venv and pip's index, so that it is no part of `make test`; test/python has what Debian's packages
# can show. Exit status 0: every program ended and printed what it should.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/${BUILD:-build}
folder=${1:-$build/python-wheels}
ghcomp=$build/bin/ghcomp
[ -x "$ghcomp" ] || { echo "ghc-openmp: tools/python-wheels.sh: run make first" >&2; exit 1; }
[ -x "$folder/bin/pip" ] || /usr/bin/python3 -m venv "$folder"
"$folder/bin/pip" install --quiet scikit-learn lightgbm threadpoolctl

export OMP_NUM_THREADS=2
for program in learn boosted; do
    for host in posix ghc; do
        said=$("$ghcomp" run --host $host "$folder/bin/python3" "$root/examples/python/$program.py")
        [ "$said" = "in this process: 1.0
in forked ones: 1.0 1.0" ] || { echo "$program on $host prints: $said" >&2; exit 1; }
        echo "$program.py, threads on $host: fits, and fits in a forked pool"
    done
done
"$ghcomp" run "$folder/bin/python3" "$root/examples/python/pools.py"
for object in "$folder"/lib/python3*/site-packages/sklearn/_loss/_loss.*.so; do
    "$ghcomp" doctor "$object" | sed 's|^.*/||'
done
