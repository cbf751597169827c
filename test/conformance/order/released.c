/* What becomes ready first starts first, as on libgomp, also where predecessors end while their successors are being
 * made: tasks that the same predecessors have held back start in the order of their making, and those that were ready
 * when a predecessor ended start before what it had held back. Each thread observes this order. Programs rely on it as
 * on that of a loop with schedule(dynamic): a thread keeps the first of a kind that it finds.
 *
 * hosts: posix ghc
 * limit: 60
 * symbols: GOMP_task
 */
#include "order.h"

enum { ROUNDS = 300, EACH = 33 };

/* What a task does. */
static void see_and_work(int number, int much)
{
    order_see(number);
    order_work(much);
}

/* One predecessor, and its end comes while its successors are being made, or before, or later. */
static void of_one(int threads, int before, int much)
{
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    {
        int x = 0;
        (void)x;
#pragma omp task depend(out : x)
        order_work(before);
        for (int i = 0; i < EACH; i++) {
#pragma omp task firstprivate(i) depend(in : x)
            see_and_work(i, much);
        }
    }
    order_rises(EACH);
}

/* The odd ones have no predecessor. Those that were made before the predecessor's end come first, then the even ones
   that were, then the rest. So where a thread's numbers fall, they fall from an odd one to an even one, and once. */
static void beside_others(int threads, int before, int much)
{
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    {
        int x = 0;
        (void)x;
#pragma omp task depend(out : x)
        order_work(before);
        for (int i = 0; i < EACH; i++) {
            if (i % 2 == 1) {
#pragma omp task firstprivate(i)
                see_and_work(i, much);
            } else {
#pragma omp task firstprivate(i) depend(in : x)
                see_and_work(i, much);
            }
        }
    }
    int all = 0;
    for (int t = 0; t < ORDER_THREADS; t++) {
        int falls = 0;
        for (int i = 1; i < order_length[t]; i++) {
            int last = order_list[t][i - 1], now = order_list[t][i];
            CHECK(now != last);
            if (now < last) {
                CHECK(last % 2 == 1 && now % 2 == 0);
                falls++;
            }
        }
        CHECK(falls <= 1);
        all += order_length[t];
    }
    CHECK(all == EACH);
    order_clear();
}

/* Two predecessors: the first kind waits for the one, the second kind for the other, the third kind for both. Each kind
   rises. */
static void of_two(int threads, int before, int much)
{
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    {
        int x = 0, y = 0;
        (void)x, (void)y;
#pragma omp task depend(out : x)
        order_work(before);
#pragma omp task depend(out : y)
        order_work(before / 2 + 200);
        for (int i = 0; i < EACH; i++) {
            if (i % 3 == 0) {
#pragma omp task firstprivate(i) depend(in : x)
                see_and_work(i, much);
            } else if (i % 3 == 1) {
#pragma omp task firstprivate(i) depend(in : y)
                see_and_work(i, much);
            } else {
#pragma omp task firstprivate(i) depend(in : x, y)
                see_and_work(i, much);
            }
        }
    }
    int all = 0;
    for (int t = 0; t < ORDER_THREADS; t++) {
        int last[3] = {-1, -1, -1};
        for (int i = 0; i < order_length[t]; i++) {
            int now = order_list[t][i];
            CHECK(now > last[now % 3]);
            last[now % 3] = now;
        }
        all += order_length[t];
    }
    CHECK(all == EACH);
    order_clear();
}

/* Makers that end before their tasks start, which then belong to the region's task: of each maker they rise. */
static void of_several_tasks(int threads, int before, int much)
{
    enum { MAKERS = 4, FEW = 20 }; /* fewer than 64 for each thread: beyond that makers run some at once */
    static char place[MAKERS];
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    for (int maker = 0; maker < MAKERS; maker++) {
#pragma omp task firstprivate(maker)
        {
#pragma omp task depend(out : place[maker])
            order_work(before);
            for (int i = 0; i < FEW; i++) {
#pragma omp task firstprivate(i, maker) depend(in : place[maker])
                see_and_work(maker * FEW + i, much);
            }
        }
    }
    int all = 0;
    for (int t = 0; t < ORDER_THREADS; t++) {
        int last[MAKERS] = {-1, -1, -1, -1};
        for (int i = 0; i < order_length[t]; i++) {
            int maker = order_list[t][i] / FEW;
            CHECK(order_list[t][i] > last[maker]);
            last[maker] = order_list[t][i];
        }
        all += order_length[t];
    }
    CHECK(all == MAKERS * FEW);
    order_clear();
}

/* More than wait in any runtime: each runs once. */
static void of_many(int threads, int before)
{
    enum { MANY = 3000 };
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    {
        int x = 0, y = 0;
        (void)x, (void)y;
#pragma omp task depend(out : x)
        order_work(before);
#pragma omp task depend(out : y)
        order_work(before);
        for (int i = 0; i < MANY; i++) {
#pragma omp task firstprivate(i) depend(in : x, y)
            order_see(i);
        }
    }
    int all = 0;
    for (int t = 0; t < ORDER_THREADS; t++)
        all += order_length[t];
    CHECK(all == MANY);
    order_clear();
}

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < ROUNDS; round++) {
        int threads = 2 + round % 7, before = round * 7 % 40 * 40;
        int much = round % 3 == 0 ? 0 : round % 3 == 1 ? 60 : 600;
        of_one(threads, before, much);
        beside_others(threads, before, much);
        of_two(threads, before, much);
        of_several_tasks(threads, before, much);
        if (round % 10 == 0)
            of_many(threads, 100 * before);
    }
    return 0;
}
