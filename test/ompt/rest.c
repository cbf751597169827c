/* Target regions on the host, leagues, cancellation, flushes, events of detached tasks, doacross loops. */
#include "record.h"

enum { TIMES = 10, COUNT_OF = 6 };

static void at_finalize(void)
{
}

static int done;

static void once_more(void)
{
#pragma omp atomic
    done++;
}

static void detached(void)
{
    omp_event_handle_t event = (omp_event_handle_t)0;
    counts[TASK_EARLY] = counts[TASK_DETACH] = counts[TASK_LATE] = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task detach(event)
        {
            once_more();
            omp_fulfill_event(event);
        }
#pragma omp taskwait
    }
    CHECK(COUNT(TASK_EARLY) == 1 && COUNT(TASK_DETACH) == 0 && COUNT(TASK_LATE) == 0);
    _Atomic int over = 0;
#pragma omp parallel num_threads(1)
    {
#pragma omp task detach(event) shared(over)
        over = 1;
#pragma omp taskyield
        while (!over)
            continue;
        omp_fulfill_event(event);
#pragma omp taskwait
    }
    CHECK(COUNT(TASK_DETACH) == 1 && COUNT(TASK_LATE) == 1);
}

static void nest(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < COUNT_OF; i++) {
#pragma omp ordered depend(sink : i - 1)
        once_more();
#pragma omp ordered depend(source)
    }
}

int main(void)
{
    for (int i = 0; i < TIMES; i++) {
#pragma omp target
        once_more();
#pragma omp target
#pragma omp parallel num_threads(2)
        once_more();
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
        once_more();
    }
#ifdef __clang__
    CHECK(COUNT(TARGET_BEGIN + ompt_target) == 0);
#else
    CHECK(COUNT(TARGET_BEGIN + ompt_target) == 2 * TIMES && COUNT(TARGET_END + ompt_target) == 2 * TIMES);
    CHECK(COUNT(SUBMIT_BEGIN) == 2 * TIMES && COUNT(SUBMIT_END) == 2 * TIMES);
#endif
    CHECK(COUNT(LEAGUE_BEGIN) == TIMES && COUNT(LEAGUE_END) == TIMES);
    CHECK(COUNT(INITIAL_BEGIN) == COUNT(INITIAL_END) + 1);
    detached();
    counts[DEPENDENCES] = 0;
    nest();
    CHECK(COUNT(DEPENDENCES) >= COUNT_OF);
#pragma omp flush
#ifdef __clang__
    CHECK(COUNT(FLUSH) == 1);
#endif
    return 0;
}
