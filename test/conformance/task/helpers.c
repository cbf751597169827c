/* Members that are at a barrier or at the end of their region help with tasks that are made later.
   limit: 60
   symbols: GOMP_task GOMP_barrier GOMP_parallel GOMP_taskwait GOMP_taskgroup_end */
#include "helpers.h"

int main(void)
{
    for (int threads = 2; threads <= 8; threads++)
        helpers(threads, 20);
    return 0;
}
