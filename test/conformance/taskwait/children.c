/* taskwait waits for all children of the current task and for nothing else: not for grandchildren, not for its
   siblings.
   limit: 60
   symbols: GOMP_taskwait GOMP_task */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

/* A grandchild on another thread does not end before its grandparent's taskwait has. On the grandparent's own thread it
   cannot wait: whether it is run there at all is the runtime's choice. */
static void not_grandchildren(void)
{
    int started = 0, passed = 0, ended = 0, me = omp_get_thread_num();
#pragma omp taskgroup
    {
#pragma omp task shared(started, passed, ended)
        {
            int child = omp_get_thread_num();
#pragma omp task shared(started, passed, ended)
            {
                open_gate(&started);
                if (omp_get_thread_num() != me && omp_get_thread_num() != child)
                    wait_for(&passed);
                count_up(&ended);
            }
            /* The two other threads of the team have nothing else to do. */
            if (omp_get_num_threads() > 2 && child != me)
                wait_for(&started);
        }
#pragma omp taskwait
        open_gate(&passed);
    }
    CHECK(ended == 1);
}

static void all_children(int count)
{
    int done[64] = {0};
    for (int round = 1; round <= 5; round++) {
        for (int i = 0; i < count; i++) {
#pragma omp task shared(done) firstprivate(i) untied
            done[i]++;
        }
#pragma omp taskwait
        for (int i = 0; i < count; i++)
            CHECK(done[i] == round);
    }
    /* Waiting again, for no task. */
#pragma omp taskwait
#pragma omp taskwait
}

/* A child waits for its own children, while its siblings are at work. */
static void in_children(int depth, int *leaves)
{
    if (depth == 0) {
        count_up(leaves);
        return;
    }
    int below[3] = {0};
    for (int i = 0; i < 3; i++) {
#pragma omp task shared(below) firstprivate(i)
        in_children(depth - 1, &below[i]);
    }
#pragma omp taskwait
    for (int i = 1; i < 3; i++)
        CHECK(below[i] == below[0]);
    __atomic_fetch_add(leaves, 3 * below[0], __ATOMIC_RELAXED);
}

/* An implicit task's taskwait waits for its tasks, not for those of other members. */
static void not_siblings(int *open, int *done)
{
    int all = omp_get_num_threads(), me = omp_get_thread_num();
    if (me == 0 && all > 2) {
        int mine = 0;
#pragma omp task shared(mine)
        mine = 1;
#pragma omp taskwait
        CHECK(mine == 1);
        open_gate(open);
    } else if (me == 1) {
        /* Only a thread that need not open it waits in the task. */
#pragma omp task firstprivate(open, done)
        {
            if (omp_get_thread_num() != 0)
                wait_for(open);
            count_up(done);
        }
    }
}

int main(void)
{
    omp_set_dynamic(0);
    all_children(64);
#pragma omp taskwait
    for (int threads = 1; threads <= 8; threads *= 2) {
        int leaves = 0, open = 0, done = 0;
#pragma omp parallel num_threads(threads)
        {
            all_children(1 + 7 * omp_get_thread_num());
#pragma omp single
            in_children(6, &leaves);
#pragma omp single
            for (int i = 0; i < 200; i++)
                not_grandchildren();
            if (threads > 2)
                not_siblings(&open, &done);
        }
        CHECK(leaves == 729 && done == (threads > 2));
    }
    return 0;
}
