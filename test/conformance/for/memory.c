/* Memory that a loop requests: the same for all members, zeroed, aligned, valid until all have left; with and without
   the runtime distributing the loop. Then what compilers use it for: lastprivate(conditional).
   symbols: GOMP_loop_start GOMP_loop_ordered_start GOMP_loop_doacross_start GOMP_loop_ull_start */
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common.h"

bool GOMP_loop_start(long, long, long, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_ordered_start(long, long, long, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_doacross_start(unsigned, long *, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_ordered_dynamic_next(long *, long *);
void GOMP_loop_end_nowait(void);

enum { COUNT = 40 };
static int *memory[9];

static void shared(int threads, int *mem)
{
    int me = omp_get_thread_num();
    CHECK((uintptr_t)mem % 8 == 0);
    memory[me] = mem;
#pragma omp barrier
    for (int i = 0; i < threads; i++)
        CHECK(memory[i] == mem);
    for (int i = threads; i < COUNT; i++)
        CHECK(mem[i] == 0);
    mem[me] = 1 + me;
#pragma omp barrier
    for (int i = 0; i < threads; i++)
        CHECK(mem[i] == 1 + i);
    /* Dirty for the next loop that gets it. */
#pragma omp barrier
    if (me == 0)
        memset(mem, 0xff, COUNT * sizeof *mem);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads += 2) {
#pragma omp parallel num_threads(threads)
        for (int round = 0; round < 20; round++) {
            long b, e, counts[1] = {10};
            void *mem = (void *)(COUNT * sizeof(int));
            CHECK(GOMP_loop_start(0, 0, 0, 1, 0, NULL, NULL, NULL, &mem));
            shared(threads, mem);
            GOMP_loop_end_nowait();

            mem = (void *)(COUNT * sizeof(int));
            bool more = GOMP_loop_start(0, 10, 1, 2, 1, &b, &e, NULL, &mem);
            shared(threads, mem);
            while (more)
                more = GOMP_loop_dynamic_next(&b, &e);
            GOMP_loop_end_nowait();

            mem = (void *)(COUNT * sizeof(int));
            more = GOMP_loop_doacross_start(1, counts, 2, 1, &b, &e, NULL, &mem);
            shared(threads, mem);
            while (more)
                more = GOMP_loop_dynamic_next(&b, &e);
            GOMP_loop_end_nowait();

            mem = (void *)(COUNT * sizeof(int));
            more = GOMP_loop_ordered_start(0, 10, 1, 2, 1, &b, &e, NULL, &mem);
            shared(threads, mem);
            while (more)
                more = GOMP_loop_ordered_dynamic_next(&b, &e);
            GOMP_loop_end_nowait();
        }

        int last = -1, last_static = -1, last_ull = -1;
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(dynamic, 3) lastprivate(conditional : last)
            for (int i = 0; i < 1000; i++)
                if (i % 7 == 3)
                    last = i;
#pragma omp for schedule(static) lastprivate(conditional : last_static)
            for (int i = 0; i < 1000; i++)
                if (i % 7 == 4)
                    last_static = i;
#pragma omp for schedule(guided) lastprivate(conditional : last_ull)
            for (unsigned long i = 0; i < 1000; i++)
                if (i % 7 == 5)
                    last_ull = (int)i;
        }
        CHECK(last == 997 && last_static == 998 && last_ull == 999);
    }
    return 0;
}
