/* A tool that is stopped while regions are open: by a member of the region, and by a thread outside while another
 * thread's region is open. The regions end, without further events. */
#include <omp.h>
#include <pthread.h>

#include "../conformance/gate.h"
#include "check.h"
#include "start.h"

#include "../child.h"

enum { THREADS = 3 };

static ompt_finalize_tool_t finalize_tool;
static int regions, finalized, inside, stopped;

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned threads,
                           int flags, const void *address)
{
    (void)task, (void)frame, (void)region, (void)threads, (void)flags, (void)address;
    count_up(&regions);
}

static int initialize(ompt_function_lookup_t look, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)look("ompt_set_callback");
    finalize_tool = (ompt_finalize_tool_t)look("ompt_finalize_tool");
    set(ompt_callback_parallel_begin, (ompt_callback_t)parallel_begin);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    finalized++;
}

static void check_afterwards(int before)
{
    CHECK(finalized == 1 && regions == before);
    int count = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : count)
    count++;
    CHECK(count == THREADS && regions == before);
}

/* By each member in turn of its number, in another process. */
static int stopper;

static void by_a_member(void)
{
    inside = stopped = 0;
#pragma omp parallel num_threads(THREADS)
    {
        meet(&inside, THREADS);
        if (omp_get_thread_num() == stopper) {
            finalize_tool();
            open_gate(&stopped);
        } else if (omp_get_thread_num() == 0) {
            wait_for(&stopped);
        }
    }
    check_afterwards(1);
}

static void *open_region(void *nothing)
{
#pragma omp parallel num_threads(THREADS)
    {
        meet(&inside, THREADS);
        if (omp_get_thread_num() != 1)
            wait_for(&stopped);
    }
    return nothing;
}

static void by_another_thread(void)
{
    pthread_t thread;
    inside = stopped = 0;
#pragma omp parallel num_threads(THREADS)
    CHECK(omp_get_num_threads() == THREADS);
    CHECK(pthread_create(&thread, NULL, open_region, NULL) == 0);
    wait_until(&inside, THREADS);
    CHECK(omp_pause_resource_all((omp_pause_resource_t)3) == 0);
    open_gate(&stopped);
    CHECK(pthread_join(thread, NULL) == 0);
    check_afterwards(2);
}

int main(void)
{
    omp_set_dynamic(0);
    for (stopper = 0; stopper < THREADS; stopper++)
        in_child(by_a_member);
    in_child(by_another_thread);
    return 0;
}
