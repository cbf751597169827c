/* Limits of the process that are lowered before its first region, and after it: address space, processes, descriptors,
 * the default stack. A region has the threads that it asks for, or, with dyn-var on, fewer, and one line says so; or
 * one line says what is missing and the program ends with status 1. Results are right in each case, and output that the
 * program has buffered is not lost. Each case is a process of its own.
 *
 * The limit on processes does not bind root, so root's case changes to the user 65534 first.
 *
 * hosts: posix ghc
 * limit: 60
 * cflags: -D_GNU_SOURCE
 */
#include <errno.h>
#include <sys/resource.h>

#include "../sleepers.h"
#include "limits_cases.h"

static void lower(int resource, rlim_t to)
{
    wait_until_all_sleep();
    struct rlimit limit;
    CHECK(getrlimit(resource, &limit) == 0);
    limit.rlim_cur = to;
    CHECK(setrlimit(resource, &limit) == 0);
}

static size_t mapped_bytes(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%ld", &pages) == 1);
    fclose(file);
    return (size_t)pages * 4096;
}

/* Address space for so much more. */
static void leave_room(size_t bytes)
{
    wait_until_all_sleep();
    lower(RLIMIT_AS, mapped_bytes() + bytes);
}

/* One region of `threads`: how many it has had, after a check of what it computed. */
static int region(int threads)
{
    long sum = 0;
    int size = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
#pragma omp single
        size = omp_get_num_threads();
#pragma omp for schedule(dynamic, 7)
        for (int i = 0; i < 10000; i++)
            sum += i;
    }
    CHECK(sum == 49995000 && size >= 1 && size <= threads);
    return size;
}

static void other_constructs(void)
{
    static int tasks, groups;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 100; i++)
#pragma omp task
            __atomic_add_fetch(&tasks, 1, __ATOMIC_RELAXED);
#pragma omp taskgroup
#pragma omp task
        groups++;
    }
    CHECK(tasks % 100 == 0 && groups >= 1);
}

/* --- address space ---------------------------------------------------------------------------------------------- */

enum { MEGA = 1 << 20 };

static void space_first(void)
{
    leave_room(200 * MEGA);
    CHECK(region(4) == 4);
    other_constructs();
    CHECK(region(3) == 3 && region(6) == 6);
}

static void space_first_exact(void)
{
    leave_room(30 * MEGA);
    printf("buffered");
    region(64);
    printf(" and more");
}

/* Not even one stack fits. */
static void space_first_dynamic(void)
{
    leave_room(6 * MEGA);
    omp_set_dynamic(1);
    printf("buffered");
    CHECK(region(64) == 1 && region(3) == 1);
    other_constructs();
    printf(", done");
}

static void space_later(void)
{
    CHECK(region(4) == 4);
    leave_room(60 * MEGA);
    CHECK(region(4) == 4);
    other_constructs();
    CHECK(region(2) == 2 && region(6) == 6);
}

/* The hot team stays; so much more does not fit. */
static void space_later_exact(void)
{
    CHECK(region(4) == 4);
    leave_room(20 * MEGA);
    CHECK(region(4) == 4);
    printf("buffered");
    region(100);
    printf(" and more");
}

static void space_later_dynamic(void)
{
    printf("buffered");
    omp_set_num_threads(4);
    CHECK(region(4) == 4);
    leave_room(20 * MEGA);
    omp_set_dynamic(1);
    CHECK(region(100) < 100);
    other_constructs();
    CHECK(region(2) <= 2);
    printf(", done");
}

/* Tasks that cannot start, because one that they depend on waits for a gate: they are made until memory is short. */
static void space_of_tasks(void)
{
    static int gate, started, cell;
    printf("buffered");
    CHECK(region(2) == 2);
    leave_room(30 * MEGA);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : cell)
        {
            open_gate(&started);
            wait_for(&gate);
        }
        wait_for(&started); /* on the other thread */
        for (long i = 0; i < 3000000; i++) {
            long payload[16] = {i};
#pragma omp task firstprivate(payload) depend(in : cell)
            CHECK(payload[0] >= 0);
        }
        open_gate(&gate);
    }
    printf(" and more");
}

/* --- processes, descriptors, stack ------------------------------------------------------------------------------ */

static void become_nobody(void)
{
    if (getuid() == 0)
        CHECK(setgid(65534) == 0 && setuid(65534) == 0);
}

static void processes_first_exact(void)
{
    lower(RLIMIT_NPROC, 1);
    become_nobody();
    printf("buffered");
    CHECK(region(1) == 1);
    region(8);
    printf(" and more");
}

static void processes_first_dynamic(void)
{
    lower(RLIMIT_NPROC, 1);
    become_nobody();
    omp_set_dynamic(1);
    printf("buffered");
    CHECK(region(8) == 1 && region(8) == 1);
    other_constructs();
    printf(", done");
}

static void processes_later(void)
{
    CHECK(region(4) == 4);
    lower(RLIMIT_NPROC, 1);
    become_nobody();
    omp_set_num_threads(4);
    CHECK(region(4) == 4 && region(4) == 4);
    other_constructs();
    if (is_ours()) /* libgomp ends the threads that a smaller team does not need */
        CHECK(region(2) == 2 && region(4) == 4);
    printf("buffered");
    region(8);
    printf(" and more");
}

static void processes_later_dynamic(void)
{
    omp_set_dynamic(0);
    CHECK(region(4) == 4);
    lower(RLIMIT_NPROC, 1);
    become_nobody();
    printf("buffered");
    omp_set_dynamic(1);
    int size = region(8);
    CHECK(size <= 4);
    other_constructs();
    printf(", done");
}

static void descriptors_first(void)
{
    lower(RLIMIT_NOFILE, 3);
    CHECK(region(4) == 4);
    other_constructs();
    CHECK(region(9) == 9);
}

static void descriptors_later(void)
{
    CHECK(region(2) == 2);
    lower(RLIMIT_NOFILE, 0);
    CHECK(region(4) == 4);
    other_constructs();
    if (is_ours()) /* libgomp's workers end by pthread_exit, which loads a library */
        CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    CHECK(region(9) == 9);
}

/* The C library takes the limit when a program starts, so this program starts once more with it. */
static void stack(void)
{
    if (getenv("HOSTILE_STACK") == NULL) {
        lower(RLIMIT_STACK, 128 << 10);
        setenv("HOSTILE_STACK", "1", 1);
        execl("/proc/self/exe", "hostile", "stack", (char *)NULL);
        CHECK(0 && "exec failed");
    }
    CHECK(region(4) == 4);
    other_constructs();
    CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
    CHECK(region(12) == 12);
}

static void stack_later(void)
{
    CHECK(region(2) == 2);
    lower(RLIMIT_STACK, 64 << 10);
    CHECK(region(5) == 5);
    other_constructs();
}

/* Where an RTS is wanted and cannot be booted, a line of its own says so: with an address space that is limited, with
   few descriptors, and where no thread can be had. */
#define MAY_SAY_WHY_NO_RTS .more_lines = 1

static const struct hostile_case cases[] = {
    {.name = "space_first", .run = space_first, .err = "*"},
    {.name = "space_first_exact", .run = space_first_exact, .status = 1, .out = "buffered",
     .err = "Thread creation failed", MAY_SAY_WHY_NO_RTS},
    /* libgomp settles the size of a team before it makes the threads, so with dyn-var on it ends, too. */
    {.name = "space_first_dynamic", .run = space_first_dynamic, .only_ours = 1, .out = "buffered, done",
     .err = "a region of [0-9]+ threads gets 1: no more threads can be created", MAY_SAY_WHY_NO_RTS},
    {.name = "space_later", .run = space_later},
    {.name = "space_later_exact", .run = space_later_exact, .status = 1, .out = "buffered",
     .err = "Thread creation failed"},
    {.name = "space_later_dynamic", .run = space_later_dynamic, .only_ours = 1, .out = "buffered, done"},
    /* In libgomp the time that such a task takes grows with their number. */
    {.name = "space_of_tasks", .run = space_of_tasks, .only_ours = 1, .status = 1, .out = "buffered",
     .err = "out of memory"},
    {.name = "processes_first_exact", .run = processes_first_exact, .status = 1, .out = "buffered",
     .err = "Thread creation failed", MAY_SAY_WHY_NO_RTS},
    {.name = "processes_first_dynamic", .run = processes_first_dynamic, .only_ours = 1, .out = "buffered, done",
     .err = "a region of [0-9]+ threads gets 1: no more threads can be created", MAY_SAY_WHY_NO_RTS},
    {.name = "processes_later", .run = processes_later, .status = 1, .out = "buffered",
     .err = "Thread creation failed"},
    {.name = "processes_later_dynamic", .run = processes_later_dynamic, .only_ours = 1, .out = "buffered, done"},
    {.name = "descriptors_first", .run = descriptors_first, .err = "*"},
    {.name = "descriptors_later", .run = descriptors_later},
    {.name = "stack", .run = stack},
    {.name = "stack_later", .run = stack_later},
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
