/* The default allocator: each task has its own, and passes it on to the tasks and teams that it makes.
   env: OMP_ALLOCATOR=omp_large_cap_mem_alloc OMP_MAX_ACTIVE_LEVELS=2 */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>

#include "../common.h"

static void *other_initial_thread(void *argument)
{
    CHECK(omp_get_default_allocator() == omp_large_cap_mem_alloc);
    omp_set_default_allocator(omp_const_mem_alloc);
    CHECK(omp_get_default_allocator() == omp_const_mem_alloc);
    return argument;
}

int main(void)
{
    CHECK(omp_get_default_allocator() == omp_large_cap_mem_alloc);
    const omp_alloctrait_t traits[] = {{omp_atk_alignment, 1024}};
    omp_allocator_handle_t aligned = omp_init_allocator(omp_default_mem_space, 1, traits);
    omp_set_default_allocator(aligned);
    CHECK(omp_get_default_allocator() == aligned);
    int apart = 0;
#pragma omp parallel num_threads(5) reduction(+ : apart)
    {
        CHECK(omp_get_default_allocator() == aligned);
        char *block = omp_alloc(10, omp_null_allocator);
        CHECK((uintptr_t)block % 1024 == 0);
        omp_free(block, omp_null_allocator);
        if (omp_get_thread_num() % 2 != 0)
            omp_set_default_allocator(omp_thread_mem_alloc);
#pragma omp barrier
        omp_allocator_handle_t mine = omp_get_thread_num() % 2 != 0 ? omp_thread_mem_alloc : aligned;
        CHECK(omp_get_default_allocator() == mine);
        apart += mine == aligned;
#pragma omp parallel num_threads(2)
        {
            CHECK(omp_get_default_allocator() == mine);
            omp_set_default_allocator(omp_pteam_mem_alloc);
        }
        CHECK(omp_get_default_allocator() == mine);
    }
    CHECK(apart == 3);
    CHECK(omp_get_default_allocator() == aligned);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, other_initial_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(omp_get_default_allocator() == aligned);
    omp_set_default_allocator(omp_null_allocator);
    CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
    omp_destroy_allocator(aligned);
    return 0;
}
