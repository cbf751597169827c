/* Cancelled regions, loops and sections: the members leave each construct early, and the next one of its kind is
 * executed completely.
 *
 * symbols: __kmpc_cancel __kmpc_cancellationpoint __kmpc_cancel_barrier
 * env: OMP_CANCELLATION=true
 * ghcomp-only: LLVM 19's libomp hangs in it
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

enum { THREADS = 4, COUNT = 100000, TURNS = 50 };

static void regions(void)
{
    int reached = 0;
#pragma omp parallel num_threads(THREADS)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
        }
#pragma omp barrier
#pragma omp atomic
        reached++;
    }
    CHECK(reached == 0);
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp barrier
#pragma omp atomic
        reached++;
#pragma omp cancellation point parallel
    }
    CHECK(reached == THREADS);
}

#define LOOPS(name, clause)                                            \
    static void name(void)                                             \
    {                                                                  \
        long executed = 0, whole = 0;                                  \
        _Pragma("omp parallel num_threads(THREADS)")                   \
        {                                                              \
            _Pragma(clause) for (int i = 0; i < COUNT; i++)            \
            {                                                          \
                _Pragma("omp cancellation point for")                  \
                _Pragma("omp atomic") executed++;                      \
                if (i >= 0) {                                          \
                    _Pragma("omp cancel for")                          \
                }                                                      \
            }                                                          \
            _Pragma("omp for") for (int i = 0; i < COUNT; i++)         \
            {                                                          \
                _Pragma("omp atomic") whole++;                         \
                _Pragma("omp cancellation point for")                  \
            }                                                          \
        }                                                              \
        CHECK(executed >= 1 && executed <= THREADS && whole == COUNT); \
    }

LOOPS(fixed, "omp for schedule(static)")
LOOPS(dynamic, "omp for schedule(dynamic, 4)")
LOOPS(guided, "omp for schedule(guided)")

static void sections(void)
{
    int executed = 0, behind = 0, whole = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp atomic
                executed++;
#pragma omp cancel sections
#pragma omp atomic
                behind++;
            }
#pragma omp section
            {
#pragma omp cancellation point sections
            }
        }
#pragma omp sections
        {
#pragma omp section
#pragma omp atomic
            whole++;
#pragma omp section
#pragma omp atomic
            whole++;
        }
    }
    CHECK(executed == 1 && behind == 0 && whole == 2);
}

int main(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        regions();
        fixed();
        dynamic();
        guided();
        sections();
    }
    return 0;
}
