/* GHC's RTS as the host, linked: part of the Haskell library, never of the shared objects that the Makefile builds.
 *
 * The table is exported under the name that the drop-in looks for (host_find.c). So if a library of the program loads
 * libgomp.so.1, the drop-in finds this RTS. Conditions on GHC's version belong in host_rts_table.h. Covered by
 * test/host/linked.sh.
 */
#include "Rts.h"
/* Rts.h defines macros with names that the next header uses, too. */
#undef BLOCK_SIZE
#undef MBLOCK_SIZE
#undef BLOCKS_PER_MBLOCK
#include "DerivedConstants.h"

#include <string.h>

#include "host/host.h"

/* At its end the RTS first calls OnExitHook. A static RTS's archive has an empty one, which the linker leaves out if
   the program has another. The runtime's is weak, so that the program's own takes precedence. An RTS that is a shared
   library uses its own hook. defaultRtsConfig shows which hook is in use. */
static _Atomic(void (*)(void)) at_end;
/* The function of the runtime that uses the table: this one, or a drop-in's. store_release, pairs with load_acquire of
   the hook. */
static _Atomic(void (*)(void)) watcher;

static void rts_ends(void)
{
    void (*ends)(void) = ghcomp_load_acquire(&watcher);
    if (ends != NULL)
        ends();
    void (*closing)(void) = ghcomp_load_acquire(&at_end);
    if (closing != NULL)
        closing();
}
void OnExitHook(void) __attribute__((weak, alias("rts_ends")));

static bool rts_log_at_end(void (*closing)(void))
{
    ghcomp_store_release(&at_end, closing);
    return defaultRtsConfig.onExitHook == rts_ends;
}
#define RTS_AT_END
#define GHCOMP_HAVE_RTS_H
#include "host/host_rts_table.h"

/* If the hook is not in use, as in a -dynamic program, makes a finalizer by base's functions, which such a program
   exports. */
static bool rts_watch_end(void (*ends)(void))
{
    ghcomp_store_release(&watcher, ends);
    if (defaultRtsConfig.onExitHook == rts_ends)
        return true;
    void *make = ghcomp_find_new_foreign_ptr();
    return make != NULL && rts_make_finalizer(make, ends);
}

extern const struct ghcomp_host ghcomp_host_table;
__attribute__((visibility("default"))) const struct ghcomp_host ghcomp_host_table =
    GHCOMP_RTS_TABLE("linked", __GLASGOW_HASKELL_FULL_VERSION__);

const char ghcomp_host_default[] = "auto";
const struct ghcomp_host *const ghcomp_host_linked = &ghcomp_host_table;

/* What GHC's own main runs; a program with a main of C has none. */
extern const char ZCMain_main_closure[] __attribute__((weak, visibility("default")));
const void *const ghcomp_host_haskell_main = ZCMain_main_closure;
