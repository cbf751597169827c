/* Threadprivate variables without thread-local storage: a copy for each thread that keeps its value from region to
 * region, the initial thread's is the original, copyin; and what is constructed is destroyed with its thread.
 *
 * symbols: __kmpc_threadprivate_cached __kmpc_threadprivate_register
 * ghcomp-only: LLVM 19's libomp does not destroy the copies of threads that have ended
 * cflags: -fnoopenmp-use-tls
 * hosts: posix ghc
 */
#include <omp.h>
#include <pthread.h>

#include "kmp.h"

void *__kmpc_threadprivate_cached(place *, int32_t, void *, size_t, void ***);
void __kmpc_threadprivate_register(place *, void *, void *(*)(void *), void *(*)(void *, void *), void (*)(void *));

static int mine = 7;
static char wide[3000] = "initial";
#pragma omp threadprivate(mine, wide)

enum { THREADS = 4, OTHERS = 100 };

static void kept(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        CHECK(mine == 7 && strcmp(wide, "initial") == 0);
        mine = 100 + omp_get_thread_num();
        snprintf(wide, sizeof wide, "thread %d", omp_get_thread_num());
    }
    CHECK(mine == 100 && strcmp(wide, "thread 0") == 0);
#pragma omp parallel num_threads(THREADS)
    {
        char expected[30];
        snprintf(expected, sizeof expected, "thread %d", omp_get_thread_num());
        CHECK(mine == 100 + omp_get_thread_num() && strcmp(wide, expected) == 0);
    }
    mine = 5;
#pragma omp parallel num_threads(THREADS) copyin(mine)
    CHECK(mine == 5);
}

/* A variable with a constructor, as a C++ program registers it; the copies of threads that have ended are destroyed. */
static long object = 1000;
static void **object_cache;
static int made, ended;

static void *construct(void *copy)
{
    *(long *)copy = 77;
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    return copy;
}

static void destroy(void *copy)
{
    CHECK(*(long *)copy == 78);
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}

static long *object_of(void)
{
    return __kmpc_threadprivate_cached(&here, thread_number(), &object, sizeof object, &object_cache);
}

static void *use(void *gate)
{
    long *copy = object_of();
    CHECK(copy != &object && *copy == 77);
    ++*copy;
    pthread_barrier_wait(gate);
    CHECK(object_of() == copy);
    return NULL;
}

static void constructed(void)
{
    __kmpc_threadprivate_register(&here, &object, construct, NULL, destroy);
    CHECK(object_of() == &object && object == 1000);
    for (int turn = 0; turn < 2; turn++) {
        pthread_t threads[OTHERS];
        pthread_barrier_t gate;
        CHECK(pthread_barrier_init(&gate, NULL, OTHERS) == 0);
        for (int i = 0; i < OTHERS; i++)
            CHECK(pthread_create(&threads[i], NULL, use, &gate) == 0);
        for (int i = 0; i < OTHERS; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(made == (turn + 1) * OTHERS && ended == made);
    }
}

int main(void)
{
    kept();
    constructed();
    return 0;
}
