/* core/sync/lock.c: exclusion and happens-before under contention (ThreadSanitizer watches the plain counters),
 * sleeping and waking, claims, waiters that give up, nest locks, the child of fork(), and freedom from starvation.
 * timing-part: how often a thread gets the lock that another one takes again and again
 */
#include "core/sync/lock.h"

#include <string.h>

#include "core/team/pool.h"
#include "core/cpu/wait.h"
#include "process.h"

enum { THREADS = 4, TURNS = 20000 };

static _Atomic uint32_t lock;
static long counter;          /* plain on purpose: only the lock orders it */
static _Atomic uint32_t gate;

static void start(pthread_t *threads, int count, void *(*entry)(void *))
{
    for (intptr_t i = 0; i < count; i++)
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, entry, (void *)i));
}

static void finish(pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}

static void *add_many(void *argument)
{
    for (int i = 0; i < TURNS; i++) {
        if ((i & 7) != 0)
            ghcomp_lock_take(&lock);
        else
            while (!ghcomp_lock_try(&lock))
                ghcomp_os_yield();
        counter++;
        ghcomp_lock_give(&lock);
    }
    return argument;
}

static void test_exclusion(void)
{
    pthread_t threads[THREADS];
    counter = 0;
    start(threads, THREADS, add_many);
    finish(threads, THREADS);
    CHECK_EQUAL(THREADS * TURNS, counter);
    CHECK_EQUAL(0, ghcomp_load_relaxed(&lock) & ~(uint32_t)GHCOMP_LOCK_SLEEPERS);
}

static void *take_once(void *argument)
{
    ghcomp_lock_take(&lock);
    counter++;
    ghcomp_lock_give(&lock);
    return argument;
}

/* Every waiter sleeps before the holder gives the lock: the wake-ups must reach all of them. */
static void test_sleepers(void)
{
    for (int turn = 0; turn < 20; turn++) {
        pthread_t threads[THREADS];
        counter = 0;
        ghcomp_lock_take(&lock);
        start(threads, THREADS, take_once);
        uint32_t want = GHCOMP_LOCK_SLEEPERS;
        /* On a free CPU one of the waiters has claimed the next turn, and sleeps as the claimer. */
        while ((ghcomp_load_relaxed(&lock) & want) != want)
            ghcomp_os_yield();
        CHECK_EQUAL(0, counter);
        ghcomp_lock_give(&lock);
        finish(threads, THREADS);
        CHECK_EQUAL(THREADS, counter);
        ghcomp_lock_init(&lock);
    }
}

/* A waiter on a free CPU claims the next turn; giving the lock wakes this one. */
static void test_claimer_sleeps(void)
{
    for (int turn = 0; turn < 20; turn++) {
        pthread_t thread;
        counter = 0;
        ghcomp_lock_take(&lock);
        start(&thread, 1, take_once);
        while (!(ghcomp_load_relaxed(&lock) & GHCOMP_LOCK_CLAIM_SLEEPS))
            ghcomp_os_yield();
        ghcomp_lock_give(&lock);
        finish(&thread, 1);
        CHECK_EQUAL(1, counter);
        CHECK_EQUAL(0, ghcomp_load_relaxed(&lock) & GHCOMP_LOCK_CLAIMED);
        ghcomp_lock_init(&lock);
    }
}

/* With budgets of zero every failed try sleeps. */
static void test_passive(void)
{
    struct ghcomp_wait_settings was = ghcomp_wait_settings;
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++)
        ghcomp_wait_set_limit(kind, 0, 0);
    test_exclusion();
    test_sleepers();
    test_claimer_sleeps();
    ghcomp_wait_settings = was;
}

/* Oversubscribed, as far as the runtime knows: waiters yield their CPU, and claim late. */
static void test_oversubscribed(void)
{
    ghcomp_add_relaxed(&ghcomp_cpu_load.awake, 100000u);
    CHECK(ghcomp_cpu_load_oversubscribed());
    test_exclusion();
    test_sleepers();
    ghcomp_sub_relaxed(&ghcomp_cpu_load.awake, 100000u);
}

static uint32_t claim_of_generation(uint32_t generation)
{
    return GHCOMP_LOCK_CLAIMED | (generation << 4 & 0xf0);
}

static void test_claims(void)
{
    ghcomp_store_relaxed(&lock, claim_of_generation(ghcomp_process_generation));
    CHECK(!ghcomp_lock_try(&lock));
    ghcomp_store_relaxed(&lock, claim_of_generation(ghcomp_process_generation + 1));
    CHECK(ghcomp_lock_try(&lock));
    CHECK_EQUAL(GHCOMP_LOCK_HELD, ghcomp_load_relaxed(&lock));
    /* A claim stays when the holder gives the lock. */
    ghcomp_store_relaxed(&lock, GHCOMP_LOCK_HELD | claim_of_generation(ghcomp_process_generation));
    ghcomp_lock_give(&lock);
    CHECK(!ghcomp_lock_try(&lock));
    ghcomp_lock_init(&lock);
}

/* The child holds what its thread held; the claims and sleepers of the parent's other threads mean nothing to it. */
static void test_fork(void)
{
    ghcomp_store_relaxed(&lock, GHCOMP_LOCK_HELD | GHCOMP_LOCK_SLEEPERS | GHCOMP_LOCK_CLAIM_SLEEPS |
                                    claim_of_generation(ghcomp_process_generation));
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        if (ghcomp_lock_try(&lock))
            _exit(2);
        ghcomp_lock_give(&lock);
        for (int i = 0; i < 3; i++) {
            ghcomp_lock_take(&lock);
            ghcomp_lock_give(&lock);
        }
        _exit(0);
    }
    CHECK_EQUAL(0, status_of(child));
    ghcomp_lock_init(&lock);
}

static struct {
    unsigned char before[4];
    struct ghcomp_nest_lock nest;
    unsigned char after[8];
} guarded;

static void *nest_many(void *argument)
{
    uint32_t me = 1 + (uint32_t)(intptr_t)argument;
    for (int i = 0; i < TURNS / 4; i++) {
        ghcomp_nest_lock_take(&guarded.nest, me);
        ghcomp_nest_lock_take(&guarded.nest, me);
        CHECK_EQUAL(3, ghcomp_nest_lock_try(&guarded.nest, me));
        counter++;
        for (int depth = 0; depth < 3; depth++)
            ghcomp_nest_lock_give(&guarded.nest);
    }
    return NULL;
}

static void test_nest(void)
{
    memset(&guarded, 0x5a, sizeof guarded);
    ghcomp_nest_lock_init(&guarded.nest);
    CHECK_EQUAL(1, ghcomp_nest_lock_try(&guarded.nest, 7));
    CHECK_EQUAL(0, ghcomp_nest_lock_try(&guarded.nest, 8));
    CHECK_EQUAL(2, ghcomp_nest_lock_try(&guarded.nest, 7));
    ghcomp_nest_lock_give(&guarded.nest);
    CHECK_EQUAL(0, ghcomp_nest_lock_try(&guarded.nest, 8));
    ghcomp_nest_lock_give(&guarded.nest);
    CHECK_EQUAL(1, ghcomp_nest_lock_try(&guarded.nest, 8));
    ghcomp_nest_lock_give(&guarded.nest);
    pthread_t threads[THREADS];
    counter = 0;
    start(threads, THREADS, nest_many);
    finish(threads, THREADS);
    CHECK_EQUAL(THREADS * (TURNS / 4), counter);
    for (size_t i = 0; i < sizeof guarded.before; i++)
        CHECK_EQUAL(0x5a, guarded.before[i]);
    for (size_t i = 0; i < sizeof guarded.after; i++)
        CHECK_EQUAL(0x5a, guarded.after[i]);
}

enum { GREEDY_LIMIT = 500 * 1000 * 1000, MODEST_TURNS = 1000 };

static void *modest(void *argument)
{
    for (int i = 0; i < MODEST_TURNS; i++) {
        ghcomp_lock_take(&lock);
        ghcomp_lock_give(&lock);
    }
    ghcomp_store_release(&gate, 1u);
    return argument;
}

/* A thread that does nothing but take the lock does not keep it from one that wants it now and then. */
static void test_no_starvation(void)
{
    pthread_t other;
    ghcomp_store_relaxed(&gate, 0u);
    start(&other, 1, modest);
    long mine = 0;
    while (ghcomp_load_acquire(&gate) == 0) {
        ghcomp_lock_take(&lock);
        mine++;
        ghcomp_lock_give(&lock);
        CHECK(mine < GREEDY_LIMIT);
    }
    finish(&other, 1);
}

/* Threads that claim turns from each other do not keep a third one asleep: giving the lock while it is claimed wakes a
   sleeper too, and that sleeper must record that others may still sleep. */
static void test_sleeper_beside_claims(void)
{
    struct ghcomp_wait_limits were = ghcomp_wait_limits(GHCOMP_WAIT_LOCK);
    /* A woken thread stays awake for half a second. */
    ghcomp_wait_set_limit(GHCOMP_WAIT_LOCK, 500 * 1000 * 1000, were.oversubscribed);
    counter = 0;
    ghcomp_store_relaxed(&lock, GHCOMP_LOCK_HELD | claim_of_generation(ghcomp_process_generation));
    pthread_t sleeper;
    start(&sleeper, 1, take_once);
    while (!(ghcomp_load_relaxed(&lock) & GHCOMP_LOCK_SLEEPERS))
        ghcomp_os_yield();
    ghcomp_lock_give(&lock);
    CHECK_EQUAL(claim_of_generation(ghcomp_process_generation), ghcomp_load_relaxed(&lock));
    /* The claimer has had its turn, and the lock word says nothing of the sleeper. */
    ghcomp_store_release(&lock, 0u);
    finish(&sleeper, 1);
    CHECK_EQUAL(1, counter);
    ghcomp_lock_init(&lock);
    ghcomp_wait_set_limit(GHCOMP_WAIT_LOCK, were.free, were.oversubscribed);
}

enum { SHORT_NS = 3000000 };

static void *add_if_in_time(void *argument)
{
    intptr_t taken = 0;
    for (int i = 0; i < TURNS / 10; i++) {
        if (!ghcomp_lock_take_for(&lock, i % 2 == 0 ? 1000 : 100000))
            continue;
        counter++;
        taken++;
        ghcomp_lock_give(&lock);
    }
    (void)argument;
    return (void *)taken;
}

/* A wait ends with the lock or after its time, and leaves no claim and no other mark by which later takes would wait;
   with patient threads and hasty ones, each take is one of a free lock. */
static void test_giving_up(void)
{
    counter = 0;
    ghcomp_lock_take(&lock);
    for (int i = 0; i < 3; i++) {
        uint64_t begin = ghcomp_os_now();
        CHECK(!ghcomp_lock_take_for(&lock, SHORT_NS));
        CHECK(ghcomp_os_now() - begin >= SHORT_NS);
        CHECK_EQUAL(GHCOMP_LOCK_HELD, ghcomp_load_relaxed(&lock) & ~(uint32_t)GHCOMP_LOCK_SLEEPERS);
    }
    ghcomp_lock_give(&lock);
    CHECK_EQUAL(0, ghcomp_load_relaxed(&lock));
    CHECK(ghcomp_lock_take_for(&lock, SHORT_NS));
    pthread_t patient[THREADS], hasty[THREADS];
    start(patient, THREADS, take_once);
    start(hasty, THREADS, add_if_in_time);
    ghcomp_os_nap(SHORT_NS);
    ghcomp_lock_give(&lock);
    long takes = THREADS;
    for (int i = 0; i < THREADS; i++) {
        void *taken;
        CHECK_EQUAL(0, pthread_join(hasty[i], &taken));
        takes += (intptr_t)taken;
    }
    finish(patient, THREADS);
    CHECK_EQUAL(takes, counter);
    CHECK_EQUAL(0, ghcomp_load_relaxed(&lock) & ~(uint32_t)GHCOMP_LOCK_SLEEPERS);
    ghcomp_lock_init(&lock);
}

static void *name_of_thread(void *argument)
{
    *(uint32_t *)argument = ghcomp_lock_thread_name(ghcomp_self()->thread);
    return NULL;
}

static void test_names(void)
{
    uint32_t mine = ghcomp_lock_thread_name(ghcomp_self()->thread), other = 0;
    CHECK(mine != 0);
    CHECK_EQUAL(mine, ghcomp_lock_thread_name(ghcomp_self()->thread));
    pthread_t thread;
    CHECK_EQUAL(0, pthread_create(&thread, NULL, name_of_thread, &other));
    finish(&thread, 1);
    CHECK(other != 0 && other != mine);
}

int main(void)
{
    test_exclusion();
    test_sleepers();
    test_claimer_sleeps();
    test_passive();
    test_oversubscribed();
    test_claims();
    test_fork();
    test_nest();
    if (unit_timing())
        test_no_starvation();
    test_sleeper_beside_claims();
    test_giving_up();
    test_names();
    return 0;
}
