/* Where the runtime system of the GHC at hand keeps what generated code and the collector look at. */
#include "Rts.h"
/* Rts.h defines macros with names that the next header uses, too. */
#undef BLOCK_SIZE
#undef MBLOCK_SIZE
#undef BLOCKS_PER_MBLOCK
#include "DerivedConstants.h"

#include <stdio.h>

void layout(void)
{
    printf("Capability: registers at %d, its number at %d, interrupt at %d\n", OFFSET_Capability_r,
           OFFSET_Capability_no, OFFSET_Capability_interrupt);
    printf("registers: current thread at %d, current block of the nursery at %d\n", OFFSET_StgRegTable_rCurrentTSO,
           OFFSET_StgRegTable_rCurrentNursery);
    printf("thread (TSO): its stack at %d, the next in its queue at %d, queue of exceptions at %d\n",
           OFFSET_StgTSO_stackobj, OFFSET_StgTSO__link, OFFSET_StgTSO_blocked_exceptions);
    printf("block of the nursery: %d bytes\n", BLOCK_SIZE);
}
