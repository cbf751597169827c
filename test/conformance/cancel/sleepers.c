/* cancel parallel reaches members that sleep in barriers: member 0 cancels when the system says that all others sleep.
   The region ends and the next regions are complete again.
   limit: 60
   env: OMP_CANCELLATION=true
   env: OMP_WAIT_POLICY=passive
   symbols: GOMP_cancel GOMP_barrier_cancel GOMP_cancellation_point */
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../common.h"

enum { MOST = 9 };
static long threads_of[MOST];

static int asleep(long tid)
{
    char name[64], line[512], *end;
    snprintf(name, sizeof name, "/proc/self/task/%ld/stat", tid);
    FILE *file = fopen(name, "r");
    CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    fclose(file);
    end = strrchr(line, ')');
    return end != NULL && end[2] == 'S';
}

int main(void)
{
    CHECK(omp_get_cancellation());
    omp_set_dynamic(0);
    for (int round = 0; round < 60; round++) {
        int threads = 2 + round % (MOST - 1), arrived = 0, past = 0, sum = 0;
#pragma omp parallel num_threads(threads)
        {
            int me = omp_get_thread_num();
            threads_of[me] = syscall(SYS_gettid);
#pragma omp atomic update release
            arrived++;
            if (me == 0) {
                int seen;
                do {
#pragma omp atomic read acquire
                    seen = arrived;
                    sched_yield();
                } while (seen < threads);
                for (int i = 1; i < threads; i++)
                    while (!asleep(threads_of[i]))
                        sched_yield();
#pragma omp cancel parallel
            }
#pragma omp barrier
#pragma omp atomic
            past++;
        }
        CHECK(past == 0);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        {
#pragma omp barrier
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 100; i++)
                sum += i;
#pragma omp cancellation point parallel
#pragma omp barrier
        }
        CHECK(sum == 4950);
    }
    return 0;
}
