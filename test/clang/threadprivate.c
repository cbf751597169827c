/* Threadprivate variables without thread-local storage: a copy for each thread that keeps its value from region to
 * region, the initial thread's is the original, copyin; and what is constructed is destroyed with its thread, by code
 * that has the thread's other copies and opens a region.
 *
 * symbols: __kmpc_threadprivate_cached __kmpc_threadprivate_register omp_pause_resource_all
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

/* A variable with a constructor, as a C++ program registers it; the copies of threads that have ended are destroyed. Of
   the others one is used for the first time before it and one after it. */
static long object = 1000, first = 1, last = 2;
static void **object_cache, **first_cache, **last_cache;
static int made, ended, again;

static long *copy_of(long *variable, void ***cache)
{
    return __kmpc_threadprivate_cached(&here, thread_number(), variable, sizeof *variable, cache);
}

static void *construct(void *copy)
{
    *(long *)copy = 77;
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    return copy;
}

static void destroy(void *copy)
{
    int threads = 0;
    CHECK(*(long *)copy == 78);
    CHECK(*copy_of(&first, &first_cache) == 11 && *copy_of(&last, &last_cache) == 12);
    if (__atomic_load_n(&ended, __ATOMIC_RELAXED) % 10 == 0) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
        threads++;
        CHECK(threads == 2);
    }
    /* One thread's copy is made again, and destroyed again. */
    if (__atomic_exchange_n(&again, 0, __ATOMIC_RELAXED) != 0)
        *copy_of(&object, &object_cache) = 78;
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}

static long *object_of(void)
{
    return copy_of(&object, &object_cache);
}

static long *use_all(void)
{
    *copy_of(&first, &first_cache) = 11;
    long *copy = object_of();
    CHECK(copy != &object && *copy == 77);
    ++*copy;
    *copy_of(&last, &last_cache) = 12;
    return copy;
}

static void *use(void *gate)
{
    long *copy = use_all();
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

/* The threads of a team end when the program pauses. */
static void of_workers(void)
{
    int before = made;
    again = 1;
#pragma omp parallel num_threads(THREADS)
    if (omp_get_thread_num() != 0)
        use_all();
    CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    CHECK(made == before + THREADS && ended == made && again == 0);
}

int main(void)
{
    kept();
    constructed();
    of_workers();
    return 0;
}
