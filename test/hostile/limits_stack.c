/* Masters with stacks of 16 KiB (the least that there is) and more, and workers with stacks of 16 KiB: everything that
 * the runtime does on its caller's stack. Each case is a process of its own, so that its region is the process's first.
 * The stack is memory of the test's own with a page below it that no thread may touch; the case fails when less than 1
 * KiB of it has stayed unused.
 *
 * Covered: first region, worksharing, ordered and doacross loops, tasks with everything that there is about them,
 * cancellation, nested regions, displays, warnings, locks, allocators, target, pause.
 *
 * env: OMP_STACKSIZE=16k
 * hosts: posix ghc
 * limit: 60
 * cflags: -D_GNU_SOURCE
 */
#include <pthread.h>
#include <sys/mman.h>

#include "limits_cases.h"

enum { THREADS = 4, KEEP = 1024 };

static int sum_of(int threads)
{
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += 1 + omp_get_thread_num();
    return sum;
}

static void first(void)
{
    CHECK(sum_of(THREADS) == 10);
}

static void constructs(void)
{
    static int done, singles, sections, locked;
    long sum = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    {
        int copied = 0;
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 100; i++)
            sum += i;
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < 100; i++)
            sum += i;
#pragma omp single copyprivate(copied)
        copied = ++singles;
        CHECK(copied == 1);
#pragma omp sections
        {
#pragma omp section
            __atomic_add_fetch(&sections, 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_add_fetch(&sections, 1, __ATOMIC_RELAXED);
#pragma omp section
            __atomic_add_fetch(&sections, 1, __ATOMIC_RELAXED);
        }
#pragma omp critical(name)
        locked++;
#pragma omp barrier
#pragma omp masked
        done = 1;
    }
    CHECK(sum == 2 * 4950 && sections == 3 && locked == THREADS && done == 1);
}

static void ordered(void)
{
    static int next, cell[64];
#pragma omp parallel for ordered schedule(dynamic) num_threads(THREADS)
    for (int i = 0; i < 64; i++) {
#pragma omp ordered
        CHECK(next++ == i);
    }
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(THREADS)
    for (int i = 1; i < 64; i++) {
#pragma omp ordered depend(sink : i - 1)
        cell[i] = cell[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    CHECK(next == 64 && cell[63] == 63);
}

static void tasks(void)
{
    static int many, chain, total, grand, detached;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        for (int i = 0; i < 300; i++)
#pragma omp task
            __atomic_add_fetch(&many, 1, __ATOMIC_RELAXED);
        for (int i = 0; i < 100; i++)
#pragma omp task depend(inout : chain)
            chain++;
#pragma omp taskwait depend(in : chain)
        CHECK(chain == 100);
#pragma omp taskgroup task_reduction(+ : total)
        {
            for (int i = 0; i < 50; i++)
#pragma omp task in_reduction(+ : total) priority(i)
                total += i;
        }
#pragma omp taskloop grainsize(3) reduction(+ : grand)
        for (int i = 0; i < 100; i++)
            grand += i;
#pragma omp taskyield
    }
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
        detached = 1;
        omp_fulfill_event(event);
    }
    CHECK(many == 300 && total == 1225 && grand == 4950 && detached == 1);
}

static void cancelled(void)
{
    static int found, groups;
    CHECK(omp_get_cancellation());
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 1000; i++) {
            if (i == 3) {
                __atomic_store_n(&found, 1, __ATOMIC_RELAXED);
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp single
#pragma omp taskgroup
        for (int i = 0; i < 100; i++)
#pragma omp task
        {
            __atomic_add_fetch(&groups, 1, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup
        }
#pragma omp cancel parallel
        CHECK(0 && "the region has been cancelled");
    }
    CHECK(found == 1 && groups >= 1 && sum_of(THREADS) == 10);
}

static void nested(void)
{
    int sum = 0;
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_level();
    CHECK(sum == 24);
}

static void sizes(void)
{
    for (int threads = 1; threads <= 40; threads += 13)
        CHECK(sum_of(threads) == threads * (threads + 1) / 2);
}

static void display_env(void)
{
    omp_display_env(1);
}

static void display_affinity(void)
{
    char text[64];
    omp_display_affinity(NULL);
    omp_display_affinity("%{thread_num} of %{num_threads} on %{thread_affinity}");
    CHECK(omp_capture_affinity(text, sizeof text, "%0.3t") > 0);
    CHECK(sum_of(2) == 3);
}

static void warn(void)
{
    if (is_ours())
        CHECK(sum_of(2) == 3);
}

static void error_directive(void)
{
#pragma omp error at(execution) severity(warning) message("this is said once")
}

static void locks(void)
{
    static omp_lock_t lock;
    static omp_nest_lock_t nest;
    static int plain, nests, atomics, criticals;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < 100; i++) {
        omp_set_lock(&lock);
        plain++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        nests++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp atomic
        atomics++;
#pragma omp critical
        criticals++;
    }
    CHECK(plain == 100 * THREADS && nests == plain && atomics == plain && criticals == plain);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}

static void allocators(void)
{
    omp_alloctrait_t traits[] = {{omp_atk_alignment, 256}, {omp_atk_pool_size, 1 << 16},
                                 {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, traits);
    CHECK(pool != omp_null_allocator);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < 50; i++) {
        char *memory = omp_alloc(1000, pool);
        CHECK(memory == NULL || (size_t)memory % 256 == 0);
        omp_free(memory, pool);
    }
    CHECK(omp_alloc(1 << 20, pool) == NULL);
    omp_destroy_allocator(pool);
}

static void targets(void)
{
    int sum = 0;
#pragma omp target map(tofrom : sum)
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    sum++;
    CHECK(sum == THREADS);
#pragma omp target teams num_teams(2) thread_limit(2) map(tofrom : sum)
#pragma omp parallel num_threads(1)
#pragma omp atomic
    sum++;
    CHECK(sum == THREADS + 2);
#pragma omp target nowait map(tofrom : sum)
    sum++;
#pragma omp taskwait
    CHECK(sum == THREADS + 3);
}

static void pauses(void)
{
    for (int i = 0; i < 5; i++) {
        CHECK(sum_of(THREADS) == 10);
        CHECK(omp_pause_resource_all(i % 2 ? omp_pause_soft : omp_pause_hard) == 0);
    }
    CHECK(sum_of(THREADS) == 10);
}

static const struct hostile_case cases[] = {
    {.name = "first", .run = first},
    {.name = "constructs", .run = constructs},
    {.name = "ordered", .run = ordered},
    {.name = "tasks", .run = tasks, .environment = "OMP_MAX_TASK_PRIORITY=100"},
    {.name = "cancelled", .run = cancelled, .environment = "OMP_CANCELLATION=true"},
    {.name = "nested", .run = nested},
    {.name = "sizes", .run = sizes},
    {.name = "tree", .run = sizes, .environment = "GHCOMP_BARRIER=tree OMP_WAIT_POLICY=passive"},
    {.name = "places", .run = sizes, .environment = "OMP_PROC_BIND=spread OMP_PLACES=threads"},
    {.name = "display_env", .run = display_env, .environment = "OMP_SCHEDULE=guided,7", .err = "*"},
    {.name = "display_affinity", .run = display_affinity, .environment = "OMP_DISPLAY_AFFINITY=true", .err = "*"},
    {.name = "warning", .run = warn, .environment = "GHCOMP_HOST=nonsense", .err = "GHCOMP_HOST='nonsense' is not"},
    {.name = "error", .run = error_directive, .err = "this is said once"},
    {.name = "locks", .run = locks},
    {.name = "allocators", .run = allocators},
    {.name = "targets", .run = targets},
    {.name = "pauses", .run = pauses},
};
enum { CASES = sizeof cases / sizeof *cases };

static void *on_small_stack(void *is)
{
    ((const struct hostile_case *)is)->run();
    return NULL;
}

/* Runs the case on a thread with a stack of that size. */
static void run_small(const struct hostile_case *is, size_t size)
{
    size_t page = 4096;
    char *memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED && mprotect(memory, page, PROT_NONE) == 0);
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstack(&attributes, memory + page, size) == 0);
    CHECK(pthread_create(&thread, &attributes, on_small_stack, (void *)is) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    size_t left = 0;
    while (left < size && memory[page + left] == 0)
        left++;
    printf("%zu of %zu bytes left\n", left, size);
    fflush(stdout);
    CHECK(left >= KEEP || !is_ours());
}

int main(int argc, char **argv)
{
    static const char *const sizes_of_stacks[] = {"16384", "20480", "24576", "32768", "65536"};
    const struct hostile_case *is = find_case(argc, argv, cases, CASES);
    if (is != NULL) {
        run_small(is, strtoul(argv[2], NULL, 10));
        return 0;
    }
    int bad = 0;
    for (size_t s = 0; s < sizeof sizes_of_stacks / sizeof *sizes_of_stacks; s++)
        for (int i = 0; i < CASES; i++) {
            fprintf(stderr, "%s %s\n", cases[i].name, sizes_of_stacks[s]);
            bad += run_case(&cases[i], sizes_of_stacks[s]);
        }
    return bad != 0;
}
