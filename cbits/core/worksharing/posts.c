/* Doacross loops of clang's code. A separate loop, which may collapse some dimensions, hands out the iterations; or no
 * loop does. The dependences do not depend on it: each iteration of the nest has a bit, which its member sets
 * (or_acqrel) when it posts, and for which others wait (load_acquire).
 *
 * The first member to enter makes the bits, and stores their address in the memory of a work share. Each member holds a
 * reference to them, because it may still be in the loop when the share is reused; the last member to leave frees them.
 *
 * Sleeping until a post: as in doacross.c, on one of SLEEP_WORDS words (sleep_word.h), which the iteration's number
 * selects.
 *
 * Called by abi/kmp/kmp_doacross.c. Covered by test/unit/posts_sleep.c and test/clang/doacross.c. */
#include "core/worksharing/posts.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/cpu/wait.h"
#include "core/sync/barrier_wait.h"
#include "core/tsan/races.h"
#include "core/worksharing/sleep_word.h"
#include "core/worksharing/workshare.h"

enum { SLEEP_WORDS = 64 };

struct ghcomp_posts {
    _Atomic uint32_t references;       /* members that have not left; sub_acqrel */
    _Atomic bool *came;                /* by member, whether it has entered; store_relaxed by it, before it leaves the
                                          region, which is store_release */
    _Atomic bool deserted;             /* one has left the region in between (cancel.c); store_release, load_acquire */
    _Atomic bool slept_for;            /* sleep_word.h; relaxed, a hint */
    void *data;                        /* immutable after publication, like what is in it ... */
    size_t data_bytes;                 /* ... and its size */
    _Atomic uint32_t sleep_words[SLEEP_WORDS] GHCOMP_ALIGNED_PAIR;
    _Atomic uint64_t posted[] GHCOMP_ALIGNED_PAIR; /* a bit for each iteration */
};

static struct ghcomp_posts *make(uint32_t members, uint64_t count, const void *data, size_t bytes)
{
    size_t all = sizeof(struct ghcomp_posts) + (size_t)(count / 64 + 1) * sizeof(uint64_t);
    struct ghcomp_posts *posts = ghcomp_alloc_lines(all + bytes + members * sizeof *posts->came);
    ghcomp_store_relaxed(&posts->references, members);
    posts->came = (_Atomic bool *)posts + all + bytes;
    posts->data = memcpy((char *)posts + all, data, bytes);
    posts->data_bytes = bytes;
    return posts;
}

void ghcomp_posts_enter(struct ghcomp_member *self, uint64_t count, const void *data, size_t bytes)
{
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share == NULL) {
        struct ghcomp_workshare *mine = ghcomp_workshare_new(self);
        struct ghcomp_posts *posts = make(self->team->size, count, data, bytes);
        memcpy(ghcomp_workshare_memory(mine, sizeof posts), &posts, sizeof posts);
        bool first;
        share = ghcomp_workshare_publish(self, mine, &first);
        if (!first)
            free(posts);
    }
    ghcomp_workshare_enter(self, share);
    memcpy(&self->posts, share->memory, sizeof self->posts);
    ghcomp_store_relaxed(&self->posts->came[self->tid], true);
}

void ghcomp_posts_desert(struct ghcomp_posts *posts)
{
    ghcomp_store_release(&posts->deserted, true);
}

/* Whether the post may never come: a member has left a cancelled region while it was in the loop, or before it came
   there. Which member has which iteration is not known here. */
static bool is_deserted(const struct ghcomp_member *self, struct ghcomp_posts *posts)
{
    struct ghcomp_team *team = self->team;
    if (ghcomp_likely(!ghcomp_barrier_region_cancelled(team)))
        return false;
    bool deserted = ghcomp_load_acquire(&posts->deserted);
    for (uint32_t i = 0; i < team->size && !deserted; i++)
        deserted = ghcomp_barrier_has_left(team, i) && !ghcomp_load_relaxed(&posts->came[i]);
    return deserted;
}

void ghcomp_posts_leave(struct ghcomp_member *self)
{
    struct ghcomp_posts *posts = self->posts;
    self->posts = NULL;
    if (posts != NULL && ghcomp_sub_acqrel(&posts->references, 1u) == 1)
        free(posts);
}

const void *ghcomp_posts_data(const struct ghcomp_posts *posts, size_t *bytes)
{
    *bytes = posts->data_bytes;
    return posts->data;
}

static inline bool posted(struct ghcomp_posts *posts, uint64_t number)
{
    return ghcomp_load_acquire(&posts->posted[number / 64]) >> number % 64 & 1;
}

void ghcomp_posts_post(struct ghcomp_posts *posts, uint64_t number)
{
    uint32_t observers = ghcomp_observers_now();
    if (ghcomp_races_on(observers))
        ghcomp_races_release_slow(ghcomp_races_point(posts, number));
    ghcomp_or_acqrel(&posts->posted[number / 64], UINT64_C(1) << number % 64);
    if (ghcomp_unlikely(ghcomp_load_relaxed(&posts->slept_for)))
        ghcomp_sleep_word_wake(&posts->sleep_words[number % SLEEP_WORDS]);
}

static void sleep_until(struct ghcomp_posts *posts, uint64_t number)
{
    _Atomic uint32_t *sleep_word = &posts->sleep_words[number % SLEEP_WORDS];
    uint32_t word = ghcomp_sleep_word_load(sleep_word, &posts->slept_for);
    if (!posted(posts, number))
        ghcomp_sleep_word_wait(sleep_word, word);
}

void ghcomp_posts_wait(struct ghcomp_member *self, uint64_t number)
{
    struct ghcomp_posts *posts = self->posts;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_SINK);
    while (!posted(posts, number)) {
        if (is_deserted(self, posts))
            return;
        if (!ghcomp_spin_again(&spin))
            sleep_until(posts, number);
    }
    uint32_t observers = ghcomp_observers_now();
    if (ghcomp_races_on(observers))
        ghcomp_races_acquire_slow(ghcomp_races_point(posts, number));
}
