/* The default allocator is the thread's, as on both peers: what a task sets stays after it, and the threads of a
   region begin with that of the one that opens it, be it in an explicit task, whose own is as before when the region
   ends.
   symbols: omp_set_default_allocator omp_get_default_allocator */
#include <omp.h>

#include "../common.h"

static bool is_default(omp_allocator_handle_t allocator)
{
    return omp_get_default_allocator() == allocator;
}

int main(void)
{
    omp_set_dynamic(0);
    CHECK(is_default(omp_default_mem_alloc));
#pragma omp task if (0)
    omp_set_default_allocator(omp_large_cap_mem_alloc);
    CHECK(is_default(omp_large_cap_mem_alloc));
    int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    {
        wrong += !is_default(omp_large_cap_mem_alloc);
        if (omp_get_thread_num() == 1) {
#pragma omp task if (0)
            omp_set_default_allocator(omp_const_mem_alloc);
        }
#pragma omp barrier
        wrong += !is_default(omp_get_thread_num() == 1 ? omp_const_mem_alloc : omp_large_cap_mem_alloc);
        if (omp_get_thread_num() == 0)
            omp_set_default_allocator(omp_low_lat_mem_alloc);
    }
    CHECK(wrong == 0);
    CHECK(is_default(omp_large_cap_mem_alloc));
    wrong = 0;
#pragma omp task if (0) shared(wrong)
    {
        omp_set_default_allocator(omp_high_bw_mem_alloc);
#pragma omp parallel num_threads(2) reduction(+ : wrong)
        wrong += !is_default(omp_high_bw_mem_alloc);
    }
    CHECK(wrong == 0 && is_default(omp_high_bw_mem_alloc));
    return 0;
}
