/* Modes of the library, warnings that are off, and the question whether a construct is cancelled.
 *
 * symbols: kmp_get_library kmp_set_library kmp_set_library_serial kmp_set_library_turnaround
 * symbols: kmp_set_library_throughput kmp_set_warnings_on kmp_set_warnings_off kmp_get_cancellation_status
 * env: OMP_CANCELLATION=true OMP_NUM_THREADS=4
 * ghcomp-only: libomp keeps the one thread of the serial mode, and has another answer to a mode that is none
 * expect-stderr: \Aghc-openmp: warning: kmp_set_library: 17 is no mode[^\n]*\n\Z
 */
#include <limits.h>
#include <omp.h>
#include <pthread.h>

#include "kmp.h"

/* Not in clang's omp.h. */
int kmp_get_cancellation_status(int kind);
enum { PARALLEL = 1 };

/* For a team of three, whatever the default is. */
static int size_of_three(void)
{
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count++;
    return count;
}

static void *other_thread(void *size)
{
    *(int *)size = size_of_three();
    return NULL;
}

static int size_in_other_thread(void)
{
    int size = 0;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, other_thread, &size) == 0 && pthread_join(thread, NULL) == 0);
    return size;
}

static int size(void)
{
    int count = 0;
#pragma omp parallel reduction(+ : count)
    count++;
    return count;
}

static void modes(void)
{
    int before = kmp_get_blocktime();
    CHECK(kmp_get_library() == 3 && size() == 4);
    kmp_set_library_serial();
    CHECK(kmp_get_library() == 1 && size() == 1 && size_of_three() == 1 && size_in_other_thread() == 1);
    omp_set_num_threads(2);
    CHECK(size() == 1 && size_of_three() == 1);
    kmp_set_library_throughput();
    CHECK(kmp_get_library() == 3 && size() == 4 && size_of_three() == 3 && size_in_other_thread() == 3);
    kmp_set_library_turnaround();
    CHECK(kmp_get_library() == 2 && size() == 4 && kmp_get_blocktime() == INT_MAX);
    kmp_set_library(1);
    CHECK(kmp_get_library() == 1 && size() == 1 && kmp_get_blocktime() == before);
    kmp_set_library(3);
    CHECK(kmp_get_library() == 3 && size() == 4);
    kmp_set_warnings_off();
    kmp_set_library(0);
    kmp_set_warnings_on();
    kmp_set_library(17);
    CHECK(kmp_get_library() == 3);
}

static void cancelled(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int i = 0; i < 2; i++) {
            CHECK(kmp_get_cancellation_status(PARALLEL) == 0);
#pragma omp cancel for
        }
        CHECK(kmp_get_cancellation_status(PARALLEL) == 0);
    }
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0) {
#pragma omp cancel parallel
        }
        while (!kmp_get_cancellation_status(PARALLEL))
            ;
#pragma omp cancellation point parallel
    }
}

int main(void)
{
    modes();
    cancelled();
    return 0;
}
