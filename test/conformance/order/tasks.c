/* Tasks that wait for a barrier or the region's end start in the order in which their maker made them, as on libgomp:
 * each thread meets rising numbers. This holds for up to 64 waiting tasks for each member, tiny ones and long ones,
 * those of one maker and, for each of them, those of several; and for tasks that one predecessor has held back.
 * Programs count on it in the way of a loop with schedule(dynamic): a thread keeps the first of a kind that it meets.
 *
 * hosts: posix ghc
 * limit: 60
 * symbols: GOMP_task GOMP_barrier
 */
#include "order.h"

enum { ROUNDS = 150, EACH = 40 };

static void at_the_end(int threads, int much)
{
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    for (int i = 0; i < EACH; i++) {
#pragma omp task firstprivate(i)
        {
            order_see(i);
            order_work(much * (i * 37 % 11) / 10);
        }
    }
    order_rises(EACH);
}

static void at_a_barrier(int threads, int much)
{
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        for (int i = 0; i < EACH; i++) {
#pragma omp task firstprivate(i)
            {
                order_see(i);
                order_work(much);
            }
        }
#pragma omp master
        order_rises(EACH);
#pragma omp barrier
#pragma omp master
        for (int i = 0; i < EACH; i++) {
#pragma omp task firstprivate(i)
            order_see(i);
        }
#pragma omp barrier
    }
    order_rises(EACH);
}

/* Each thread makes some: those of each maker rise in each thread. */
static void of_several(int threads, int much)
{
#pragma omp parallel num_threads(threads)
    {
        int maker = omp_get_thread_num();
        for (int i = 0; i < EACH; i++) {
#pragma omp task firstprivate(i, maker)
            {
                order_see(maker * EACH + i);
                order_work(much);
            }
        }
    }
    int all = 0;
    for (int t = 0; t < threads; t++) {
        int last[ORDER_THREADS];
        for (int maker = 0; maker < threads; maker++)
            last[maker] = -1;
        for (int i = 0; i < order_length[t]; i++) {
            int maker = order_list[t][i] / EACH;
            CHECK(order_list[t][i] > last[maker]);
            last[maker] = order_list[t][i];
        }
        all += order_length[t];
    }
    CHECK(all == threads * EACH);
    order_clear();
}

static void released(int threads, int much)
{
#pragma omp parallel num_threads(threads)
    {
        int x = 0, begun = 0;
        (void)x, (void)begun;
#pragma omp master
        {
#pragma omp task depend(out : x) shared(begun)
            if (threads > 1)
                wait_for(&begun);
            for (int i = 0; i < EACH; i++) {
#pragma omp task depend(in : x) firstprivate(i)
                {
                    order_see(i);
                    order_work(much);
                }
            }
            open_gate(&begun);
        }
#pragma omp barrier
    }
    order_rises(EACH);
}

/* The least of what the threads found first is the first of all. */
static void first_of_a_kind(int threads)
{
    enum { BLOCKS = 60 };
    int first = BLOCKS, kind = 7;
#pragma omp parallel num_threads(threads)
    {
        static _Thread_local int mine;
        mine = BLOCKS;
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < BLOCKS; i++) {
#pragma omp task firstprivate(i)
            {
                order_work(20 + i * 53 % 400);
                if (mine == BLOCKS && i % 10 == kind)
                    mine = i;
            }
        }
#pragma omp critical
        if (mine < first)
            first = mine;
    }
    CHECK(first == kind);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < ROUNDS; round++) {
        int threads = 1 + round % 8, much = round % 3 == 0 ? 0 : round % 3 == 1 ? 200 : 3000;
        at_the_end(threads, much);
        at_a_barrier(threads, much);
        of_several(threads, much);
        released(threads, much);
        first_of_a_kind(threads < 2 ? 2 : threads);
    }
    return 0;
}
