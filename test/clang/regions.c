/* Regions: any number of shared variables, the clauses of one region, serialized regions, and the numbers of threads.
 *
 * symbols: __kmpc_fork_call __kmpc_fork_call_if __kmpc_serialized_parallel __kmpc_end_serialized_parallel
 * symbols: __kmpc_push_num_threads __kmpc_pop_num_threads __kmpc_push_proc_bind
 * symbols: __kmpc_global_thread_num __kmpc_global_num_threads
 * symbols: __kmpc_bound_thread_num __kmpc_bound_num_threads __kmpc_in_parallel __kmpc_ok_to_fork
 * symbols: __kmpc_begin __kmpc_end
 * hosts: posix ghc
 */
#include <omp.h>
#include <pthread.h>

#include "../conformance/gate.h"
#include "kmp.h"

typedef void microtask(int32_t *, int32_t *, ...);
void __kmpc_fork_call(place *, int32_t, microtask *, ...);
void __kmpc_fork_call_if(place *, int32_t, microtask *, int32_t, void *);
void __kmpc_push_num_threads(place *, int32_t, int32_t);
void __kmpc_pop_num_threads(place *, int32_t);
void __kmpc_push_proc_bind(place *, int32_t, int32_t);
void __kmpc_serialized_parallel(place *, int32_t);
void __kmpc_end_serialized_parallel(place *, int32_t);
void __kmpc_begin(place *, int32_t);
void __kmpc_end(place *);
int32_t __kmpc_global_num_threads(place *);
int32_t __kmpc_bound_thread_num(place *);
int32_t __kmpc_bound_num_threads(place *);
int32_t __kmpc_in_parallel(place *);
int32_t __kmpc_ok_to_fork(place *);

static long total;

/* The sum of the arguments, each by its position, so that a wrong order shows. */
#define SEVEN long a, long b, long c, long d, long e, long f, long g
static void seven(int32_t *thread, int32_t *member, SEVEN)
{
    CHECK(*thread == thread_number() && *member == omp_get_thread_num());
    __atomic_add_fetch(&total, a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g, __ATOMIC_RELAXED);
}

static void none(int32_t *thread, int32_t *member)
{
    CHECK(*thread == thread_number() && *member == omp_get_thread_num());
    __atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
}

static void one(int32_t *thread, int32_t *member, long *a)
{
    CHECK(*thread == thread_number() && *member == omp_get_thread_num());
    __atomic_add_fetch(&total, *a, __ATOMIC_RELAXED);
}

/* What a region with that many shared variables gets, checked through what clang compiles. */
static void many_variables(void)
{
    long v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15;
    long sum = 0;
#pragma omp parallel num_threads(3)
    {
        long mine = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l +
                    13 * m + 14 * n + 15 * o + v[7];
#pragma omp atomic
        sum += mine;
#pragma omp barrier
#pragma omp single
        a = b = c = d = e = f = g = h = i = j = k = l = m = n = o = 0;
    }
    CHECK(sum == 3 * (1240 + 8));
    CHECK(a + b + c + d + e + f + g + h + i + j + k + l + m + n + o == 0);
#pragma omp parallel num_threads(2) shared(a, b)
#pragma omp atomic
    a += b + 1;
    CHECK(a == 2);
}

static void clauses(void)
{
    __kmpc_push_num_threads(&here, thread_number(), 3);
    __kmpc_push_proc_bind(&here, thread_number(), 3);
    total = 0;
    __kmpc_fork_call(&here, 0, (microtask *)none);
    CHECK(total == 3);
    omp_set_num_threads(2); /* the clause was for that region alone */
    total = 0;
    __kmpc_fork_call(&here, 0, (microtask *)none);
    CHECK(total == 2);
    __kmpc_pop_num_threads(&here, thread_number());
    total = 0;
    __kmpc_fork_call(&here, 7, (microtask *)seven, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    CHECK(total == 2 * 140);
    long value = 21;
    total = 0;
    __kmpc_fork_call_if(&here, 1, (microtask *)one, 1, &value);
    CHECK(total == 42);
    total = 0;
    __kmpc_fork_call_if(&here, 1, (microtask *)one, 0, &value);
    CHECK(total == 21);
}

/* Not inlined: clang takes the level for constant in a function that it sees no construct in. */
__attribute__((noinline)) static int level(void)
{
    return omp_get_level();
}

static void serialized(void)
{
    CHECK(!__kmpc_in_parallel(&here) && __kmpc_ok_to_fork(&here));
    __kmpc_push_num_threads(&here, thread_number(), 4);
    __kmpc_serialized_parallel(&here, thread_number());
    CHECK(level() == 1 && omp_get_active_level() == 0 && omp_get_num_threads() == 1);
    __kmpc_serialized_parallel(&here, thread_number());
    CHECK(level() == 2);
    __kmpc_end_serialized_parallel(&here, thread_number());
    __kmpc_end_serialized_parallel(&here, thread_number());
    CHECK(level() == 0);
#pragma omp parallel num_threads(2)
    {
        CHECK(__kmpc_in_parallel(&here) && __kmpc_global_num_threads(&here) >= 2);
        CHECK(__kmpc_bound_thread_num(&here) == omp_get_thread_num() && __kmpc_bound_num_threads(&here) == 2);
#pragma omp parallel if (omp_get_num_threads() == 1) num_threads(2)
        CHECK(omp_get_num_threads() == 1 && level() == 2);
    }
}

enum { LEVELS = 2, THREADS = 3, LATER = 20 };

/* Numbers are different in all living threads, small, and the same in each region. The inner regions are all there at
   once: a thread of one that is over may serve the next. */
static void numbers(void)
{
    unsigned char seen[64] = {0};
    int there = 0;
    omp_set_max_active_levels(LEVELS);
#pragma omp parallel num_threads(THREADS)
#pragma omp parallel num_threads(THREADS)
    {
        int number = thread_number();
        CHECK(number >= 0 && number < 64);
        __atomic_add_fetch(&seen[number], 1, __ATOMIC_RELAXED);
        meet(&there, THREADS * THREADS);
#pragma omp barrier
        CHECK(number == thread_number());
    }
    int used = 0;
    for (int i = 0; i < 64; i++) {
        CHECK(seen[i] <= 1);
        used += seen[i];
    }
    CHECK(used == THREADS * THREADS);
}

static void *later(void *highest)
{
    int number = thread_number();
    if (number > *(int *)highest)
        *(int *)highest = number;
    return NULL;
}

int main(void)
{
    __kmpc_begin(&here, 0);
    CHECK(thread_number() == 0);
    many_variables();
    clauses();
    serialized();
    numbers();
    /* A thread that has ended leaves its number to another. */
    int first = 0, highest = 0;
    for (int i = 0; i < LATER; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, later, i == 0 ? &first : &highest) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK(highest <= first + 1);
    __kmpc_end(&here);
    return 0;
}
