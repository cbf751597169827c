/* Target regions from inside: what the thread is in a region and after it, borrowed teams, copies at every alignment,
   tasks in regions, target tasks, threads that come and go, fork(). Runs under ASan+UBSan and TSan. */
#include "process.h"

#include <pthread.h>
#include <string.h>

#include "abi/abi.h"
#include "core/team/league.h"
#include "core/team/target.h"
#include "core/task/task.h"
#include "core/team/team.h"

enum { MAP_TOFROM = 0x03, MAP_FIRSTPRIVATE = 0x0c, MAP_FIRSTPRIVATE_INT = 0x0d, MAP_ATTACH = 0x50, NOWAIT = 1 };

static _Atomic int ran;

/* --- what the thread is ------------------------------------------------------------------------------------------- */

static void count(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&ran, 1);
}

static void check_region(uint32_t thread_limit)
{
    struct ghcomp_member *self = ghcomp_self();
    CHECK_EQUAL(0, self->team->level);
    CHECK_EQUAL(1, self->team->size);
    CHECK(self->team->parent == NULL && self->team->members[0] == self && self->task == &self->implicit);
    CHECK(self->thread->in_group == self->team->group);
    CHECK_EQUAL(1, ghcomp_load_relaxed(&self->team->group->threads));
    CHECK_EQUAL(ghcomp_global.initial.nthreads, self->task->icv->nthreads);
    CHECK_EQUAL(thread_limit != 0 ? thread_limit : ghcomp_global.initial.thread_limit, self->task->icv->thread_limit);
}

static void nest(void *data)
{
    int depth = *(int *)data;
    struct ghcomp_member *self = ghcomp_self();
    check_region(depth % 2 == 0 ? 0 : 7);
    ghcomp_icv_own(self->task)->nthreads = 3;
    struct ghcomp_team *team = self->team;
    struct ghcomp_group *group = self->thread->in_group;
    ghcomp_team_parallel(count, NULL, 3, 0);
    struct ghcomp_team *hot = self->hot;
    CHECK(hot != NULL);
    if (depth > 0) {
        depth--;
        ghcomp_target_run(nest, &depth, depth % 2 == 0 ? 0 : 7);
    }
    CHECK(ghcomp_self() == self && self->team == team && self->thread->in_group == group && self->hot == hot);
    CHECK_EQUAL(3, self->task->icv->nthreads);
    ghcomp_add_relaxed(&ran, 1);
}

static void *nest_and_exit(void *data)
{
    for (int i = 0; i < 5; i++) {
        int depth = 4;
        ghcomp_target_run(nest, &depth, 0);
    }
    return data;
}

static void nest_in_team(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    nest_and_exit(data);
    CHECK(ghcomp_self() == self && self->thread->initial.innermost == NULL);
    CHECK_EQUAL(1, self->team->level);
}

static void test_nesting(void)
{
    enum { THREADS = 4, EACH = 5 * 5 * (3 + 1) };
    ran = 0;
    nest_and_exit(NULL);
    CHECK_EQUAL(EACH, ran);
    ghcomp_team_parallel(nest_in_team, NULL, THREADS, 0);
    CHECK_EQUAL(EACH * (1 + THREADS), ran);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, nest_and_exit, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_EQUAL(EACH * (1 + 2 * THREADS), ran);
}

/* The teams of a league: they share their ICVs, as on libgomp. */
static void run_league(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    uint32_t wanted = *(uint32_t *)data, seen = 0;
    for (bool first = true; ghcomp_league_next(wanted, 6, first); first = false) {
        CHECK_EQUAL(seen, self->team->league_num);
        CHECK_EQUAL(wanted != 0 ? wanted : 1, self->team->league_size);
        CHECK_EQUAL(first ? 6 : 2, self->task->icv->thread_limit);
        CHECK_EQUAL(first ? ghcomp_global.initial.nthreads : 99, self->task->icv->nthreads);
        ghcomp_icv_own(self->task)->nthreads = 99;
        ghcomp_icv_own(self->task)->thread_limit = 2;
        seen++;
    }
    CHECK_EQUAL(wanted != 0 ? wanted : 1, seen);
}

static void test_leagues(void)
{
    for (uint32_t wanted = 0; wanted < 5; wanted++)
        ghcomp_target_run(run_league, &wanted, 0);
    CHECK_EQUAL(1, ghcomp_self()->team->league_size);
}

/* --- tasks -------------------------------------------------------------------------------------------------------- */

static _Atomic int finished;

static void finish(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&finished, 1);
}

static void *fulfil(void *task)
{
    ghcomp_task_fulfill(task);
    return NULL;
}

/* A task waits for one whose event is fulfilled late, by this thread or another: the region ends after both. */
static void make_tasks(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    static int object;
    void *depend[3] = {(void *)1, (void *)1, &object};
    struct ghcomp_task *first = ghcomp_task_new(self, finish, 0, 0, 0);
    ghcomp_task_detachable(first);
    ghcomp_task_depend(self, first, depend);
    ghcomp_task_submit(self, first);
    struct ghcomp_task *second = ghcomp_task_new(self, finish, 0, 0, 0);
    ghcomp_task_depend(self, second, depend);
    ghcomp_task_submit(self, second);
    CHECK_EQUAL(1, finished);
    if (data == NULL)
        ghcomp_task_fulfill(first);
    else
        CHECK(pthread_create(data, NULL, fulfil, first) == 0);
}

static void *tasks(void *data)
{
    pthread_t other;
    finished = 0;
    ghcomp_target_run(make_tasks, NULL, 0);
    CHECK_EQUAL(2, finished);
    for (int i = 0; i < 20; i++) {
        finished = 0;
        ghcomp_target_run(make_tasks, &other, 0);
        CHECK_EQUAL(2, finished);
        CHECK(pthread_join(other, NULL) == 0);
    }
    return data;
}

static void test_tasks(void)
{
    pthread_t thread;
    tasks(NULL);
    CHECK(pthread_create(&thread, NULL, tasks, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

enum { ITEMS = 9 };

static size_t size_of(int i)
{
    return (size_t)(i * i * 7 + 1);
}

static void check_copies(void *data)
{
    void **addresses = data;
    for (int i = 0; i < ITEMS; i++) {
        const unsigned char *copy = addresses[i];
        CHECK_EQUAL(0, (uintptr_t)copy % ((uintptr_t)1 << i));
        for (size_t k = 0; k < size_of(i); k++)
            CHECK_EQUAL((unsigned char)(i + (int)k), copy[k]);
        memset(addresses[i], 0xee, size_of(i));
    }
    CHECK_EQUAL(4711, (uintptr_t)addresses[ITEMS]);
    CHECK(addresses[ITEMS + 1] == NULL);
    int *shared = addresses[ITEMS + 2];
    ghcomp_add_relaxed((_Atomic int *)shared, 1);
}

/* Alignments 1 to 256, in both orders; from memory that may be gone when the region runs. */
static void copies(_Atomic int *shared, unsigned flags)
{
    char *memory = malloc(ITEMS * 1024);
    void *addresses[ITEMS + 3];
    size_t sizes[ITEMS + 3];
    unsigned short kinds[ITEMS + 3];
    for (int i = 0; i < ITEMS; i++) {
        addresses[i] = memory + i * 1024 + 1;
        sizes[i] = size_of(i);
        kinds[i] = (unsigned short)(i << 8 | MAP_FIRSTPRIVATE);
        for (size_t k = 0; k < sizes[i]; k++)
            ((unsigned char *)addresses[i])[k] = (unsigned char)(i + (int)k);
    }
    addresses[ITEMS] = (void *)4711;
    sizes[ITEMS] = 0;
    kinds[ITEMS] = MAP_FIRSTPRIVATE_INT;
    addresses[ITEMS + 1] = NULL;
    sizes[ITEMS + 1] = 100; /* an absent Fortran argument */
    kinds[ITEMS + 1] = 3 << 8 | MAP_FIRSTPRIVATE;
    addresses[ITEMS + 2] = (void *)shared;
    sizes[ITEMS + 2] = sizeof *shared;
    kinds[ITEMS + 2] = 2 << 8 | MAP_TOFROM;
    GOMP_target_ext(-1, check_copies, ITEMS + 3, addresses, sizes, kinds, flags, NULL, NULL);
    CHECK_EQUAL(1, ((unsigned char *)memory)[1024 + 1]);
    memset(memory, 0xdd, ITEMS * 1024);
    free(memory);
}

static void copies_in_team(void *data)
{
    for (int i = 0; i < 30; i++)
        copies(data, NOWAIT);
    ghcomp_task_wait(ghcomp_self());
    for (int i = 0; i < 10; i++)
        copies(data, i % 2 == 0 ? NOWAIT : 0);
}

static void test_copies(void)
{
    _Atomic int shared = 0;
    copies(&shared, 0);
    copies(&shared, NOWAIT);
    ghcomp_task_wait(ghcomp_self());
    CHECK_EQUAL(2, shared);
    ghcomp_team_parallel(copies_in_team, &shared, 4, 0);
    CHECK_EQUAL(2 + 4 * 40, shared);
}

/* A descriptor is copied, and then what its pointer leads to. */
struct descriptor {
    uintptr_t word;
    int *base;
};

static void check_descriptor(void *data)
{
    void **addresses = data;
    struct descriptor *copy = addresses[0];
    CHECK_EQUAL(5, copy->word);
    CHECK((void *)copy->base == addresses[1]);
    CHECK_EQUAL(43, copy->base[1]);
    copy->base[1] = 0;
    ghcomp_add_relaxed(&ran, 1);
}

static void test_attached(void)
{
    for (unsigned flags = 0; flags <= NOWAIT; flags++) {
        int values[2] = {42, 43};
        struct descriptor original = {5, values};
        void *addresses[3] = {&original, values, NULL};
        addresses[2] = &addresses[0];
        size_t sizes[3] = {sizeof original, sizeof values, offsetof(struct descriptor, base) / sizeof(void *)};
        unsigned short kinds[3] = {3 << 8 | MAP_FIRSTPRIVATE, 2 << 8 | MAP_FIRSTPRIVATE, MAP_ATTACH};
        ran = 0;
        GOMP_target_ext(-2, check_descriptor, 3, addresses, sizes, kinds, flags, NULL, NULL);
        ghcomp_task_wait(ghcomp_self());
        CHECK_EQUAL(1, ran);
        CHECK(original.base == values && values[1] == 43);
    }
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static void check_limit(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&ran, (int)ghcomp_self()->task->icv->thread_limit);
}

static int limit_of(void **args)
{
    ran = 0;
    GOMP_target_ext(-1, check_limit, 0, NULL, NULL, NULL, 0, NULL, args);
    return ran;
}

static void test_arguments(void)
{
    enum { TEAMS = 0x100, LIMIT = 0x200, FOLLOWS = 0x80, OTHER_DEVICE = 7 };
    int none = (int)ghcomp_global.initial.thread_limit;
    void *embedded[] = {(void *)(3 << 16 | TEAMS), (void *)(12 << 16 | LIMIT), NULL};
    void *following[] = {(void *)(FOLLOWS | TEAMS), (void *)0, (void *)(FOLLOWS | LIMIT), (void *)70000, NULL};
    void *elsewhere[] = {(void *)(FOLLOWS | LIMIT | OTHER_DEVICE), (void *)9,
                         (void *)(5 << 16 | LIMIT | OTHER_DEVICE), NULL};
    void *unknown[] = {(void *)(intptr_t)(-1 * (1 << 16) | LIMIT), NULL};
    void *zero[] = {(void *)(0 << 16 | LIMIT), NULL};
    void *huge[] = {(void *)(FOLLOWS | LIMIT), (void *)(intptr_t)1000000000000, NULL};
    void *nothing[] = {NULL};
    CHECK_EQUAL(12, limit_of(embedded));
    CHECK_EQUAL(70000, limit_of(following));
    CHECK_EQUAL(none, limit_of(elsewhere));
    CHECK_EQUAL(none, limit_of(unknown));
    CHECK_EQUAL(none, limit_of(zero));
    CHECK_EQUAL(INT32_MAX, limit_of(huge));
    CHECK_EQUAL(none, limit_of(nothing));
    CHECK_EQUAL(none, limit_of(NULL));
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

static pid_t child;

static void fork_here(void *data)
{
    child = fork();
    CHECK(child >= 0);
    ghcomp_team_parallel(count, data, 3, 0);
}

static void fork_in_target(void *data)
{
    if (ghcomp_self()->tid == 0)
        ghcomp_target_run(fork_here, data, 0);
}

static void test_fork(void)
{
#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a process with threads */
    if (unit_without("fork"))
        return;
    ran = 0;
    ghcomp_team_parallel(fork_in_target, NULL, 3, 0);
    ghcomp_team_parallel(count, NULL, 4, 0);
    int depth = 2;
    ghcomp_target_run(nest, &depth, 0);
    CHECK_EQUAL(3 + 4 + 3 * 4, ran);
    if (child == 0)
        _exit(0);
    CHECK_EQUAL(0, status_of(child));
#else
    (void)fork_in_target;
#endif
}

int main(void)
{
    test_nesting();
    test_leagues();
    test_tasks();
    test_copies();
    test_attached();
    test_arguments();
    test_fork();
    return 0;
}
