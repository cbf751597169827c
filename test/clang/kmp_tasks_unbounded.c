/* KMP_ENABLE_TASK_THROTTLING=0: no task runs before the thread that makes them all has made the last one, however many
 * there are, ready ones and such with dependences.
 *
 * env: KMP_ENABLE_TASK_THROTTLING=0 OMP_NUM_THREADS=2
 * ghcomp-only: in libomp the queue's growth races with the other thread's steals
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

enum { COUNT = 20000 };

int main(void)
{
    int made = 0, early = 0, ran = 0, chain = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            /* Each blocks its thread until all are made, so that the other thread takes one at most. */
            for (int i = 0; i < COUNT; i++) {
#pragma omp task shared(made, early, ran)
                {
                    int now;
                    if (omp_get_thread_num() == 0) {
#pragma omp atomic read
                        now = made;
                        if (now < COUNT)
                            early = 1;
                    }
                    do {
#pragma omp atomic read
                        now = made;
                    } while (now < COUNT && early == 0);
#pragma omp atomic
                    ran++;
                }
#pragma omp atomic
                made++;
            }
        }
    }
    CHECK(early == 0 && ran == COUNT);
    /* Dependent ones, too. */
    made = ran = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task depend(out : chain) shared(made)
        {
            int now;
            do {
#pragma omp atomic read
                now = made;
            } while (now < COUNT && omp_get_thread_num() != 0);
        }
        for (int i = 0; i < COUNT; i++) {
#pragma omp task depend(inout : chain) shared(ran)
            ran++;
#pragma omp atomic
            made++;
        }
    }
    CHECK(ran == COUNT);
    return 0;
}
