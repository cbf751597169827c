/* The RTS's own collections, which come when a program has been idle for 0.3 s. */
#include "Rts.h"

/* Switches them on or off; returns whether they were on. Like every collection, one of them waits for a Capability that
   is in a long unsafe call, and stops the whole program meanwhile. */
HsBool idle_collections(HsBool on)
{
    HsBool were = RtsFlags.GcFlags.doIdleGC;
    RtsFlags.GcFlags.doIdleGC = on != 0;
    return were;
}
