/* Large teams, and bugs that distributed barriers have had elsewhere: the step from spinning on a group's word to
   sleep, a cancellation that outlives its region, threads that are delayed while others go on, and a team's memory that
   is used again while tasks run. Also: which teams are large, sizes on both sides of that limit, hundreds of threads.
   With ALWAYS_SLEEP (barrier_policy_sleep.c) every wait parks at once. Runs under ASan+UBSan and TSan.
   limit: 120 */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/affinity/affinity.h"
#include "core/sync/barrier.h"
#include "core/sync/barrier_flags.h"
#include "core/team/cancel.h"
#include "core/team/barrier_policy.h"
#include "core/team/pool.h"
#include "core/task/task.h"
#include "core/sync/task_team.h"
#include "core/team/team.h"
#include "core/sync/combining_tree.h"
#include "core/cpu/wait.h"

enum { MOST = 256 };

static void until(_Atomic uint32_t *counter, uint32_t value)
{
    while (ghcomp_load_acquire(counter) != value)
        ghcomp_os_yield();
}

static void region(void (*fn)(void *), uint32_t size)
{
    ghcomp_team_parallel(fn, NULL, size, 0);
}

/* --- barriers: no member is an episode ahead ---------------------------------------------------------------------- */

static _Atomic uint32_t in_phase;
static uint32_t plain, phases;

static void march(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    uint32_t size = self->team->size;
    CHECK_EQUAL(size >= ghcomp_tree_from, self->team->by_tree);
    for (uint32_t phase = 0; phase < phases; phase++) {
        ghcomp_add_relaxed(&in_phase, 1u);
        if (self->tid == phase % size)
            plain = phase;
        ghcomp_barrier_wait(self);
        CHECK_EQUAL((phase + 1) * size, in_phase);
        CHECK_EQUAL(phase, plain);
        ghcomp_barrier_wait(self);
    }
}

static void march_of(uint32_t size, uint32_t count)
{
    in_phase = 0;
    phases = count;
    region(march, size);
    CHECK_EQUAL(size * count, in_phase);
}

/* Sizes on both sides of the limit, so that the same team has a tree, has none, and has another one; and more than 256
   episodes in one team: the eventcount's episode number wraps around at 256. */
static void sizes_come_and_go(void)
{
    static const uint32_t sizes[] = {40, 5, 32, 31, 33, 64, 2, 1, 35};
    for (int round = 0; round < 5; round++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            march_of(sizes[i], 3);
    ghcomp_tree_from = 2;
    march_of(6, 400);
    ghcomp_tree_from = 32;
}

/* --- the group's word, the eventcount, sleep ---------------------------------------------------------------------- */

static _Atomic uint32_t passed, held_back;

/* Member 0 tells group 1, but only after all others have passed the barrier: they do so without being told. Another
   member, each time a different one, arrives after member 0, which therefore is not the last. */
static void without_the_teller(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    uint32_t size = self->team->size;
    for (uint32_t round = 1; round <= 20; round++) {
        if (self->tid == 0) {
            struct ghcomp_wait_pause pause = {.fn = NULL};
            CHECK(!ghcomp_barrier_arrive(self, &pause, 0));
            ghcomp_add_release(&held_back, 1u);
            until(&passed, round * (size - 1));
            CHECK(ghcomp_barrier_wait_paused(self, &pause));
        } else {
            if (self->tid == 1 + round % (size - 1))
                until(&held_back, round);
            ghcomp_barrier_wait(self);
            ghcomp_add_release(&passed, 1u);
        }
        /* A member that arrives here may find the group's word one episode behind. */
        ghcomp_barrier_wait(self);
    }
}

static void groups_need_no_teller(void)
{
    for (uint32_t size = 5; size <= 25; size += 10) {
        passed = held_back = 0;
        region(without_the_teller, size);
        CHECK_EQUAL(20 * (size - 1), passed);
        CHECK_EQUAL(20, held_back);
    }
}

/* --- cancellation ------------------------------------------------------------------------------------------------- */

static _Atomic uint32_t left_early, here;

/* Some members have arrived, the others never do. */
static void cancel_in_the_middle(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    uint32_t size = self->team->size;
    ghcomp_barrier_wait(self);
    if (self->tid < size / 2) {
        ghcomp_add_release(&here, 1u);
        if (ghcomp_barrier_wait_cancellable(self))
            ghcomp_add_relaxed(&left_early, 1u);
    } else if (self->tid == size - 1) {
        until(&here, size / 2);
        CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_PARALLEL));
    }
}

static void cancel_a_loop(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (uint32_t round = 0; round < 10; round++) {
        CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
        ghcomp_barrier_wait(self);
        if (self->tid == round % self->team->size)
            CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_LOOP));
        CHECK(!ghcomp_barrier_wait_cancellable(self)); /* the end of a loop does not end the region */
    }
}

static void nothing_stays_cancelled(void)
{
    ghcomp_global.cancel = true;
    for (int round = 0; round < 60; round++) {
        static const uint32_t sizes[] = {4, 5, 17, 34};
        uint32_t size = sizes[round % 4];
        left_early = here = 0;
        region(cancel_in_the_middle, size);
        CHECK_EQUAL(size / 2, left_early);
        march_of(size, 3);
        region(cancel_a_loop, size);
        march_of(size, 1);
    }
    ghcomp_global.cancel = false;
}

/* --- a thread that is delayed while others go on ------------------------------------------------------------------ */

#ifndef __SANITIZE_THREAD__ /* TSan chooses when signals arrive */
static _Atomic uint32_t begun, visits[MOST];

static void visit(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_add_relaxed(&visits[self->tid], 1u);
    ghcomp_add_release(&begun, 1u);
    ghcomp_barrier_wait(self);
}

static _Atomic uint32_t holding, held;

static void hold(int number)
{
    (void)number;
    ghcomp_store_release(&held, 1u);
    while (ghcomp_load_acquire(&holding))
        ghcomp_os_yield();
}

/* Ends the delay when every thread that does not depend on the delayed one has begun. */
static void *let_go(void *data)
{
    uint32_t can = (uint32_t)(uintptr_t)data;
    for (int i = 0; i < 2000 && ghcomp_load_acquire(&begun) < can; i++)
        ghcomp_os_nap(100000);
    for (int i = 0; i < 20; i++)
        ghcomp_os_yield();
    ghcomp_store_release(&holding, 0u);
    return NULL;
}

/* A worker is stopped between regions, wherever it is; then the next region begins, and the one after it. */
static void held_between_regions(void)
{
    struct sigaction action = {.sa_handler = hold};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    enum { SIZE = 19 };
    for (uint32_t tid = 1; tid < SIZE; tid++) {
        memset(visits, 0, sizeof visits);
        region(visit, SIZE);
        struct ghcomp_thread *worker = ghcomp_self()->hot->members[tid]->thread;
        begun = held = 0;
        holding = 1;
        CHECK(pthread_kill(worker->handle, SIGUSR1) == 0);
        until(&held, 1);
        pthread_t helper;
        CHECK(pthread_create(&helper, NULL, let_go, (void *)(uintptr_t)(SIZE - 1)) == 0);
        region(visit, SIZE);
        CHECK_EQUAL(0, holding); /* the region did not end without it */
        CHECK_EQUAL(SIZE, begun);
        begun = 0;
        region(visit, SIZE);
        for (uint32_t i = 0; i < SIZE; i++)
            CHECK_EQUAL(3, visits[i]);
        CHECK(pthread_join(helper, NULL) == 0);
    }
}
#endif

/* --- a team's memory ---------------------------------------------------------------------------------------------- */

static void count_up(void *data)
{
    ghcomp_add_relaxed((_Atomic uint32_t *)*(void **)data, 1u);
}

struct job {
    uint32_t size;
    _Atomic uint32_t ran;
};

/* Tasks at the region's end: workers are at the region's door when the team has ended already. */
static void tasks_at_the_end(void *data)
{
    struct job *job = data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid % 3 == 0)
        ghcomp_barrier_wait_cancellable(self);
    else
        ghcomp_barrier_wait(self);
    if (self->tid == self->team->size - 1)
        for (int i = 0; i < 20; i++) {
            _Atomic uint32_t *ran = &job->ran;
            struct ghcomp_task *task = ghcomp_task_new(self, count_up, sizeof(void *), sizeof(void *), 0);
            *(_Atomic uint32_t **)task->data = ran;
            ghcomp_task_submit(self, task);
        }
}

static void *short_master(void *data)
{
    uint32_t seed = (uint32_t)(uintptr_t)data;
    for (int i = 0; i < 3; i++) {
        struct job job = {.size = 2 + (seed + (uint32_t)i) % 8};
        ghcomp_team_parallel(tasks_at_the_end, &job, job.size, 0);
        CHECK_EQUAL(20, job.ran);
    }
    return NULL;
}

/* Each master leaves its team to the next one, which uses its memory again. */
static void teams_are_used_again(void)
{
    enum { MASTERS = 3, ROUNDS = 25 };
    pthread_t threads[MASTERS];
    for (uintptr_t round = 0; round < ROUNDS; round++) {
        for (uintptr_t i = 0; i < MASTERS; i++)
            CHECK(pthread_create(&threads[i], NULL, short_master, (void *)(round + i)) == 0);
        for (int i = 0; i < MASTERS; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
    }
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

static void child_of_fork(void)
{
#ifndef __SANITIZE_THREAD__ /* TSan cannot start threads in the child of a process with threads */
    if (unit_without("fork"))
        return;
    march_of(40, 2);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        march_of(40, 2);
        march_of(33, 2);
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    march_of(40, 2);
#endif
}

/* --- which teams are large ---------------------------------------------------------------------------------------- */

/* The least large team on a machine with `cpus` CPUs and places of two each for the first `in_places` of them, where
   the default team has 64 threads, or `nthreads`, set by the user; UINT32_MAX: none is large. */
static uint32_t large_from(uint32_t cpus, uint32_t in_places, uint32_t nthreads)
{
    static struct ghcomp_cpus list[33];
    memset(list, 0, sizeof list);
    for (uint32_t cpu = 0; cpu < in_places; cpu++)
        ghcomp_cpus_add(&list[cpu / 2], cpu);
    list[in_places / 2] = list[0]; /* places may overlap */
    struct ghcomp_places places_before = ghcomp_affinity.places;
    bool set_before = ghcomp_global.nthreads_set;
    uint32_t nthreads_before = ghcomp_global.initial.nthreads, cpus_before = ghcomp_global.num_cpus;
    ghcomp_affinity.places = (struct ghcomp_places){.count = in_places == 0 ? 0 : in_places / 2 + 1, .list = list};
    ghcomp_global.nthreads_set = nthreads != 0;
    ghcomp_global.initial.nthreads = nthreads != 0 ? nthreads : 64;
    ghcomp_global.num_cpus = cpus;
    ghcomp_barrier_policy_init();
    uint32_t from = ghcomp_tree_from;
    ghcomp_affinity.places = places_before;
    ghcomp_global.nthreads_set = set_before;
    ghcomp_global.initial.nthreads = nthreads_before;
    ghcomp_global.num_cpus = cpus_before;
    CHECK_EQUAL(from == UINT32_MAX ? GHCOMP_BARRIER_FLAT : GHCOMP_BARRIER_TREE, ghcomp_barrier_policy_kind());
    ghcomp_barrier_policy_init();
    return from;
}

static void places_narrow_the_machine(void)
{
    CHECK_EQUAL(32, large_from(64, 0, 0));
    CHECK_EQUAL(32, large_from(64, 64, 0));
    CHECK_EQUAL(32, large_from(64, 32, 0));
    CHECK_EQUAL(UINT32_MAX, large_from(64, 30, 0));
    CHECK_EQUAL(UINT32_MAX, large_from(64, 2, 0));
}

static void few_cpus_have_larger_teams(void)
{
    CHECK_EQUAL(32, large_from(16, 0, 32));
    CHECK_EQUAL(UINT32_MAX, large_from(16, 0, 31));
    CHECK_EQUAL(UINT32_MAX, large_from(15, 0, 64));
    CHECK_EQUAL(UINT32_MAX, large_from(15, 0, 127));
    CHECK_EQUAL(128, large_from(15, 0, 128));
    CHECK_EQUAL(32, large_from(64, 16, 64));
    CHECK_EQUAL(UINT32_MAX, large_from(64, 14, 64));
    CHECK_EQUAL(128, large_from(64, 2, 200));
}

/* libomp's variables. Which of them is set, in which order they count: test/scripts/environment.sh. */
static void libomps_words_count(void)
{
    struct ghcomp_kmp_pair *pattern = &ghcomp_settings.patterns[GHCOMP_KMP_PLAIN];
    struct ghcomp_kmp_pair *branches = &ghcomp_settings.branches[GHCOMP_KMP_REDUCTION];
    struct ghcomp_kmp_pair pattern_before = *pattern, branches_before = *branches;
    branches->given = true;
    CHECK_EQUAL(UINT32_MAX, large_from(64, 0, 64));
    *pattern = (struct ghcomp_kmp_pair){GHCOMP_PATTERN_LINEAR, GHCOMP_PATTERN_HYPER, true};
    CHECK_EQUAL(2, large_from(64, 0, 64));
    *pattern = (struct ghcomp_kmp_pair){GHCOMP_PATTERN_LINEAR, GHCOMP_PATTERN_LINEAR, true};
    CHECK_EQUAL(UINT32_MAX, large_from(64, 0, 64));
    *branches = branches_before;
    CHECK_EQUAL(UINT32_MAX, large_from(64, 0, 64));
    *pattern = pattern_before;
    CHECK_EQUAL(32, large_from(64, 0, 64));
}

static void small_teams_wait_by_flags(void)
{
    static const uint32_t cpus[] = {1, 2, 3, 7, 8, 64}, to[] = {2, 4, 6, 8, 8, 8}, unfenced[] = {1, 2, 3, 7, 8, 8};
    uint32_t before = ghcomp_global.num_cpus;
    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
        ghcomp_global.num_cpus = cpus[i];
        ghcomp_barrier_policy_init();
        CHECK_EQUAL(to[i], ghcomp_flags_to);
        CHECK_EQUAL(unfenced[i], ghcomp_unfenced_to);
    }
    ghcomp_global.num_cpus = 2;
    ghcomp_global.wait_policy = GHCOMP_POLICY_PASSIVE;
    ghcomp_barrier_policy_init();
    CHECK_EQUAL(2, ghcomp_flags_to);
    ghcomp_global.wait_policy = GHCOMP_POLICY_UNSET;
    ghcomp_global.num_cpus = before;
    ghcomp_barrier_policy_init();
}

int main(void)
{
    ghcomp_env_init();
    small_teams_wait_by_flags();
    places_narrow_the_machine();
    few_cpus_have_larger_teams();
    libomps_words_count();
#ifdef ALWAYS_SLEEP /* see barrier_policy_sleep.c */
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++)
        ghcomp_wait_set_limit(kind, 0, 0);
#endif
    ghcomp_tree_from = 32;
    sizes_come_and_go();
    child_of_fork();
    march_of(MOST, 4);
    ghcomp_tree_from = 2;
    groups_need_no_teller();
    nothing_stays_cancelled();
    teams_are_used_again();
#ifndef __SANITIZE_THREAD__
    held_between_regions();
#endif
    return 0;
}
