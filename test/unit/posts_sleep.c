/* A member that sleeps until another one's post is woken by it. Waits never poll here, and sleeps do not end by
   themselves: without the wake-up the test would not end. Posts of other iterations that share the sleep word wake the
   member, too, and it sleeps again. */
#include "unit.h"

#include "core/cpu/wait.h"
#include "core/state/icv.h"
#include "core/team/team.h"

static _Atomic uint32_t sleeps; /* that have begun, or are about to */
static void park_for_ever(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);

/* The source itself. */
#define ghcomp_spin_again(spin) ((void)(spin), false)
#define ghcomp_wait_park_for park_for_ever
#include "core/worksharing/posts.c"

/* The addition tells the other member that this one has said that it will sleep: release, pairs with the acquire
   below. */
static void park_for_ever(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    CHECK(nanoseconds > 0);
    CHECK(value & 1u);
    ghcomp_add_release(&sleeps, 1u);
    ghcomp_wait_park(word, value);
}

static void await_sleeps(uint32_t count)
{
    while (ghcomp_load_acquire(&sleeps) < count)
        ghcomp_os_yield();
}

enum { MEMBERS = 2, POSTS = 3, LAST = (POSTS - 1) * SLEEP_WORDS + 1 };

static int written; /* ordered by the post of LAST */

static void loop(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_posts_enter(self, LAST + 1, data, sizeof(int));
    size_t bytes;
    const int *copy = ghcomp_posts_data(self->posts, &bytes);
    CHECK(bytes == sizeof(int) && copy != data);
    if (self->tid == 0) {
        for (uint32_t i = 0; i < POSTS; i++) { /* all on one sleep word */
            await_sleeps(i + 1);
            written = *copy;
            ghcomp_posts_post(self->posts, i * SLEEP_WORDS + 1);
        }
    } else {
        ghcomp_posts_wait(self, LAST);
        CHECK_EQUAL(*copy, written);
        uint32_t before = ghcomp_load_relaxed(&sleeps);
        ghcomp_posts_wait(self, 1); /* has come: no sleep */
        CHECK_EQUAL(before, ghcomp_load_relaxed(&sleeps));
    }
    ghcomp_posts_leave(self);
    CHECK(self->posts == NULL);
    ghcomp_posts_leave(self);
}

int main(void)
{
    ghcomp_env_init();
    for (int round = 0; round < 300; round++) {
        ghcomp_store_relaxed(&sleeps, 0u);
        ghcomp_team_parallel(loop, &round, MEMBERS, 0);
    }
    return 0;
}
