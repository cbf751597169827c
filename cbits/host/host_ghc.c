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

#include "host/host.h"
#define GHCOMP_HAVE_RTS_H
#include "host/host_rts_table.h"

extern const struct ghcomp_host ghcomp_host_table;
__attribute__((visibility("default"))) const struct ghcomp_host ghcomp_host_table =
    GHCOMP_RTS_TABLE("linked", __GLASGOW_HASKELL_FULL_VERSION__);

const char ghcomp_host_default[] = "auto";
const struct ghcomp_host *const ghcomp_host_linked = &ghcomp_host_table;
