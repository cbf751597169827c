#!/bin/sh
# scikit-learn, LightGBM and XGBoost as pip installs them, all but LightGBM with a libgomp of their own, on the runtime:
# they print what docs/guide/python.md says, in one process and in a pool that is forked afterwards, under the launcher,
# by preload, and by the wheel's runner, whose report names the runtime that serves them. On libgomp that pool must not
# end: otherwise it would show nothing.
#
#   sh tools/python-wheels.sh [FOLDER]     the virtual environment is made there; build/python-wheels by default
#
# It needs python3-venv and pip's index, so that it is no part of `make test`; test/python has what Debian's packages
# can show. Exit status 0: every program ended and printed what it should.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/${BUILD:-build}
folder=${1:-$build/python-wheels}
die() { echo "ghc-openmp: tools/python-wheels.sh: $1" >&2; exit 1; }
[ -x "$build/bin/ghcomp" ] || die 'run make first'
[ -x "$folder/bin/pip" ] || /usr/bin/python3 -m venv "$folder"
"$folder/bin/pip" install --quiet scikit-learn lightgbm xgboost threadpoolctl
folder=$(cd "$folder" && pwd)
PATH=$build/bin:$folder/bin:$PATH
export PATH OMP_NUM_THREADS=2
cd "$root/examples/python"

# said WHAT COMMAND...: the command prints what the page says.
said() {
    what=$1
    shift
    "$@" >"$folder/said" 2>"$folder/err" || { cat "$folder/err" >&2; die "$what: a program failed"; }
    diff wheels.out "$folder/said" || die "$what: it prints something else"
    echo "$what: as the page says"
}
for host in posix ghc; do
    GHCOMP_HOST=$host said "threads on $host" sh -eu wheels.sh
done
said 'by preload' env LD_PRELOAD="$build/dropin/libgomp.so.1" \
    sh -euc 'python3 learn.py && python3 boosted.py && python3 xgboosted.py && python3 pools.py'

make -s -C "$root" wheel BUILD="${BUILD:-build}" WHEEL="$folder/made" >/dev/null
"$folder/bin/pip" install --quiet --no-index --no-deps --force-reinstall "$folder"/made/*.whl
said 'by the runner of the wheel' sh -euc '
    for program in learn boosted xgboosted pools; do python3 -m ghc_openmp $program.py; done'
for program in learn boosted xgboosted; do
    python3 -m ghc_openmp --report $program.py 2>"$folder/report" >/dev/null
    grep -q "^ghc-openmp .*: serves" "$folder/report" ||
        { cat "$folder/report" >&2; die "$program.py: another runtime serves it"; }
    echo "$program.py: $(grep -c '^  .*: ghc-openmp$' "$folder/report") libraries on ghc-openmp," \
        "$(grep -c ': idle, ' "$folder/report" || true) idle copies"
done

for program in learn boosted xgboosted; do
    status=0
    timeout 60 python3 $program.py >"$folder/said" 2>"$folder/err" || status=$?
    { [ $status = 124 ] && [ "$(cat "$folder/said")" = 'in this process: 1.0' ]; } ||
        die "$program.py on libgomp has status $status, and the page says that it never ends"
    echo "$program.py on libgomp: its forked pool does not end in a minute"
done
for object in "$folder"/lib/python3*/site-packages/sklearn/_loss/_loss.*.so \
    "$folder"/lib/python3*/site-packages/xgboost/lib/libxgboost.so; do
    ghcomp doctor "$object" | sed "s|$folder/[^ ]*/||g"
done
