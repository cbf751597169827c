#!/bin/sh
# docs/guide/mpi.md: the Haskell program, built as the page says; test/mpi/stencil.py says what it must do.
. "$(dirname "$0")/common.sh"
command -v mpicc >/dev/null || skip "needs Open MPI (libopenmpi-dev)"

CPATH=$(mpicc --showme:incdirs | tr ' ' ':')
LIBRARY_PATH=$(mpicc --showme:libdirs | tr ' ' ':')
export CPATH LIBRARY_PATH
case " $(mpicc --showme:libs) " in
*" open_mpi "*) build mpi-stencil --constraint='mpi-stencil +open-mpi-library' ;;
*) build mpi-stencil ;;
esac
exec python3 test/mpi/stencil.py haskell "$program"
