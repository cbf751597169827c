#!/bin/sh
# The runtime's events in the eventlog of a Haskell program that does not link it: the RTS is a shared library, whose
# clock and writer are found by name.
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"
needs_ghc

cat >"$work/region.c" <<'END'
void region(int threads)
{
#pragma omp parallel num_threads(threads)
    {
#pragma omp barrier
    }
}
END
compile -shared -fPIC "$work/region.c" -o "$work/libregion.so"
cat >"$work/Main.hs" <<'END'
module Main (main) where
import Control.Monad (replicateM_)
import Foreign.C.Types (CInt (..))
import System.Mem (performMajorGC)
foreign import ccall safe "region" region :: CInt -> IO ()
main :: IO ()
main = replicateM_ 20 (performMajorGC >> region 3) >> performMajorGC
END
ghc -v0 -dynamic -threaded -eventlog -rtsopts -outputdir "$work/o" "$work/Main.hs" -L"$work" -lregion \
    -optl-Wl,-rpath,"$work" -o "$work/program" 2>"$work/ghc.err" || { cat "$work/ghc.err"; exit 1; }

# logged TEXT FILE: runs the program with a log in that file, and reads it.
logged() {
    run "$work/program" +RTS -N2 -V0 -l "-ol$work/$2"
    ended 0
    quiet
    python3 "$here/eventlog.py" "$work/$2" >"$work/out" 2>"$work/err" || fail 'the log is broken'
    printed "$1"
}
logged 'regions 20, threads 3, turns 20' log.eventlog
GHCOMP_TRACE=off logged 'regions 0, threads 0, turns 0' log.eventlog
# A file not named like a log is not taken for one, because the RTS's options cannot be read here.
logged 'regions 0, threads 0, turns 0' log
