/* A team shares a pool, which never gives more than it has and loses nothing.
   env: OMP_NUM_THREADS=7 */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

enum { BLOCK = 1000, ROOM = 4, TURNS = 4000 };

int main(void)
{
    const omp_alloctrait_t traits[] = {{omp_atk_pool_size, ROOM * (BLOCK + 32)}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 2, traits);
    int out = 0, served = 0;
#pragma omp parallel reduction(+ : served)
    for (int turn = 0; turn < TURNS; turn++) {
        int now;
        unsigned char *block = turn % 3 == 0 ? omp_calloc(BLOCK / 8, 8, pool) : omp_alloc(BLOCK, pool);
        if (block == NULL)
            continue;
#pragma omp atomic capture
        now = ++out;
        CHECK(now <= ROOM);
        memset(block, omp_get_thread_num(), BLOCK);
        for (int i = 0; i < BLOCK; i += 50)
            CHECK(block[i] == omp_get_thread_num());
#pragma omp atomic
        out--;
        omp_free(block, pool);
        served++;
    }
    CHECK(served > 0 && out == 0);
    void *all = omp_alloc(ROOM * (BLOCK + 32) - 32, pool);
    CHECK(all != NULL);
    omp_free(all, pool);
    omp_destroy_allocator(pool);
    return 0;
}
