/* What inject.py runs while calls of the C library fail: a part of OpenMP for each argument. It prints one line after
 * each step, whose text depends neither on the number of threads that a region got nor on the machine. The line goes to
 * stdout, which is buffered, and at once to the file FAULT_MIRROR: what is missing on stdout at the end was lost.
 *
 * A wrong result is a line that should not be there. Where OpenMP lets a routine say that there is no memory
 * (omp_alloc), the program goes on without it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int mirror;
static bool exact = true; /* dyn-var is off: regions have the threads that they ask for */

static void say(const char *format, ...)
{
    char line[200];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fputs(line, stdout);
    if (write(mirror, line, (size_t)length) != length)
        abort();
}

static void check(bool good, const char *what, long value)
{
    if (!good)
        say("WRONG: %s %ld\n", what, value);
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

static long region(int size)
{
    long threads = 0, sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : threads, sum)
    {
        threads++;
#pragma omp for schedule(dynamic, 7) nowait
        for (int i = 0; i < 500; i++)
            sum += i;
#pragma omp barrier
#pragma omp for schedule(static)
        for (int i = 0; i < 500; i++)
            sum += i;
    }
    check(sum == 2 * 124750, "the sum of a region's loops is", sum);
    check(threads == size || (!exact && threads < size), "a region's threads are", threads);
    return threads;
}

static void regions(void)
{
    static const int sizes[] = {2, 3, 1, 5, 2, 9, 4, 34, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        region(sizes[i]);
        say("region of %d\n", sizes[i]);
    }
}

static void adapts(void)
{
    omp_set_dynamic(1);
    exact = false;
    regions();
    say("with dyn-var\n");
}

static void sleeping(void)
{
    for (int i = 0; i < 30; i++)
        region(4);
    int sum = 0;
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 20; i++) {
#pragma omp barrier
#pragma omp single
        sum++;
#pragma omp critical
        if (omp_get_thread_num() == 0)
            sum++;
    }
    check(sum == 40, "singles and criticals are", sum);
    say("sleeping\n");
}

static void nested(void)
{
    omp_set_max_active_levels(3);
    for (int round = 0; round < 2; round++) {
        int members = 0;
#pragma omp parallel num_threads(2 + round) reduction(+ : members)
#pragma omp parallel num_threads(2) reduction(+ : members)
#pragma omp parallel num_threads(2) reduction(+ : members)
        members++;
        check(members == 4 * (2 + round), "nested members are", members);
        say("nested %d\n", round);
    }
}

static void worksharing(void)
{
    enum { N = 40 };
    long sum = 0, last = 0;
    int order = 0, disorder = 0, copies = 0;
    long grid[N][N];
    memset(grid, 0, sizeof grid);
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
        for (int round = 0; round < 12; round++) {
#pragma omp for schedule(guided) nowait
            for (int i = 0; i < 100; i++)
                sum += i;
#pragma omp for schedule(monotonic : dynamic) lastprivate(conditional : last)
            for (int i = 0; i < 100; i++)
                if (i % 3 == 0)
                    last = i;
        }
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < N; i++) {
#pragma omp ordered
            {
                disorder += order != i;
                order++;
            }
        }
#pragma omp for ordered(2) collapse(2)
        for (int i = 1; i < N; i++)
            for (int k = 1; k < N; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
                grid[i][k] = 1 + (grid[i - 1][k] > grid[i][k - 1] ? grid[i - 1][k] : grid[i][k - 1]);
#pragma omp ordered depend(source)
            }
#pragma omp sections reduction(+ : copies)
        {
#pragma omp section
            copies++;
#pragma omp section
            copies++;
#pragma omp section
            copies++;
        }
        int value = 0;
#pragma omp single copyprivate(value)
        value = 7;
        omp_set_lock(&lock);
        check(value == 7, "a copy is", value);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    check(sum == 12 * 4950, "the sum is", sum);
    check(last == 99, "the last value is", last);
    check(disorder == 0, "iterations out of order:", disorder);
    check(grid[N - 1][N - 1] == 2 * N - 3, "the corner is", grid[N - 1][N - 1]);
    check(copies == 3, "sections are", copies);
    say("worksharing\n");
}

/* --- tasks -------------------------------------------------------------------------------------------------------- */

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

struct big {
    long values[600];
};

static void tasks(void)
{
    long result = 0, sum = 0, total = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        result = fib(12);
        for (int i = 0; i < 100; i++) {
            struct big big;
            for (int k = 0; k < 600; k++)
                big.values[k] = i;
#pragma omp task firstprivate(big) priority(i % 5) shared(sum)
            {
#pragma omp atomic
                sum += big.values[i];
            }
        }
#pragma omp taskwait
#pragma omp taskgroup task_reduction(+ : total)
        {
#pragma omp taskgroup
            {
#pragma omp task in_reduction(+ : total)
                total += 1;
            }
#pragma omp taskloop in_reduction(+ : total) grainsize(3)
            for (int i = 0; i < 100; i++)
                total += i;
        }
    }
    check(result == 144, "fib is", result);
    check(sum == 4950, "the tasks' sum is", sum);
    check(total == 4951, "the task reduction is", total);
    total = 0;
#pragma omp parallel num_threads(3) reduction(task, + : total)
    {
#pragma omp task in_reduction(+ : total)
        total += 1;
    }
    check(total == 3, "the reduction of a region is", total);
    total = 0;
#pragma omp parallel num_threads(3)
#pragma omp for reduction(task, + : total)
    for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : total)
        total += i;
    }
    check(total == 435, "the reduction of a loop is", total);
    long aligned __attribute__((aligned(1024))) = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : aligned)
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : aligned)
        aligned += i;
    }
    check(aligned == 45, "the reduction of an aligned variable is", aligned);
    say("tasks\n");
}

static void depend(void)
{
    enum { CHAINS = 200, LENGTH = 6 };
    static int chain[CHAINS];
    int bad = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int step = 0; step < LENGTH; step++)
        for (int i = 0; i < CHAINS; i++) {
#pragma omp task depend(inout : chain[i]) shared(bad)
            {
                if (chain[i] != step) {
#pragma omp atomic
                    bad++;
                }
                chain[i] = step + 1;
            }
        }
    check(bad == 0, "links of a chain out of order:", bad);
    int sum = 0, readers = 0, object = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        omp_depend_t handle;
#pragma omp depobj(handle) depend(inout : object)
        for (int i = 0; i < 40; i++) {
#pragma omp task depend(mutexinoutset : sum)
            sum++;
#pragma omp task depend(in : readers)
            {
#pragma omp atomic
                readers++;
            }
#pragma omp task depend(depobj : handle)
            object++;
        }
#pragma omp taskwait depend(in : sum)
        check(sum == 40, "the exclusive tasks are", sum);
#pragma omp taskwait
#pragma omp depobj(handle) destroy
    }
    check(readers == 40 && object == 40, "tasks are", readers * 100 + object);
    say("depend\n");
}

static void detach(void)
{
    int done = 0;
    omp_event_handle_t event;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task detach(event) depend(out : done)
        done = 1;
        omp_fulfill_event(event);
#pragma omp task depend(in : done)
        check(done == 1, "before its event:", done);
    }
    say("detach\n");
}

/* --- places, allocators, devices ---------------------------------------------------------------------------------- */

static void affinity(void)
{
    char text[64];
    int sum = 0;
#pragma omp parallel num_threads(3) proc_bind(spread) reduction(+ : sum)
#pragma omp parallel num_threads(2) proc_bind(close) reduction(+ : sum)
    sum++;
    check(sum == 3 || sum == 6, "members are", sum);
#pragma omp parallel num_threads(4) proc_bind(primary) reduction(+ : sum)
    sum++;
    omp_set_affinity_format("shown %{thread_num} %{host} %{thread_affinity} %300P");
    omp_display_affinity(NULL);
    omp_display_affinity("shown %n %600A");
    check(omp_capture_affinity(text, sizeof text, "%{num_threads}") == 1 && strcmp(text, "1") == 0, text, 0);
    int places = omp_get_num_places();
    for (int i = 0; i < places; i++) {
        int *ids = malloc(sizeof *ids * (size_t)omp_get_place_num_procs(i));
        if (ids == NULL)
            abort();
        omp_get_place_proc_ids(i, ids);
        free(ids);
    }
    check(omp_get_num_procs() >= 1, "CPUs are", omp_get_num_procs());
    say("affinity\n");
}

/* A master whose mask is not that at load: its workers get it. */
static void mask(void)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        abort();
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            CPU_SET(cpu, &one);
            break;
        }
    region(2);
    sched_setaffinity(0, sizeof one, &one);
    region(4);
    sched_setaffinity(0, sizeof all, &all);
    region(6);
    say("mask\n");
}

static void use(char *memory, size_t size)
{
    if (memory != NULL)
        memset(memory, 1, size);
}

static void alloc(void)
{
    static const omp_alloctrait_t lists[][3] = {
        {{omp_atk_alignment, 256}, {omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}},
        {{omp_atk_pinned, omp_atv_true}, {omp_atk_pool_size, 1 << 16}, {omp_atk_fallback, omp_atv_null_fb}},
        {{omp_atk_pinned, omp_atv_true}, {omp_atk_alignment, 64}, {omp_atk_fallback, omp_atv_default_mem_fb}},
    };
    for (int i = 0; i < 3; i++) {
        omp_allocator_handle_t handle = omp_init_allocator(omp_default_mem_space, 3, lists[i]);
        char *a = omp_alloc(100, handle), *b = omp_calloc(3, 1000, handle), *c = omp_aligned_alloc(512, 700, handle);
        use(a, 100);
        for (int k = 0; b != NULL && k < 3000; k++)
            check(b[k] == 0, "zeroed memory has", b[k]);
        use(b, 3000);
        use(c, 700);
        check(((uintptr_t)c & 511) == 0, "alignment", (long)(uintptr_t)c);
        char *larger = omp_realloc(a, 9000, handle, handle);
        check(larger == NULL || a == NULL || larger[99] == 1, "after a realloc", 0);
        char *more = larger != NULL ? omp_realloc(larger, 20000, handle, handle) : NULL;
        omp_free(more != NULL ? more : larger != NULL ? larger : a, handle);
        omp_free(b, handle);
        omp_free(c, omp_null_allocator);
        omp_destroy_allocator(handle);
        say("allocator %d\n", i);
    }
    char *plain = omp_alloc(10, omp_null_allocator);
    plain = plain != NULL ? omp_realloc(plain, 100000, omp_null_allocator, omp_null_allocator) : NULL;
    omp_free(plain, omp_null_allocator);
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
        int *mine = omp_alloc(sizeof *mine, omp_cgroup_mem_alloc);
        if (mine != NULL)
            *mine = 1;
        sum++;
        omp_free(mine, omp_cgroup_mem_alloc);
    }
    check(sum == 3, "members are", sum);
    say("alloc\n");
}

static void target(void)
{
    int value[100], sum = 0;
    memset(value, 0, sizeof value);
    int host = omp_get_initial_device();
    void *memory = omp_target_alloc(1000, host);
    use(memory, 1000);
    omp_target_free(memory, host);
#pragma omp target teams distribute parallel for map(tofrom : value) num_teams(2) thread_limit(3)
    for (int i = 0; i < 100; i++)
        value[i]++;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        for (int i = 0; i < 10; i++) {
#pragma omp target nowait map(tofrom : value) depend(inout : value)
            value[i]++;
        }
#pragma omp taskwait
    }
#pragma omp target enter data map(to : value) nowait
#pragma omp taskwait
#pragma omp target exit data map(from : value)
    for (int i = 0; i < 100; i++)
        sum += value[i];
    check(sum == 110, "target regions add up to", sum);
    say("target\n");
}

/* --- threads and processes ---------------------------------------------------------------------------------------- */

static void *master(void *nothing)
{
    (void)nothing;
    for (int i = 2; i < 4; i++)
        region(i);
    return NULL;
}

static void masters(void)
{
    pthread_t threads[3];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            if (pthread_create(&threads[i], NULL, master, NULL) != 0)
                abort();
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        say("masters %d\n", round);
    }
}

static void forks(void)
{
    region(3);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        region(4);
        _exit(5);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    /* A child that the runtime ends has said why. */
    check(WIFEXITED(status) && (WEXITSTATUS(status) == 5 || WEXITSTATUS(status) == 1), "the child ended with", status);
    if (WEXITSTATUS(status) == 1)
        exit(1);
    region(5);
    say("forks\n");
}

static void at_exit(void)
{
    say("handler\n");
    int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(sum)
        {
#pragma omp atomic
            sum += i;
        }
    }
    check(sum == 45, "the handler's tasks", sum);
    say("end of handler\n");
}

static void handler(void)
{
    atexit(at_exit);
    region(4);
    say("before exit\n");
}

static void *survivor(void *first)
{
    pthread_join(*(pthread_t *)first, NULL);
    region(3);
    say("survivor\n");
    return NULL;
}

static void leave(void)
{
    static pthread_t first, other;
    first = pthread_self();
    region(2);
    if (pthread_create(&other, NULL, survivor, &first) != 0)
        abort();
    say("leave\n");
    pthread_exit(NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"regions", regions}, {"adapts", adapts},           {"sleeping", sleeping}, {"nested", nested},
    {"mask", mask},       {"worksharing", worksharing}, {"tasks", tasks},       {"depend", depend},
    {"detach", detach},   {"affinity", affinity},       {"alloc", alloc},       {"target", target},
    {"masters", masters}, {"forks", forks},             {"handler", handler},   {"leave", leave},
};

int main(int argc, char **argv)
{
    mirror = open(getenv("FAULT_MIRROR"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    say("begin\n");
    for (int i = 1; i < argc; i++)
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            if (strcmp(argv[i], parts[k].name) == 0)
                parts[k].run();
    say("end\n");
    return 0;
}
