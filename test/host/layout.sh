#!/bin/sh
# The layout of the RTS's memory in the runtime, with headers (host_ghc.c) and without (rts_layout.h): the same places,
# and the collector's threads follow the regions in both kinds of program before GHC 9.4, and in none from then on.
# shellcheck source=test/host/common.sh
. "$(dirname "$0")/common.sh"
needs_ghc
archive=$build/plain/libghcomp.a
[ -e "$archive" ] || { echo "build $archive first (make check does)"; exit 1; }

# 1. The row of this GHC, if there is one, is what its headers say.
cat >"$work/row.c" <<'END'
#include "Rts.h"
#undef BLOCK_SIZE
#undef MBLOCK_SIZE
#undef BLOCKS_PER_MBLOCK
#include "DerivedConstants.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "host/rts_layout.h"

static const struct ghcomp_rts_layout rows[] = GHCOMP_RTS_LAYOUTS;

static int wrong(const char *what, size_t row, size_t headers)
{
    if (row != headers)
        printf("%s is %zu, not %zu\n", what, headers, row);
    return row != headers;
}

int check_row(const char *version)
{
    const struct ghcomp_rts_layout *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(version, rows[i].version, strlen(rows[i].version)) == 0)
            row = &rows[i];
    if (row == NULL)
        return __GLASGOW_HASKELL__ < 904; /* later ones go without */
    int bad = wrong("interrupt_offset", row->interrupt_offset, OFFSET_Capability_interrupt);
    if (row->flags_size == 0)
        return bad || __GLASGOW_HASKELL__ < 904;
    return bad + wrong("flags_size", row->flags_size, sizeof(RTS_FLAGS)) +
           wrong("first_capabilities", row->first_capabilities, offsetof(RTS_FLAGS, ParFlags.nCapabilities)) +
           wrong("collector_threads", row->collector_threads, offsetof(RTS_FLAGS, ParFlags.parGcThreads));
}
END
cat >"$work/Row.hs" <<'END'
module Main (main) where
import Foreign.C.String (CString, withCString)
import Foreign.C.Types (CInt (..))
import System.Environment (getArgs)
import System.Exit (exitFailure)
foreign import ccall "check_row" checkRow :: CString -> IO CInt
main :: IO ()
main = do
  [version] <- getArgs
  bad <- withCString version checkRow
  if bad == 0 then pure () else exitFailure
END
(cd "$work" && ghc -v0 -I"$root/cbits" Row.hs row.c -o row)
run "$work/row" "$ghc_version"
ended 0

# 2. The number of the collector's threads in a region, and after it when the workers sleep, which is some milliseconds
# later. The first region chooses the host.
cat >"$work/flags.c" <<'END'
#include "Rts.h"

unsigned collector(void);

unsigned collector(void)
{
    return RtsFlags.ParFlags.parGcThreads;
}
END
cat >"$work/region.c" <<'END'
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

void region(unsigned (*collector)(void))
{
    unsigned before = collector(), inside = 99, threads = (unsigned)omp_get_num_procs() + 1;
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(threads)
#pragma omp master
        inside = collector();
    }
    while (collector() != before)
        usleep(1000);
    printf("collector: %u, then %u\n", inside, collector());
    fflush(stdout);
}
END
cat >"$work/Main.hs" <<'END'
module Main (main) where
import Foreign.C.Types (CUInt)
import Foreign.Ptr (FunPtr)
foreign import ccall safe "region" region :: FunPtr (IO CUInt) -> IO ()
foreign import ccall "&collector" collector :: FunPtr (IO CUInt)
main :: IO ()
main = region collector
END
cd "$work"
ghc -v0 -optc-std=gnu11 -optc-D_GNU_SOURCE -optc-fvisibility=hidden -I"$root/cbits" -c "$root/cbits/host/host_ghc.c" \
    -o host_ghc.o
compile -shared -fPIC region.c -o libregion.so
compile -c region.c -o region.o
ghc -v0 -dynamic -fPIC -c flags.c -o flags_dyn.o
ghc -v0 -c flags.c -o flags.o
ghc -v0 -dynamic -threaded -rtsopts -outputdir dynamic.o Main.hs flags_dyn.o -L. -lregion -optl-Wl,-rpath,"$work" \
    -o dynamic
ghc -v0 -threaded -rtsopts -outputdir linked.o Main.hs flags.o region.o host_ghc.o "$archive" \
    -optl-Wl,--export-dynamic-symbol=ghcomp_host_table -optl-Wl,-u,ghcomp_link_anchor -o linked
case $ghc_version in 9.0.* | 9.2.*) adapts=yes ;; *) adapts=no ;; esac
for program in dynamic linked; do
    run "./$program" +RTS -N2
    ended 0
    quiet
    if [ $adapts = yes ]; then printed 'collector: 1, then 0'; else printed 'collector: 0, then 0'; fi
    run "./$program" +RTS -N4 -qn3
    if [ $adapts = yes ]; then printed 'collector: 1, then 3'; else printed 'collector: 3, then 3'; fi
    GHCOMP_COLLECTOR_THREADS=keep run "./$program" +RTS -N2
    printed 'collector: 0, then 0'
done

# 3. Where the place cannot be checked the collector is left alone.
cat >unknown.c <<'END'
int dladdr1(const void *address, void *info, void **extra, int flags)
{
    (void)address, (void)info, (void)extra, (void)flags;
    return 0;
}
END
gcc -shared -fPIC unknown.c -o unknown.so
LD_PRELOAD=$work/unknown.so run ./dynamic +RTS -N2
ended 0
quiet
printed 'collector: 0, then 0'
