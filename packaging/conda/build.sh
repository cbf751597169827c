#!/bin/sh
# The package ghc-openmp: conda-build runs this in the source tree.
set -eu
make -j"${CPU_COUNT:-1}" dropin
make install-dropin PREFIX="$PREFIX"
