#!/bin/sh
# Haskell programs that link the runtime: their own RTS is the host, by the table that host_ghc.c exports; a drop-in
# that comes with a library finds the same table.
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"
needs_ghc
archive=$build/plain/libghcomp.a
[ -e "$archive" ] || { echo "build $archive first (make check does)"; exit 1; }

cat >"$work/region.c" <<'END'
#include "probe.h"
void region(int threads, int (*enter)(int))
{
    probe("region", threads, enter);
}
END
cat >"$work/Main.hs" <<'END'
module Main (main) where
import Control.Concurrent (getNumCapabilities, myThreadId, setNumCapabilities, threadCapability)
import Foreign.C.Types (CInt (..))
import Foreign.Ptr (FunPtr)
foreign import ccall safe "region" region :: CInt -> FunPtr (CInt -> IO CInt) -> IO ()
foreign import ccall "wrapper" wrap :: (CInt -> IO CInt) -> IO (FunPtr (CInt -> IO CInt))
main :: IO ()
main = do
  f <- wrap (\_ -> fromIntegral . fst <$> (myThreadId >>= threadCapability))
  region 5 f
  setNumCapabilities 3
  n <- getNumCapabilities
  region (fromIntegral n + 2) f
END
cd "$root"
ghc -v0 -optc-std=gnu11 -optc-D_GNU_SOURCE -optc-fvisibility=hidden -Icbits -outputdir "$work/table" \
    -c cbits/host/host_ghc.c -o "$work/host_ghc.o"
export_table=-optl-Wl,--export-dynamic-symbol=ghcomp_host_table

# 1. The runtime in the program. The probe looks ghcomp_* up with dlsym, so those are exported as well.
exports=$(sed -n 's/.*\b\(ghcomp_[a-z_]*\)(void);.*/-optl-Wl,--export-dynamic-symbol=\1/p' cbits/include/ghcomp.h)
compile -c "$work/region.c" -o "$work/region.o"
link() { # NAME, options: a program with the runtime in it
    name=$1
    shift
    # shellcheck disable=SC2086 # a list of options
    ghc -v0 -rtsopts -outputdir "$work/$name.o" "$work/Main.hs" "$work/region.o" "$work/host_ghc.o" "$archive" \
        $exports \
        $export_table -optl-Wl,-u,ghcomp_link_anchor "$@" -o "$work/$name"
}
link inside -threaded
for host in '' ghc; do
    GHCOMP_HOST=$host run "$work/inside" +RTS -N2
    ended 0
    quiet
    printed "region: ghc/linked/$ghc_version 2: -1 1 0 1 0 \\|( [01]){5}"
    # Homes follow setNumCapabilities.
    printed "region: ghc/linked/$ghc_version 3: -1 1 2 0 1 \\|( [0-2]){5}"
done
GHCOMP_HOST=posix run "$work/inside" +RTS -N2
ended 0
quiet
printed 'region: posix/posix/ 0: -1 -1 -1 -1 -1 \| .*'

# 2. The table in the program, the runtime in the drop-in that comes with a library.
compile -shared -fPIC "$work/region.c" -o "$work/libregion.so"
ghc -v0 -threaded -rtsopts -outputdir "$work/outside.o" "$work/Main.hs" "$work/host_ghc.o" "$archive" \
    -optl-Wl,-u,ghcomp_host_table $export_table -L"$work" -lregion -optl-Wl,-rpath,"$work" -o "$work/outside"
run "$work/outside" +RTS -N2
ended 0
quiet
printed "region: ghc/linked/$ghc_version 2: -1 1 0 1 0 \\|( [01]){5}"
