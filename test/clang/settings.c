/* Settings by Intel's routines: defaults as in the environment, the time of spinning, stacks, affinity's format.
 *
 * symbols: kmp_set_defaults kmp_set_blocktime kmp_get_blocktime kmp_set_stacksize kmp_get_stacksize kmp_set_stacksize_s
 * symbols: kmp_get_stacksize_s kmp_set_disp_num_buffers __kmpc_get_target_offload ompc_set_affinity_format
 * symbols: ompc_get_affinity_format ompc_display_affinity ompc_capture_affinity
 * ghcomp-only: libomp forgets the number of threads with the next default, and is silent about a wrong one
 * expect-stderr: kmp_set_defaults: OMP_NUM_THREADS='many' is not
 * expect-stderr: kmp_set_defaults: OMP_PLACES is read at the first call alone
 * expect-stderr: kmp_set_defaults: NONSENSE is no setting
 * expect-stderr: kmp_set_stacksize: 100 bytes are too few
 */
#include <limits.h>
#include <omp.h>

#include "kmp.h"

int32_t __kmpc_get_target_offload(void);

static int size(void)
{
    int count = 0;
#pragma omp parallel reduction(+ : count)
    count++;
    return count;
}

static void defaults(void)
{
    kmp_set_defaults("OMP_NUM_THREADS=5,2|OMP_SCHEDULE=guided,7");
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK(size() == 5 && (kind & ~omp_sched_monotonic) == omp_sched_guided && chunk == 7);
    omp_set_num_threads(3);
    kmp_set_defaults("OMP_TARGET_OFFLOAD=disabled");
    CHECK(__kmpc_get_target_offload() == 0 && size() == 3); /* what it does not name stays as the program set it */
    kmp_set_defaults("OMP_TARGET_OFFLOAD=mandatory");
    CHECK(__kmpc_get_target_offload() == 2);
    kmp_set_defaults("OMP_TARGET_OFFLOAD=default");
    CHECK(__kmpc_get_target_offload() == 1);
    kmp_set_defaults("OMP_THREAD_LIMIT=2|OMP_MAX_TASK_PRIORITY=7|OMP_CANCELLATION=true|OMP_WAIT_POLICY=active");
    CHECK(omp_get_thread_limit() == 2 && size() == 2 && omp_get_max_task_priority() == 7 && omp_get_cancellation());
    CHECK(kmp_get_blocktime() == INT_MAX);
    kmp_set_defaults("OMP_THREAD_LIMIT=1000|OMP_CANCELLATION=false|OMP_WAIT_POLICY=passive");
    CHECK(size() == 3 && kmp_get_blocktime() == 0); /* clang takes the others for constant within a function */
    kmp_set_defaults("OMP_NUM_THREADS=many");
    kmp_set_defaults("OMP_PLACES=cores");
    kmp_set_defaults("NONSENSE=1");
    CHECK(size() == 3);
    kmp_set_defaults("OMP_NUM_THREADS=4");
    CHECK(size() == 4);
}

/* Whatever it is, teams meet. */
static void blocktime(void)
{
    static const int times[] = {0, 1, 20, INT_MAX};
    for (int i = 0; i < 4; i++) {
        kmp_set_blocktime(times[i]);
        CHECK(kmp_get_blocktime() == times[i]);
        for (int k = 0; k < 20; k++)
            CHECK(size() == 4);
    }
    kmp_set_blocktime(-3);
    CHECK(kmp_get_blocktime() == 0);
}

static void *address_of(size_t bytes)
{
    char *large = __builtin_alloca(bytes);
    memset(large, 1, bytes);
    return large;
}

/* New workers have the stack; those that are there keep theirs. */
static void stacks(void)
{
    kmp_set_stacksize_s(12 << 20);
    CHECK(kmp_get_stacksize_s() == 12 << 20 && kmp_get_stacksize() == 12 << 20);
    kmp_set_stacksize(100);
    CHECK(kmp_get_stacksize() == 12 << 20);
    int good = 0;
#pragma omp parallel num_threads(9) reduction(+ : good)
    if (omp_get_thread_num() >= 5)
        good += address_of(11 << 20) != NULL;
    CHECK(good == 4);
}

int main(void)
{
    omp_set_dynamic(0);
    char text[100], got[100];
    ompc_set_affinity_format("thread %n of %N");
    CHECK(ompc_get_affinity_format(text, sizeof text) == strlen("thread %n of %N"));
    CHECK(strcmp(text, "thread %n of %N") == 0);
    CHECK(ompc_capture_affinity(got, sizeof got, NULL) == strlen("thread 0 of 1") && strcmp(got, "thread 0 of 1") == 0);
    ompc_display_affinity("shown");
    kmp_set_disp_num_buffers(3);
    defaults();
    blocktime();
    stacks();
    return 0;
}
