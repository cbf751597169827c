/* The explorer: runs a scenario's threads under every schedule within bounds, on the runtime's own code.
 *
 * Threads are stacks of this one OS thread (a switch is some nanoseconds), and one runs at a time. Before each
 * operation of shadow/base/atomic.h, futex call, mutex and yield, a thread asks the scheduler which thread continues.
 * An address that only one thread uses, or none writes, needs no such point: the explorer learns which addresses
 * threads share, and begins again when it learns another one. Thread-local variables are in a section of their own
 * (shadow/thread.h), which a switch exchanges. Between two schedules .data and .bss are restored, and the memory that
 * malloc gave is all free again.
 *
 * Schedules. A bounded search is depth first (stateless: each schedule runs from the start), with a bound on
 * preemptions, that is, switches away from a thread that could go on (Musuvathi and Qadeer, "Iterative Context
 * Bounding", 2007). Where a thread cannot go on, or yields, the others take turns; another choice is free where it
 * cannot, PICKS times, and costs a preemption where it yields. So no schedule is unfair for ever. A full search has
 * no such bound, and leaves out schedules that differ from another one in the order of independent steps alone:
 * sleep sets (Godefroid, 1996). Random schedules follow: every other one by random priorities that drop at a few
 * random steps (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", 2010),
 * the others by a die at each step. In every other one by priorities these are real-time ones: a yield, unlike a nap,
 * lets no thread of lower priority go on, so that a wait that counts on yields alone is a livelock. Seeds are fixed, so
 * that a run explores the same schedules each time.
 *
 * Memory. Total store order, as on x86-64: a store waits in its thread's buffer, a queue, and becomes visible by a
 * step of its own, which the scheduler chooses. Its own thread's loads see it at once. Fenced read-modify-writes,
 * futex calls, mutexes and yields wait until the buffer is empty, a fence of all threads until all buffers are.
 * Relaxed read-modify-writes do not wait, which x86-64 never does. In a bounded search a store is visible at once,
 * except for a bounded number of delayed ones.
 *
 * As many random schedules again are under C11's orders (history.c): stores are visible at once, and a few loads, up to
 * OLD_LOADS of those that may, read an old value. Plain accesses always see the newest value; ThreadSanitizer checks
 * those in the unit tests.
 *
 * Futexes keep a queue of sleepers for each word, woken in order. If no thread can continue, there is a deadlock,
 * unless only daemons are left, or yielding threads, which then look once more, or sleeps with a limit. A thread that
 * yields goes on when another thread has written since its last look; STUCK looks at unchanged memory are a livelock.
 *
 * The files. explore.c runs all schedules of a scenario. fiber.c switches between threads; scheduler.c says who can go
 * on, and when time passes; search.c chooses among these. What threads do: operations.c has the operations of atomic.h,
 * yields and the clock, blocking.c futexes and mutexes. memory.c is total store order, history.c C11's. arena.c has
 * malloc, and restores memory between schedules; trace.c reports failures; os.c is the runtime's operating system.
 * state.h has the state that these share.
 *
 * Harnesses use it by ../explore.h, the runtime's files by shadow/base/atomic.h and host/os.h. Its tests are the
 * mutants of the harnesses (test/explore/run.py), and test/scripts/explore_test.py. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "history.h"
#include "state.h"

struct explore *X;

void explore_quiet(bool quiet)
{
    X->quiet = quiet;
}

unsigned explore_timeouts(void)
{
    return X->timeouts;
}

static void run_once(void)
{
    arena_restore();
    fibers_clear();
    X->used = X->step = X->mutex_count = X->timeouts = X->stuck = 0;
    X->preemptions = X->picked = X->delays = X->spurious = X->sleep = X->old = 0;
    X->writes = X->sleeps = X->stuck_at = 0;
    X->now = 1000000000;
    X->quiet = X->pruned = false;
    history_start();
    X->scenario->setup();
    X->running = true;
    fibers_start();
    fibers_run();
    if (!X->pruned)
        for (unsigned i = 0; i < X->fibers; i++)
            buffer_flush_all(i);
    X->running = false;
    if (X->step > X->longest)
        X->longest = X->step;
    if (X->pruned)
        X->pruned_runs++;
    else if (X->scenario->finish != NULL)
        X->scenario->finish();
}

static void run_randomly(uint64_t seed, enum mode mode)
{
    search_seed(seed, mode);
    run_once();
    X->random_runs++;
}

/* Some random schedules first: they find most of the shared addresses, and shallow defects. */
enum { FIRST = 200 };

static void begin_scenario(const struct explore_scenario *scenario)
{
    X->scenario = scenario;
    X->runs = X->random_runs = X->pruned_runs = 0;
    X->longest = X->ignored_count = X->shared_count = 0;
    memset(X->addresses, 0, sizeof X->addresses);
    X->depth = 0;
    for (uint64_t seed = 1; seed <= FIRST; seed++)
        run_randomly(seed, RANDOM);
}

/* A short look at a scenario, which finds most defects that the whole search does. */
static void glance(const struct explore_scenario *scenario)
{
    begin_scenario(scenario);
    for (uint64_t seed = 1; seed <= FIRST; seed++)
        run_randomly(seed, RANDOM_C11);
}

static void explore(const struct explore_scenario *scenario, bool deep)
{
    struct explore_scenario use = *scenario;
    if (deep) {
        use.preemptions += use.full ? 0 : 1;
        use.schedules *= 40;
        use.random *= 40;
    }
    begin_scenario(&use);
    bool complete;
    unsigned long long begun = 0;
    do {
        X->mode = use.full ? FULL : BOUNDED;
        X->depth = 0;
        X->learned = complete = false;
        X->pruned_runs = 0;
        begun = X->runs;
        do {
            run_once();
            X->runs++;
        } while (!X->learned && !(complete = !search_backtrack()) && (use.schedules == 0 || X->runs < use.schedules));
    } while (X->learned);
    for (uint64_t seed = FIRST + 1; seed <= use.random; seed++)
        run_randomly(seed, RANDOM);
    unsigned long long random_runs = X->random_runs;
    for (uint64_t seed = 1; seed <= random_runs; seed++)
        run_randomly(seed, RANDOM_C11);
    char bounds[200];
    if (use.full)
        snprintf(bounds, sizeof bounds, "any preemptions and delays (sleep sets left out %llu)", X->pruned_runs);
    else
        snprintf(bounds, sizeof bounds, "%u preemptions, %u delayed stores", use.preemptions, use.delays);
    printf("%s: %llu schedules, %s: %s, %u early wake-ups; %llu random ones, and as many under C11's orders; "
           "at most %u steps\n", use.name,
           X->runs - begun, complete ? "all" : "not all", bounds, use.spurious, random_runs, X->longest);
    fflush(stdout);
}

int explore_main(int argc, char **argv, const struct explore_scenario *scenarios, size_t count)
{
    const char *words = getenv("GHCOMP_DEEP");
    bool deep = words != NULL && strcmp(words, "1") == 0;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < count; i++)
            puts(scenarios[i].name);
        return 0;
    }
    bool first = argc > 1 && strcmp(argv[1], "--glance") == 0;
    for (size_t i = 0; first && i < count; i++)
        glance(&scenarios[i]);
    for (size_t i = 0; i < count; i++) {
        bool named = argc <= 1 + first;
        for (int j = 1 + first; j < argc; j++)
            named |= strcmp(argv[j], scenarios[i].name) == 0;
        if (named)
            explore(&scenarios[i], deep);
    }
    return 0;
}

/* Before the runtime's constructors: they use atomic operations, too. */
__attribute__((constructor(101))) static void begin(void)
{
    X = mmap(NULL, sizeof *X, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    history_begin();
    arena_begin();
}

/* After them: what they have set up is what every schedule starts with. */
__attribute__((constructor)) static void keep(void)
{
    arena_keep();
}
