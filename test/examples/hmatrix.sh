#!/bin/sh
# docs/guide/examples/hmatrix.md
. "$(dirname "$0")/common.sh"

has_package hmatrix || skip "needs the Haskell package hmatrix (libghc-hmatrix-dev)"
folder=$(echo /usr/lib/*/openblas-openmp)
[ -e "$folder/libblas.so.3" ] || skip "needs OpenBLAS with OpenMP (libopenblas0-openmp)"
LD_LIBRARY_PATH=$folder
export LD_LIBRARY_PATH
# OpenBLAS 0.3.34 never takes more threads than the environment gave it at the start.
example hmatrix 3 4 5

# The counts show whose the threads are: the reference BLAS has none, so that the runtime makes no worker.
netlib=$(dirname "$folder")
[ -e "$netlib/blas/libblas.so.3" ] && [ -e "$netlib/lapack/liblapack.so.3" ] || exit 0
LD_LIBRARY_PATH=$netlib/blas:$netlib/lapack OMP_NUM_THREADS=3 "$program" >"$build/hmatrix.netlib"
grep -qx 'BLAS: another BLAS' "$build/hmatrix.netlib"
grep -qx 'workers of ghc-openmp: 0, after a product in a team of 3: 0' "$build/hmatrix.netlib"
