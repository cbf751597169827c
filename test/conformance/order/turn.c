/* gcc's code: the turn of a chunk of an ordered loop passes when its thread asks for the next chunk, so that what
   follows the ordered region in the chunk's last iteration is over before the next region begins. */
#include <omp.h>
#include <sched.h>

#include "../common.h"

enum { THREADS = 3, COUNT = 300 };

int main(void)
{
    int inside = 0, next = 0;
    omp_set_dynamic(0);
#pragma omp parallel for ordered schedule(static, 1) num_threads(THREADS)
    for (int i = 0; i < COUNT; i++) {
#pragma omp ordered
        {
            CHECK(inside == 0 && next == i);
            next++;
            inside = 1;
        }
        sched_yield();
        inside = 0;
    }
    CHECK(next == COUNT);
    return 0;
}
