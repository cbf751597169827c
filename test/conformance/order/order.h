/* What each thread has seen, in the order in which it saw it. */
#pragma once

#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { ORDER_THREADS = 64, ORDER_MOST = 4096 };

static int order_list[ORDER_THREADS][ORDER_MOST], order_length[ORDER_THREADS];

static inline void order_clear(void)
{
    for (int t = 0; t < ORDER_THREADS; t++)
        order_length[t] = 0;
}

static inline void order_see(int what)
{
    int t = omp_get_thread_num();
    CHECK(t < ORDER_THREADS && order_length[t] < ORDER_MOST);
    order_list[t][order_length[t]++] = what;
}

/* Each thread's list rises, and all have `count` entries together: then a merge by the lists' heads is sorted, and the
   least of the first entries of some kind is the first of all. */
static inline void order_rises(int count)
{
    int all = 0;
    for (int t = 0; t < ORDER_THREADS; t++) {
        for (int i = 1; i < order_length[t]; i++)
            CHECK(order_list[t][i] > order_list[t][i - 1]);
        all += order_length[t];
    }
    CHECK(all == count);
    order_clear();
}

static inline void order_work(int much)
{
    volatile double x = 1;
    for (int i = 0; i < much; i++)
        x = x * 1.0000001 + 1e-9;
}
