/* A member that sleeps until a post is woken by it, and by the end of the chunk of an iteration that posts nothing. The
   waits here never poll, and their sleeps have no limit: without the wake-up the test would not end. */
#include "unit.h"

#include "core/cpu/wait.h"
#include "core/state/icv.h"
#include "core/team/team.h"

static _Atomic uint32_t goes_to_sleep;
static void park_for_ever(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);

/* The source itself. */
#define ghcomp_spin_again(spin) ((void)(spin), false)
#define ghcomp_wait_park_for park_for_ever
#include "core/worksharing/doacross.c"

/* The store tells the other member that this one has said that it will sleep: release, pairs with the acquire below. */
static void park_for_ever(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    CHECK(nanoseconds > 0);
    CHECK(value & 1u);
    ghcomp_store_release(&goes_to_sleep, 1u);
    ghcomp_wait_park(word, value);
}

enum { CHUNKS = 2, CHUNK = 2 };

struct loop {
    int sched;
    uint64_t chunk;
    bool posts;
};

/* The member of the first chunk waits until the other one is about to sleep, or sleeps. */
static void loop(void *data)
{
    const struct loop *loop = data;
    struct ghcomp_member *self = ghcomp_self();
    uint64_t counts[1] = {CHUNKS * CHUNK};
    struct ghcomp_loop_kind kind = {loop->sched, loop->chunk, GHCOMP_LOOP_SINGLY};
    ghcomp_doacross_enter(self, 1, counts, kind, NULL);
    CHECK(ghcomp_loop_next(self));
    for (uint64_t i = self->chunk_begin; i < self->chunk_end; i++) {
        uint64_t before[1] = {i - 1}, here[1] = {i};
        ghcomp_doacross_wait(self, before);
        if (self->chunk_begin == 0)
            while (ghcomp_load_acquire(&goes_to_sleep) == 0)
                ghcomp_os_yield();
        if (loop->posts)
            ghcomp_doacross_post(self, here);
    }
    CHECK(!ghcomp_loop_next(self));
    ghcomp_loop_leave(self);
}

int main(void)
{
    ghcomp_env_init();
    static const struct loop loops[] = {
        {GHCOMP_SCHED_STATIC, CHUNK, true}, {GHCOMP_SCHED_STATIC, CHUNK, false},
        {GHCOMP_SCHED_STATIC, 0, true}, {GHCOMP_SCHED_STATIC, 0, false},
    };
    for (int round = 0; round < 100; round++)
        for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
            struct loop each = loops[i];
            ghcomp_store_relaxed(&goes_to_sleep, 0u);
            ghcomp_team_parallel(loop, &each, CHUNKS, 0);
        }
    return 0;
}
