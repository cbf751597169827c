/* Task reductions outside any region: the initial thread is the team.
   symbols: GOMP_taskgroup_reduction_register GOMP_taskgroup_reduction_unregister GOMP_taskloop_ull */
#include "orphaned.h"

int main(void)
{
    for (int pass = 0; pass < 20; pass++)
        orphaned();
    return 0;
}
