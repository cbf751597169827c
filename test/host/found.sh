#!/bin/sh
# Programs that have an RTS of their own: a -dynamic Haskell program, a Haskell library in a C program, and a static
# Haskell program without our package, whose RTS is visible only by its threads.
# timing-part: how often a callback runs on its worker's home Capability
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"
needs_ghc

# A library with OpenMP in it, such as OpenBLAS: it brings libgomp.so.1, which is ours at run time.
cat >"$work/region.c" <<'END'
#include "probe.h"
void region(int threads)
{
    probe("region", threads, NULL);
}
void region_calling(int threads, int (*enter)(int))
{
    probe("calling", threads, enter);
}
END
compile -shared -fPIC "$work/region.c" -o "$work/libregion.so"

# `call` is entered by every thread of a team and says which Capability it runs on; -1 when it is not bound.
cat >"$work/Main.hs" <<'END'
module Main (main) where
import Control.Concurrent (myThreadId, threadCapability, getNumCapabilities, isCurrentThreadBound, runInBoundThread)
import Control.Monad (forM_)
import Foreign.C.Types (CInt (..))
import Foreign.Ptr (FunPtr)
import System.IO (hFlush, stdout)

foreign import ccall safe "region" region :: CInt -> IO ()
foreign import ccall safe "region_calling" regionCalling :: CInt -> FunPtr (CInt -> IO CInt) -> IO ()
foreign import ccall "wrapper" wrap :: (CInt -> IO CInt) -> IO (FunPtr (CInt -> IO CInt))

call :: CInt -> IO CInt
call _ = do
  bound <- isCurrentThreadBound
  (capability, _) <- myThreadId >>= threadCapability
  pure (if bound then fromIntegral capability else -1)

main :: IO ()
main = do
  n <- getNumCapabilities
  putStrLn ("capabilities " ++ show n)
  hFlush stdout
  region 5
  f <- wrap call
  forM_ [1 .. 50 :: Int] $ \_ -> runInBoundThread (regionCalling 5 f)
  putStrLn "haskell ends"
END

build_haskell() { # NAME, options
    name=$1
    shift
    ghc -v0 -outputdir "$work/$name.o" "$@" "$work/Main.hs" -L"$work" -lregion -optl-Wl,-rpath,"$work" -o "$work/$name"
}

# 1. -dynamic: the RTS's functions are in the global scope. A callback enters by its worker's home Capability; the RTS
#    may move it when two meet there, which is rare where all threads have a CPU.
build_haskell dynamic -dynamic -threaded -rtsopts
for host in '' auto ghc; do
    GHCOMP_HOST=$host run "$work/dynamic" +RTS -N3
    ended 0
    quiet
    printed 'capabilities 3'
    printed "region: ghc/loaded/$ghc_version 3: -1 1 2 0 1"
    printed 'haskell ends'
    calling="^calling: ghc/loaded/$ghc_version 3: -1"
    [ "$(grep -Ec "$calling( [0-2]){4} \\|( [0-2]){5}\$" "$work/out")" -eq 50 ] || fail '50 regions called back'
    # Workers 1 and 4 share a home, 2 and 3 have one each. By chance alone six lines of fifty would fit; beside other
    # processes the RTS moves more of them.
    [ -z "${TEST_TIMING:-}" ] || [ "$(grep -Ec "$calling 1 2 0 1 \\| [0-2] [0-2] 2 0 [0-2]\$" "$work/out")" -ge 20 ] ||
        fail 'a callback should run on the home Capability of its worker'
done
GHCOMP_HOST=posix run "$work/dynamic" +RTS -N3
ended 0
quiet
printed 'region: posix/posix/ 0: -1 -1 -1 -1 -1'

# 2. The non-threaded RTS cannot be entered by other threads: POSIX, said only when GHC was asked for.
cat >"$work/single.hs" <<'END'
module Main (main) where
import Foreign.C.Types (CInt (..))
foreign import ccall safe "region" region :: CInt -> IO ()
main :: IO ()
main = region 3
END
ghc -v0 -dynamic -outputdir "$work/single.o" "$work/single.hs" -L"$work" -lregion -optl-Wl,-rpath,"$work" \
    -o "$work/single"
run "$work/single"
ended 0
quiet
printed 'region: posix/posix/ 0: -1 -1 -1'
GHCOMP_HOST=ghc run "$work/single"
ended 0
told 'is the non-threaded one'
printed 'region: posix/posix/ 0: -1 -1 -1'

# 3. A static Haskell program without our package: no table, no symbols, but its threads reveal it. No second RTS.
build_haskell static -threaded -rtsopts
run "$work/static" +RTS -N2
ended 0
quiet
printed 'region: posix/posix/ 0: -1 -1 -1 -1 -1'
for timer in -V0.01 -V0; do
    GHCOMP_HOST=ghc run "$work/static" +RTS -N2 $timer
    ended 0
    if [ -e "$dropin/libghcomp_rts.so" ]; then
        told 'it already has a GHC runtime, which is linked statically'
    fi
    printed 'region: posix/posix/ 0: -1 -1 -1 -1 -1'
    printed 'haskell ends'
done

# 4. A C program that loads a Haskell library with RTLD_LOCAL after its first region: looked at again when workers are
#    made, and not used before hs_init has run.
cat >"$work/Plugin.hs" <<'END'
module Plugin where
import Control.Concurrent (myThreadId, threadCapability)
import Foreign.C.Types (CInt (..))
foreign export ccall plugin_call :: CInt -> IO CInt
plugin_call :: CInt -> IO CInt
plugin_call _ = do
  (capability, _) <- myThreadId >>= threadCapability
  pure (fromIntegral capability)
END
ghc -v0 -dynamic -shared -fPIC -threaded -flink-rts -outputdir "$work/plugin.o" "$work/Plugin.hs" \
    -o "$work/libplugin.so"
cat >"$work/loader.c" <<'END'
#include "probe.h"
static void *take(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL)
        exit(3);
    return found;
}
int main(int argc, char **argv)
{
    probe("before", 3, NULL);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        puts(dlerror());
        return 4;
    }
    if (argc > 2)
        probe("loaded", 4, NULL);
    char name[] = "loader", rts[] = "+RTS", n[] = "-N2", end[] = "-RTS", *list[] = {name, rts, n, end, NULL};
    char **hs_argv = list;
    int hs_argc = 4;
    ((void (*)(int *, char ***))take(library, "hs_init"))(&hs_argc, &hs_argv);
    probe("started", 6, (int (*)(int))take(library, "plugin_call"));
    ((void (*)(void))take(library, "hs_exit"))();
    return 9;
}
END
compile "$work/loader.c" -o "$work/loader"
for idle in '' idle; do
    # shellcheck disable=SC2086 # empty or one word
    run "$work/loader" "$work/libplugin.so" $idle
    ended 9
    quiet
    printed 'before: posix/posix/ 0: -1 -1 -1'
    # Workers 1 to 3 (1 and 2 without the idle region) are older than the RTS: they have no home.
    if [ -z "$idle" ]; then
        printed "started: ghc/loaded/$ghc_version [12]: -1 -1 -1 [01] [01] [01] \\|( [01]){6}"
    else
        printed 'loaded: posix/posix/ 0: -1 -1 -1 -1'
        printed "started: ghc/loaded/$ghc_version [12]: -1 -1 -1 -1 [01] [01] \\|( [01]){6}"
    fi
done
