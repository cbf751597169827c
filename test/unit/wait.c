/* Waiting: the handshake of the futex word under every budget, between two threads that change a word for each other;
   bounded sleeps; which threads are counted as awake; and when a large team forgets why it sleeps. */
#include "unit.h"

#include <pthread.h>

#include "core/state/icv.h"
#include "core/team/team.h"
#include "core/cpu/neighbours.h"
#include "core/cpu/wait.h"
#include "host/os.h"

enum { TURNS = 2000 };

struct side {
    _Atomic uint32_t *mine, *theirs;
    int slept;
};

static void change(_Atomic uint32_t *word)
{
    uint32_t value = ghcomp_load_relaxed(word) & ~1u;
    if (ghcomp_xchg_acqrel(word, value + 2) & 1u)
        ghcomp_os_wake(word, 1);
}

static void *answer(void *data)
{
    struct side *side = data;
    uint32_t seen = 0;
    for (int i = 0, rounds = unit_rounds(TURNS); i < rounds; i++) {
        bool slept;
        seen = ghcomp_wait_change(side->theirs, seen, GHCOMP_WAIT_TEAM, &slept);
        side->slept += slept;
        CHECK_EQUAL(2 * (i + 1), seen);
        change(side->mine);
    }
    return NULL;
}

static int ping_pong(uint64_t budget)
{
    ghcomp_wait_set_limit(GHCOMP_WAIT_TEAM, budget, budget);
    _Atomic uint32_t there = 0, back = 0;
    struct side side = {.mine = &back, .theirs = &there};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, answer, &side) == 0);
    uint32_t seen = 0;
    int slept_here = 0;
    for (int i = 0, rounds = unit_rounds(TURNS); i < rounds; i++) {
        bool slept;
        change(&there);
        seen = ghcomp_wait_change(&back, seen, GHCOMP_WAIT_TEAM, &slept);
        slept_here += slept;
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return slept_here + side.slept;
}

/* One member parks with a limit, again and again, while the other looks: a sleeping worker is not counted as awake, and
   a thread of the program's own never is. */
enum { PARKS = 50 };
static uint32_t parking_tid;
static _Atomic uint32_t word, parked, woken;

static void park_and_look(void *data)
{
    uint32_t awake = *(const uint32_t *)data;
    for (uint32_t turn = 1; turn <= PARKS; turn++) {
        if (ghcomp_self()->tid == parking_tid) {
            ghcomp_store_release(&parked, turn);
            while (ghcomp_load_acquire(&woken) < turn)
                ghcomp_wait_park_for(&word, 0, 999999999);
            continue;
        }
        while (ghcomp_load_acquire(&parked) < turn)
            ghcomp_os_yield();
        while (ghcomp_load_relaxed(&ghcomp_cpu_load.awake) != awake - (parking_tid != 0))
            ghcomp_os_yield();
        for (int i = 0; i < 10; i++)
            while (ghcomp_os_wake(&word, 1) == 0)
                CHECK(parking_tid != 0 || ghcomp_load_relaxed(&ghcomp_cpu_load.awake) == awake);
        ghcomp_store_release(&woken, turn);
        ghcomp_os_wake(&word, 1);
    }
}

static void note_awake(void *data)
{
    if (ghcomp_self()->tid == 1)
        *(uint32_t *)data = ghcomp_load_relaxed(&ghcomp_cpu_load.awake);
}

static void parking_with_a_limit(void)
{
    enum { NANOSECONDS = 2000000 };
    uint64_t begin = ghcomp_os_now();
    ghcomp_wait_park_for(&word, 0, NANOSECONDS);
    CHECK(ghcomp_os_now() - begin >= NANOSECONDS);
    ghcomp_wait_park_for(&word, 1, 999999999); /* the word has another value */

    for (parking_tid = 0; parking_tid < 2; parking_tid++) {
        uint32_t awake = 0, later = 0;
        parked = woken = 0;
        ghcomp_team_parallel(note_awake, &awake, 2, 0);
        CHECK(awake >= 1);
        ghcomp_team_parallel(park_and_look, &awake, 2, 0);
        ghcomp_team_parallel(note_awake, &later, 2, 0);
        CHECK_EQUAL(awake, later);
    }
}

/* A thread that keeps its last plan takes new limits from its next wait on, whatever its waits have in common. */
static void limits_change(void)
{
    (void)ghcomp_self();
    for (int i = 0; i < 20; i++) {
        ghcomp_wait_set_limit(GHCOMP_WAIT_MAIL, i % 2 ? 0 : UINT64_MAX, i % 2 ? 0 : UINT64_MAX);
        for (int wait = 0; wait < 3; wait++) {
            struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_MAIL);
            spin.left = 0;
            CHECK_EQUAL(i % 2 == 0, ghcomp_spin_again(&spin));
        }
    }
}

/* A member of a team larger than the machine that hands over: whether its wait forgets what it has remembered. `part`:
   which part of each GHCOMP_PLAN_RETRY_EVERY_NS the wait is to begin in, in units of GHCOMP_PLAN_RETRY_NS. */
static bool forgets(enum ghcomp_wait_kind kind, uint64_t part)
{
    struct ghcomp_thread_waits *wait = &ghcomp_self_member->thread->wait;
    for (;;) {
        uint64_t begin = ghcomp_os_now();
        if (begin % GHCOMP_PLAN_RETRY_EVERY_NS / GHCOMP_PLAN_RETRY_NS != part)
            continue;
        uint64_t until = begin + 1000000000;
        wait->slow_yields = 9;
        wait->neighbours_until = until;
        ghcomp_store_relaxed(&ghcomp_neighbours.until, until);
        struct ghcomp_spin spin = ghcomp_spin_start(kind);
        spin.left = 0;
        ghcomp_spin_again(&spin);
        bool forgotten = wait->slow_yields == 0 && wait->neighbours_until < until &&
                         ghcomp_load_relaxed(&ghcomp_neighbours.until) < until;
        wait->slow_yields = 0;
        wait->neighbours_until = 0;
        ghcomp_store_relaxed(&ghcomp_neighbours.until, 0u);
        if (ghcomp_os_now() % GHCOMP_PLAN_RETRY_EVERY_NS / GHCOMP_PLAN_RETRY_NS == part)
            return forgotten;
    }
}

/* Before there are workers, so that sizes and settings may be written. */
static void retries(void)
{
    uint32_t *size = &ghcomp_self()->team->size;
    *size = ghcomp_cpu_load.cpus + 1;
    CHECK(forgets(GHCOMP_WAIT_SINK, 0));
    CHECK(forgets(GHCOMP_WAIT_TURN, 0));
    CHECK(!forgets(GHCOMP_WAIT_SINK, 5));
    CHECK(!forgets(GHCOMP_WAIT_TEAM, 0));
    ghcomp_global.blocktime_set = true; /* the user has set how to wait */
    CHECK(!forgets(GHCOMP_WAIT_SINK, 0));
    ghcomp_global.blocktime_set = false;
    *size = 1;
    CHECK(!forgets(GHCOMP_WAIT_SINK, 0)); /* there is a CPU for each member */
}

int main(void)
{
    ghcomp_env_init();
    ghcomp_wait_init();
    retries();
    limits_change();
    /* It parks at the first failed look, or the other thread answers in the pause before it. */
    CHECK(ping_pong(0) > 0 || unit_by_turns());
    ping_pong(1000);
    /* Never parks, where the user has set the limit: otherwise waits beside busy neighbours end. */
    ghcomp_global.blocktime_set = true;
    CHECK_EQUAL(0, ping_pong(UINT64_MAX));
    ghcomp_global.blocktime_set = false;

    /* A wait for a post naps, and never says that the caller should park. */
    ghcomp_wait_set_limit(GHCOMP_WAIT_POST, 0, 0);
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    uint64_t begin = ghcomp_os_now();
    for (int i = 0; i < 200; i++)
        CHECK(ghcomp_spin_again(&spin));
    CHECK(ghcomp_os_now() - begin >= 20000);

    parking_with_a_limit();
    return 0;
}
