/* GHC's RTS as the host, linked: part of the Haskell library, never of the shared objects that the Makefile builds.
 *
 * The table is exported under the name that the drop-in looks for (host_find.c), so that a library of the program that
 * loads libgomp.so.1 finds this RTS. All version guards of GHC are here and in boot.c; what the table needs is the same
 * from 9.0 to 9.12, so there are none yet. Covered by test/host/linked.sh.
 */
#include "Rts.h"
/* It has macros of names that are used here, too. */
#undef BLOCK_SIZE
#undef MBLOCK_SIZE
#undef BLOCKS_PER_MBLOCK
#include "DerivedConstants.h"

#include "host/capabilities.h"
#include "host/host.h"

/* The RTS calls this first of all when it ends. A static program's RTS has an empty one in its archive, which the
   linker leaves there when the program has one; ours is weak, for the program's own comes before it. Where the RTS is a
   shared library it uses its own, and defaultRtsConfig says so. */
static _Atomic(void (*)(void)) at_end;

static void rts_ends(void)
{
    ghcomp_capabilities_forget(); /* it frees them */
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

extern const struct ghcomp_host ghcomp_host_table;
__attribute__((visibility("default"))) const struct ghcomp_host ghcomp_host_table =
    GHCOMP_RTS_TABLE("linked", __GLASGOW_HASKELL_FULL_VERSION__);

const char ghcomp_host_default[] = "auto";
const struct ghcomp_host *const ghcomp_host_linked = &ghcomp_host_table;
