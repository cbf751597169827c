#!/bin/sh
# The variant of _openmp_mutex: one name, which leads to the runtime of the package ghc-openmp.
set -eu
mkdir -p "$PREFIX/lib"
ln -s ghc-openmp/libgomp.so.1 "$PREFIX/lib/libgomp.so.1"
