/* Waiting: the sleeping-word handshake under every budget, between two threads that change a word for each other. */
#include "unit.h"

#include <pthread.h>

#include "core/icv.h"
#include "core/wait.h"
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
    for (int i = 0; i < TURNS; i++) {
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
    ghcomp_wait.free_budget[GHCOMP_WAIT_TEAM] = ghcomp_wait.crowded_budget[GHCOMP_WAIT_TEAM] = budget;
    _Atomic uint32_t there = 0, back = 0;
    struct side side = {.mine = &back, .theirs = &there};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, answer, &side) == 0);
    uint32_t seen = 0;
    int slept_here = 0;
    for (int i = 0; i < TURNS; i++) {
        bool slept;
        change(&there);
        seen = ghcomp_wait_change(&back, seen, GHCOMP_WAIT_TEAM, &slept);
        slept_here += slept;
    }
    CHECK(pthread_join(thread, NULL) == 0);
    return slept_here + side.slept;
}

int main(void)
{
    ghcomp_env_init();
    CHECK(ping_pong(0) > 0);                 /* parks at the first miss */
    ping_pong(1000);
    CHECK_EQUAL(0, ping_pong(UINT64_MAX));   /* never parks */

    /* A wait for a post naps, and never says that the caller should park. */
    ghcomp_wait.free_budget[GHCOMP_WAIT_POST] = ghcomp_wait.crowded_budget[GHCOMP_WAIT_POST] = 0;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    uint64_t begin = ghcomp_os_now();
    for (int i = 0; i < 200; i++)
        CHECK(ghcomp_spin_again(&spin));
    CHECK(ghcomp_os_now() - begin >= 20000);
    return 0;
}
