/* Very many regions, tasks, locks, allocators, threads and masters: the process's memory and its number of threads stay
 * flat. Each case runs a tenth of its rounds first, so that everything that is kept has been made, then looks at VmRSS
 * and at the threads, runs the other rounds, and looks again.
 *
 * Deep: 100,000,000 regions; a hundred times as much of the rest.
 *
 * env: OMP_STACKSIZE=256k OMP_DYNAMIC=false
 * timing: the process's resident memory and its number of threads, which libc and the kernel have a part in
 * hosts: posix ghc
 * limit: 100
 * deep-limit: 3000
 */
#include <pthread.h>

#include "../status.h"
#include "limits_cases.h"

enum { THREADS = 2, GROWTH_KB = 1024, THREAD_KB = 32 /* of each thread that was not there before */ };

static void run_threads(int count, void *(*body)(void *), void *argument)
{
    enum { MOST = 64 };
    pthread_t threads[MOST];
    CHECK(count <= MOST);
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, body, argument) == 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* Regions of one thread; every tenth has two, and every hundredth another size, so that workers come and go. */
static void regions(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        int threads = i % 100 == 0 ? 3 + (int)(i / 100 % 3) : i % 10 == 1 ? THREADS : 1, count = 0;
#pragma omp parallel num_threads(threads)
        __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
        CHECK(count == threads);
    }
}

static void tasks(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        int count = 0;
#pragma omp parallel num_threads(THREADS) shared(count)
#pragma omp single
        for (int k = 0; k < 20; k++)
#pragma omp task shared(count)
            __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
        CHECK(count == 20);
    }
}

static void dependences(long rounds)
{
    static int cells[8];
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (long i = 0; i < rounds; i++) {
        for (int k = 0; k < 8; k++)
#pragma omp task depend(inout : cells[k]) depend(in : cells[(k + 1) % 8])
            cells[k]++;
        if (i % 64 == 63) {
#pragma omp taskwait
        }
    }
    for (int k = 0; k < 8; k++) {
        CHECK(cells[k] == (int)rounds);
        cells[k] = 0;
    }
}

/* Dependences on ever new addresses, in one task region that waits now and then. */
static void addresses(long rounds)
{
    static char space[1 << 22];
    static int done;
    done = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (long i = 0; i < rounds; i++) {
        char *at = &space[(size_t)i * 4099 % sizeof space];
#pragma omp task depend(inout : at[0])
        __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
        if (i % 1000 == 999) {
#pragma omp taskwait
        }
    }
    CHECK(done == (int)rounds);
}

static void taskgroups(long rounds)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    for (long i = 0; i < rounds; i++) {
        int sum = 0, loop = 0;
#pragma omp taskgroup task_reduction(+ : sum)
        {
#pragma omp taskgroup
            for (int k = 0; k < 4; k++)
#pragma omp task in_reduction(+ : sum)
                sum += k;
        }
        CHECK(sum == 6);
#pragma omp taskloop reduction(+ : loop) num_tasks(3)
        for (int k = 0; k < 9; k++)
            loop += k;
        CHECK(loop == 36);
    }
}

static void worksharing(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        int sum = 0, singles = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum, singles)
        for (int k = 0; k < 4; k++) {
#pragma omp for schedule(dynamic) nowait
            for (int n = 0; n < 5; n++)
                sum += n;
#pragma omp for ordered schedule(guided)
            for (int n = 0; n < 5; n++) {
#pragma omp ordered
                sum += n;
            }
#pragma omp single nowait
            singles++;
        }
        CHECK(sum == 80 && singles == 4);
    }
}

static void locks(long rounds)
{
    int count = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : count)
    for (long i = 0; i < rounds; i++) {
        omp_lock_t lock;
        omp_nest_lock_t nest;
        omp_init_lock(&lock);
        omp_init_nest_lock(&nest);
        omp_set_lock(&lock);
        omp_set_nest_lock(&nest);
        count += omp_test_nest_lock(&nest) == 2;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        omp_unset_lock(&lock);
        omp_destroy_lock(&lock);
        omp_destroy_nest_lock(&nest);
    }
    CHECK(count == THREADS * rounds);
}

static void allocators(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        omp_alloctrait_t traits[] = {{omp_atk_alignment, 64}, {omp_atk_pool_size, 1 << 20}};
        omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
        CHECK(allocator != omp_null_allocator);
#pragma omp parallel num_threads(THREADS)
        {
            char *a = omp_alloc(100, allocator), *b = omp_calloc(10, 10, omp_default_mem_alloc);
            CHECK(a != NULL && b != NULL && b[99] == 0);
            a = omp_realloc(a, 5000, allocator, allocator);
            CHECK(a != NULL);
            omp_free(a, allocator);
            omp_free(b, omp_null_allocator);
        }
        omp_destroy_allocator(allocator);
    }
}

static void targets(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        int sum = 0;
#pragma omp target map(tofrom : sum)
        sum++;
#pragma omp target nowait depend(out : sum) map(tofrom : sum)
        sum++;
#pragma omp taskwait
        CHECK(sum == 2);
    }
}

static void *one_region(void *argument)
{
    int count = 0;
    (void)argument;
#pragma omp parallel num_threads(3) reduction(+ : count)
    {
        count++;
#pragma omp task
        {
        }
    }
    CHECK(count == 3);
    return NULL;
}

/* Threads that come, open a region and end. */
static void churn(long rounds)
{
    for (long i = 0; i < rounds; i++)
        run_threads(1 + (int)(i % 4), one_region, NULL);
}

static void *some_regions(void *rounds)
{
    for (int i = 0; i < *(int *)rounds; i++)
        one_region(NULL);
    return NULL;
}

/* Growing numbers of masters at a time, from 1 to 32, again and again. */
static void masters(long rounds)
{
    int each = 4;
    for (long i = 0; i < rounds; i++)
        for (int count = 1; count <= 32; count *= 2)
            run_threads(count, some_regions, &each);
}

static void pauses(long rounds)
{
    for (long i = 0; i < rounds; i++) {
        one_region(NULL);
        CHECK(omp_pause_resource_all(i % 2 ? omp_pause_soft : omp_pause_hard) == 0);
    }
    one_region(NULL);
}

struct soak {
    const char *name;
    void (*run)(long rounds);
    long rounds, deep;
    int slack; /* threads: how many more may be there at a look. Masters that meet others take workers of their own. */
};
static const struct soak soaks[] = {
    {"regions", regions, 1000000, 100000000, 0},
    {"tasks", tasks, 20000, 2000000, 0},
    {"dependences", dependences, 60000, 6000000, 0},
    {"addresses", addresses, 100000, 10000000, 0},
    {"taskgroups", taskgroups, 30000, 3000000, 0},
    {"worksharing", worksharing, 10000, 1000000, 0},
    {"locks", locks, 100000, 10000000, 0},
    {"allocators", allocators, 10000, 1000000, 0},
    {"targets", targets, 50000, 5000000, 64},
    {"churn", churn, 2000, 200000, 64},
    {"masters", masters, 10, 500, 64},
    {"pauses", pauses, 300, 30000, 64},
};
enum { SOAKS = sizeof soaks / sizeof *soaks };

static int soak(const struct soak *is)
{
    long rounds = is_deep() ? is->deep : is->rounds;
    if (!is_ours()) /* libgomp spins long before it sleeps, which takes its time on a busy machine */
        rounds /= 100;
    is->run(rounds / 10);
    long memory, memory_after;
    int threads, threads_after, more, turn = 0;
    do { /* more threads may have met than before, which libc keeps memory for; a leak grows in each turn */
        memory = status_number("VmRSS");
        threads = os_threads();
        is->run(rounds - rounds / 10);
        memory_after = status_number("VmRSS");
        threads_after = os_threads();
        printf("%s: %ld kB, then %ld kB; %d threads, then %d\n", is->name, memory, memory_after, threads,
               threads_after);
        more = threads_after > threads ? threads_after - threads : 0;
    } while (memory_after > memory + GROWTH_KB + more * THREAD_KB && ++turn < 3);
    CHECK(turn < 3);
    CHECK(threads_after <= threads + is->slack + (is_ours() ? 0 : 8)); /* libgomp ends threads, and makes others */
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 0; i < SOAKS; i++) {
        if (argc > 1 && strcmp(argv[1], soaks[i].name) == 0)
            return soak(&soaks[i]);
        struct hostile_case is = {.name = soaks[i].name, .environment = is_ours() ? NULL : "OMP_WAIT_POLICY=passive"};
        if (argc == 1) {
            fprintf(stderr, "%s\n", is.name);
            if (run_case(&is, NULL) != 0)
                return 1;
        }
    }
    return argc == 1 ? 0 : 2;
}
