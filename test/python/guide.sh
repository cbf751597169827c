#!/bin/sh
# limit: 300
# docs/guide/python.md: its commands print what the page says, under the launcher and by preload, with threads of both
# hosts. A pool that is forked after a region is among them: it must end.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
build=$(realpath "${BUILD:-build}")
# Debian's packages are those of its own interpreter.
for file in sklearn/__init__.py threadpoolctl.py; do
    [ -e "/usr/lib/python3/dist-packages/$file" ] || { echo "skipped: needs python3-${file%%[/.]*}"; exit 77; }
done
command -v Rscript >/dev/null && Rscript -e 'library(data.table)' >/dev/null 2>&1 ||
    { echo "skipped: needs r-base-core and r-cran-data.table"; exit 77; }
[ -x "$build/bin/ghcomp" ] || { echo "skipped: the launcher is not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp examples/python/* "$work"
cd "$work"
PATH=$build/bin:/usr/bin:$PATH
export PATH

# said NAME COMMAND...: the command prints examples/python/NAME.out.
said() {
    name=$1
    shift
    "$@" >said 2>err || { echo "$*: exit status $?"; cat said err; exit 1; }
    diff "$root/examples/python/$name.out" said || { echo "$*: prints something else"; cat err; exit 1; }
}

said run sh -eu run.sh
# A sampled run has one of the hosts.
. "$root/test/sample.sh"
sample_group 2
for host in posix ghc; do
    sampled || continue
    if [ $host = ghc ] && [ ! -e "$build/dropin/libghcomp_rts.so" ]; then continue; fi
    export GHCOMP_HOST=$host DROPIN="$build/dropin"
    said run sh -eu preload.sh
done
unset GHCOMP_HOST DROPIN

# A library as a wheel has it: it asks for a libgomp under another name, from a folder beside it. It is linked to a
# stand-in of that name, in whose place the machine's libgomp is put.
hashed=libgomp-a34b3233.so.1.0.0
mkdir libs
gcc -O2 -fopenmp -fPIC -c part.c
for name in GOMP_parallel GOMP_barrier GOMP_atomic_start GOMP_atomic_end omp_get_thread_num omp_get_num_threads; do
    echo "void $name(void) {}"
done >stub.c
gcc -shared -fPIC stub.c -o libs/$hashed -Wl,-soname,$hashed
# shellcheck disable=SC2016  # for the loader
gcc -shared part.o libs/$hashed -o part.so '-Wl,-rpath,$ORIGIN/libs'
cp "$(gcc -print-file-name=libgomp.so.1)" libs/$hashed
said bundled env OMP_NUM_THREADS=2 ghcomp run python3 bundled.py
ghcomp doctor ./part.so >doctor 2>&1 || { cat doctor; exit 1; }
grep -q "note: .*$hashed" doctor || { echo "doctor says nothing of $hashed:"; cat doctor; exit 1; }
