/* Task reductions of worksharing constructs as compilers request them: all members get the same memory, their tasks
   find it, and it is freed when all have left; also in regions that are cancelled before that.
   env: OMP_CANCELLATION=true
   limit: 60
   symbols: GOMP_loop_start GOMP_loop_ordered_start GOMP_loop_doacross_start GOMP_loop_ull_start
   symbols: GOMP_loop_ull_ordered_start GOMP_loop_ull_doacross_start GOMP_sections2_start GOMP_scope_start
   symbols: GOMP_workshare_task_reduction_unregister */
#include <omp.h>

#include "abi_arrays.h"

typedef unsigned long long ull;

bool GOMP_loop_start(long, long, long, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_ordered_start(long, long, long, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_doacross_start(unsigned, long *, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_ull_start(bool, ull, ull, ull, long, ull, ull *, ull *, uintptr_t *, void **);
bool GOMP_loop_ull_ordered_start(bool, ull, ull, ull, long, ull, ull *, ull *, uintptr_t *, void **);
bool GOMP_loop_ull_doacross_start(unsigned, ull *, long, ull, ull *, ull *, uintptr_t *, void **);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_ordered_dynamic_next(long *, long *);
bool GOMP_loop_ull_dynamic_next(ull *, ull *);
bool GOMP_loop_ull_ordered_dynamic_next(ull *, ull *);
unsigned GOMP_sections2_start(unsigned, uintptr_t *, void **);
unsigned GOMP_sections_next(void);
void GOMP_scope_start(uintptr_t *);
void GOMP_loop_end(void);
bool GOMP_loop_end_cancel(void);
void GOMP_sections_end(void);
bool GOMP_sections_end_cancel(void);
void GOMP_barrier(void);

enum { KINDS = 8, COUNT = 24, DYNAMIC = 2 };
static long a, b;
static uintptr_t memory_of[9];

static void one(uintptr_t *array)
{
    *find(&a) += 1;
#pragma omp task firstprivate(array)
    {
        void *both[3] = {&b, &a, NULL};
        int me = omp_get_thread_num();
        GOMP_task_reduction_remap(2, 1, both);
        CHECK(both[0] == copy_of(array, me, 1) && both[1] == copy_of(array, me, 0) && both[2] == &b);
        *(long *)both[0] += 1;
    }
}

static void some(uintptr_t *array, long count)
{
    for (long i = 0; i < count; i++)
        one(array);
}

static void construct(int kind, uintptr_t *array)
{
    long begin, end, counts[1] = {COUNT};
    ull ubegin, uend, ucounts[1] = {COUNT};
    void *mem = (void *)64;
    switch (kind) {
    case 0:
        if (GOMP_loop_start(0, COUNT, 1, DYNAMIC, 1, &begin, &end, array, NULL))
            do
                some(array, end - begin);
            while (GOMP_loop_dynamic_next(&begin, &end));
        break;
    case 1:
        if (GOMP_loop_ordered_start(0, COUNT, 1, DYNAMIC, 1, &begin, &end, array, NULL))
            do
                some(array, end - begin);
            while (GOMP_loop_ordered_dynamic_next(&begin, &end));
        break;
    case 2:
        if (GOMP_loop_doacross_start(1, counts, DYNAMIC, 1, &begin, &end, array, NULL))
            do
                some(array, end - begin);
            while (GOMP_loop_dynamic_next(&begin, &end));
        break;
    case 3:
        if (GOMP_loop_ull_start(true, 0, COUNT, 1, DYNAMIC, 1, &ubegin, &uend, array, NULL))
            do
                some(array, (long)(uend - ubegin));
            while (GOMP_loop_ull_dynamic_next(&ubegin, &uend));
        break;
    case 4:
        if (GOMP_loop_ull_ordered_start(true, 0, COUNT, 1, DYNAMIC, 1, &ubegin, &uend, array, NULL))
            do
                some(array, (long)(uend - ubegin));
            while (GOMP_loop_ull_ordered_dynamic_next(&ubegin, &uend));
        break;
    case 5:
        if (GOMP_loop_ull_doacross_start(1, ucounts, DYNAMIC, 1, &ubegin, &uend, array, NULL))
            do
                some(array, (long)(uend - ubegin));
            while (GOMP_loop_ull_dynamic_next(&ubegin, &uend));
        break;
    case 6:
        for (unsigned section = GOMP_sections2_start(COUNT, array, &mem); section != 0; section = GOMP_sections_next())
            one(array);
        CHECK(mem != (void *)64);
        break;
    default:
        /* Other constructs in it, with memory of their own. */
        GOMP_scope_start(array);
        for (int inner = 0; inner < 3; inner++)
#pragma omp for schedule(dynamic)
            for (int i = 0; i < COUNT / 3; i++)
                one(array);
        break;
    }
}

static void member(int kind, int threads)
{
    uintptr_t array[TWO_ITEMS];
    int me = omp_get_thread_num();
    fill(array, kind % 2 == 0 ? 64 : 1024, &a, &b);
    construct(kind, array);
    memory_of[me] = array[MEMORY];
    if (kind == 6)
        GOMP_sections_end();
    else if (kind == 7)
        GOMP_barrier();
    else
        GOMP_loop_end();
    for (int i = 0; i < threads; i++)
        CHECK(memory_of[i] == array[MEMORY]);
    CHECK(array[MEMORY] % 64 == 0);
    if (me == 0)
        CHECK(sum(array, threads, 0) == COUNT && sum(array, threads, 1) == COUNT);
    GOMP_workshare_task_reduction_unregister(false);
}

/* A member cancels the region in front of the construct: the others wait at its end. */
static void cancelled(int kind, int threads)
{
#pragma omp parallel num_threads(threads)
    {
        if (omp_get_thread_num() == kind % threads) {
#pragma omp cancel parallel
        }
        uintptr_t array[TWO_ITEMS];
        fill(array, 64, &a, &b);
        construct(kind == 7 ? 0 : kind, array); /* the loops in a scope have barriers, which a member would not reach */
        CHECK(kind == 6 ? GOMP_sections_end_cancel() : GOMP_loop_end_cancel());
        GOMP_workshare_task_reduction_unregister(true);
#pragma omp cancellation point parallel
        CHECK(false);
    }
}

int main(void)
{
    omp_set_dynamic(0);
    for (int kind = 0; kind < KINDS; kind++)
        for (int threads = 1; threads <= 9; threads += 2) {
#pragma omp parallel num_threads(threads)
            for (int round = 0; round < 20; round++)
                member(round % 3 == 0 ? (kind + round) % KINDS : kind, threads);
            cancelled(kind, threads);
        }
    /* Outside of all regions: last, since libgomp 12 hangs in regions behind this. */
    for (int kind = 0; kind < KINDS; kind++)
        member(kind, 1);
    return 0;
}
