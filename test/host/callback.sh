#!/bin/sh
# Callback objects are made by the Haskell library in the program and used by C code whose ghcomp_callback_* come from
# the drop-in: a shared library with OpenMP in it. The objects hold all that the drop-in needs to enter Haskell.
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"
needs_ghc
archive=$build/plain/libghcomp.a
[ -e "$archive" ] || { echo "build $archive first (make check does)"; exit 1; }

cat >"$work/visit.c" <<'END_C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ghcomp.h"

/* The drop-in's function, by its own handle: the program could have one of the same name. */
static void *of_the_dropin(const char *name)
{
    void *dropin = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *found = dropin != NULL ? dlsym(dropin, name) : NULL;
    Dl_info info;
    if (found == NULL || !dladdr(found, &info) || strstr(info.dli_fname, "libgomp.so.1") == NULL) {
        printf("%s is not the drop-in's\n", name);
        exit(2);
    }
    return found;
}

int visit(ghcomp_callback *callback, int threads, int n)
{
    int (*range)(ghcomp_callback *, intptr_t, intptr_t) = of_the_dropin("ghcomp_callback_range");
    int failed = 0;
#pragma omp parallel num_threads(threads) reduction(+ : failed)
    {
        int thread = omp_get_thread_num();
        failed += range(callback, n * thread / threads, n * (thread + 1) / threads);
    }
    return failed;
}

int wrong_shape(void *callback)
{
    int (*map)(void *, const double *, double *, size_t) = of_the_dropin("ghcomp_callback_map");
    double x = 1;
    return map(callback, &x, &x, 1);
}
END_C
cat >"$work/Main.hs" <<'END_HS'
module Main (main) where
import Control.Concurrent.MVar
import Control.Exception
import Control.Monad
import Foreign.C.Types
import Foreign.Ptr
import System.Environment
import OpenMP.Callback
foreign import ccall safe "visit" visit :: Ptr CCallback -> CInt -> CInt -> IO CInt
foreign import ccall safe "wrong_shape" wrongShape :: Ptr CCallback -> IO CInt
main :: IO ()
main = do
  total <- newMVar 0
  failed <- withCallback (\i -> modifyMVar_ total (pure . (+ i))) $ \callback -> visit (callbackPtr callback) 4 1000
  sums <- readMVar total
  putStrLn (show failed ++ " failed, " ++ show sums)
  outcome <- try $ withCallback (\i -> when (i == 600) (throwIO Overflow)) $ \callback ->
    visit (callbackPtr callback) 4 1000 >>= print . (> 0)
  print (outcome :: Either ArithException ())
  args <- getArgs
  when (args == ["wrong"]) $ void (withCallback print (wrongShape . callbackPtr))
END_HS
cd "$root"
ghc -v0 -optc-std=gnu11 -optc-D_GNU_SOURCE -Icbits -Icbits/include -outputdir "$work/table" \
    -c cbits/host/host_ghc.c cbits/haskell/callback.c cbits/haskell/enter.c cbits/haskell/capability_claim.c
compile -shared -fPIC "$work/visit.c" -o "$work/libvisit.so"
ghc -v0 -threaded -rtsopts -isrc -outputdir "$work/program.o" "$work/Main.hs" \
    "$work"/table/cbits/host/*.o "$work"/table/cbits/haskell/*.o "$archive" \
    -optl-Wl,-u,ghcomp_host_table -optl-Wl,--export-dynamic-symbol=ghcomp_host_table \
    -L"$work" -lvisit -optl-Wl,-rpath,"$work" -o "$work/program"
run "$work/program" +RTS -N2
ended 0
quiet
printed '0 failed, 499500'
printed 'True'
printed 'Left arithmetic overflow'
run "$work/program" wrong +RTS -N2
ended 1
told 'ghc-openmp: ghcomp_callback_map: the callback has another shape'
