/* The word of the observers. Each bit has one module that adds and removes it, under a lock of that module or while
 * there is one thread; different bits may change at the same time, so changes are read-modify-writes. An observer sets
 * up what its hooks need, then adds its bit (or_acqrel pairs with the hook's acquire of what was set up); what hooks
 * use is never freed, since a thread may run a hook for a moment after the bit has gone.
 *
 * Called by trace.c, races.c, tool.c and task_graph_record.c; read everywhere. Covered by test/unit/trace.c and
 * test/tsan.
 */
#include "core/observe/observers.h"

_Atomic uint32_t ghcomp_observers GHCOMP_ALIGNED_PAIR;

void ghcomp_observers_add(uint32_t observers)
{
    ghcomp_or_acqrel(&ghcomp_observers, observers);
}

void ghcomp_observers_remove(uint32_t observers)
{
    ghcomp_and_acqrel(&ghcomp_observers, ~observers);
}
