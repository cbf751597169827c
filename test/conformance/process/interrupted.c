/* Signals of timers, whose handler does not restart system calls, in all threads' waits: for a barrier, a lock, a turn
 * of ordered, tasks, and the next region. The handler asks for its thread's number, as handlers of profilers do. The
 * program ends when some hundred signals have come.
 *
 * env: OMP_WAIT_POLICY=passive
 * hosts: posix ghc
 * limit: 60
 * symbols: GOMP_parallel GOMP_barrier GOMP_ordered_start GOMP_taskwait omp_set_lock omp_get_thread_num
 */
#include <omp.h>
#include <signal.h>
#include <sys/time.h>

#include "../common.h"
#include "../gate.h"

enum { THREADS = 4, ITEMS = 20, SIGNALS = 300 };
static int signals, wrong;

static void on_signal(int number)
{
    (void)number;
    int thread = omp_get_thread_num();
    if (thread < 0 || thread >= THREADS || omp_get_num_threads() > THREADS)
        count_up(&wrong);
    count_up(&signals);
}

/* Ticks of real time go to any thread, those of processor time to one that runs. */
static void set_timers(int microseconds)
{
    struct itimerval real = {{0, microseconds}, {0, microseconds}};
    struct itimerval used = {{0, 2 * microseconds}, {0, 2 * microseconds}};
    CHECK(setitimer(ITIMER_REAL, &real, NULL) == 0 && setitimer(ITIMER_PROF, &used, NULL) == 0);
}

int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && sigaction(SIGPROF, &action, NULL) == 0);
    omp_lock_t lock;
    omp_init_lock(&lock);
    set_timers(700);
    while (look(&signals) < SIGNALS) {
        int met = 0, locked = 0, tasks = 0, turns = 0;
#pragma omp parallel num_threads(THREADS)
        {
            count_up(&met);
#pragma omp barrier
            CHECK(look(&met) == THREADS);
            for (int i = 0; i < ITEMS; i++) {
                omp_set_lock(&lock);
                locked++;
                if (i == 0)
                    nanosleep(&(struct timespec){0, 100000}, NULL);
                omp_unset_lock(&lock);
            }
#pragma omp for ordered schedule(dynamic)
            for (int i = 0; i < ITEMS; i++) {
#pragma omp ordered
                CHECK(turns++ == i);
            }
#pragma omp single
            {
                for (int i = 0; i < ITEMS; i++) {
#pragma omp task
                    count_up(&tasks);
                }
#pragma omp taskwait
                CHECK(look(&tasks) == ITEMS);
            }
        }
        CHECK(locked == THREADS * ITEMS && turns == ITEMS);
    }
    set_timers(0);
    CHECK(wrong == 0);
    return 0;
}
