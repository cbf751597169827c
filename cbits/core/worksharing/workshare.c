/* Work shares and their chain.
 *
 * The shares of a region form a list in the order of the constructs, which is the same for all members (OpenMP 5.2,
 * section 11). Each member has a pointer to the share that it entered last, so members may be any number of nowait
 * constructs apart: the chain has no fixed length.
 *
 *   1. The first member at a construct finds `next` of its share empty, fills in a share of its own and publishes it by
 *      cas (acq_rel). A slower member's cas fails; it keeps its share as a spare and takes the published one.
 *   2. Entering adds one to share.entered (add_acqrel). The member whose addition makes it equal to the team's size
 *      recycles the *previous* share: every member left that one by entering this one, so no member reads it any more.
 *   3. To recycle a share is to push it onto team.free_shares; a member that needs a share and has no spare pops one.
 *      The stack's top holds a count of its changes beside the pointer, so that a pop fails if the top was removed and
 *      came back. Shares are not freed while members run, so a late pop may read the `link` of one that has left the
 *      stack.
 *
 * No member recycles the last share of a region. It becomes the root of the next region, where only its `next` matters.
 * After a cancelled region, where members skip constructs, the master recycles what is left (rewind); there it also
 * frees shares beyond those worth keeping (team.share_count).
 *
 * While members run, team.oldest is written in step 2 only. Two such writes are ordered: the member that recycles share
 * k enters the successor of k+1 only after its write, and the member that recycles k+1 has seen every member's addition
 * there.
 *
 * A team of one needs no chain: it fills in the same share again.
 *
 * Called by the other modules of this folder, task_reduction.c, team.c, abi/gomp/{gomp_loop,gomp_sections}.c. Covered
 * by test/unit/workshare.c and test/conformance/{for,sections,single}.
 */
#include "core/worksharing/workshare.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/task/task_reduction.h"
#include "core/tsan/races.h"
#include "core/worksharing/doacross.h"

/* Shares of a team that are kept from region to region. */
static uint32_t most_shares(const struct ghcomp_team *team)
{
    return 64 + 4 * team->size;
}

/* Makes a share. All shares of a team are on team.made; only the master removes some, between regions. */
static struct ghcomp_workshare *allocate(struct ghcomp_team *team)
{
    struct ghcomp_workshare *share = ghcomp_alloc_lines(sizeof *share);
    share->made = ghcomp_load_relaxed(&team->made);
    while (!ghcomp_cas_release(&team->made, &share->made, share))
        ;
    ghcomp_add_relaxed(&team->share_count, 1u);
    return share;
}

static void free_share(struct ghcomp_workshare *share)
{
    uint32_t observers = ghcomp_observers_now();
    ghcomp_races_hide(observers);
    if (share->doacross != NULL)
        ghcomp_doacross_free(share);
    if (share->reductions != NULL)
        ghcomp_reduction_forget(share);
    free(share->sleep_words);
    free(share->memory);
    free(share);
    ghcomp_races_show(observers);
}

static void reset(struct ghcomp_workshare *share)
{
    if (share->doacross != NULL)
        ghcomp_doacross_free(share);
    if (share->reductions != NULL)
        ghcomp_reduction_forget(share);
    ghcomp_store_relaxed(&share->next, NULL);
    ghcomp_store_relaxed(&share->entered, 0u);
    ghcomp_store_relaxed(&share->taken, 0u);
    ghcomp_store_relaxed(&share->cancelled, false);
    ghcomp_store_relaxed(&share->link, NULL);
    share->ordered = false;
    share->way = GHCOMP_LOOP_SLOWLY;
}

/* The top of the stack: the address, which is a multiple of 128 below 2^48, in the low bits, the count of changes
   above. */
enum { ADDRESS_SHIFT = 7, ADDRESS_BITS = 48 - ADDRESS_SHIFT };
_Static_assert(GHCOMP_PAD_LINE == 1 << ADDRESS_SHIFT, "shares are aligned to GHCOMP_PAD_LINE");

static inline struct ghcomp_workshare *top_of(uint64_t word)
{
    return (struct ghcomp_workshare *)(uintptr_t)((word & ((UINT64_C(1) << ADDRESS_BITS) - 1)) << ADDRESS_SHIFT);
}

static inline uint64_t next_word(uint64_t word, struct ghcomp_workshare *top)
{
    return ((word >> ADDRESS_BITS) + 1) << ADDRESS_BITS | (uint64_t)(uintptr_t)top >> ADDRESS_SHIFT;
}

/* Pushes an unused share. cas_release pairs with the acquire of pop: the member that takes the share sees its last
   user's writes. */
static void recycle(struct ghcomp_team *team, struct ghcomp_workshare *share)
{
    uint64_t word = ghcomp_load_relaxed(&team->free_shares);
    do
        ghcomp_store_relaxed(&share->link, top_of(word));
    while (!ghcomp_cas_release(&team->free_shares, &word, next_word(word, share)));
}

/* A free share of the team, or NULL. */
static struct ghcomp_workshare *pop(struct ghcomp_team *team)
{
    uint64_t word = ghcomp_load_acquire(&team->free_shares);
    struct ghcomp_workshare *share;
    do
        if ((share = top_of(word)) == NULL)
            return NULL;
    while (!ghcomp_cas_acqrel(&team->free_shares, &word, next_word(word, ghcomp_load_relaxed(&share->link))));
    return share;
}

struct ghcomp_workshare *ghcomp_workshare_new(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_workshare *share;
    if (team->size == 1) {
        share = self->share;
    } else {
        share = self->spare;
        if (share != NULL)
            self->spare = ghcomp_load_relaxed(&share->link);
        else if ((share = pop(team)) == NULL)
            share = allocate(team);
    }
    reset(share);
    return share;
}

struct ghcomp_workshare *ghcomp_workshare_publish(struct ghcomp_member *self, struct ghcomp_workshare *mine,
                                                  bool *first)
{
    if (self->team->size == 1) {
        *first = true;
        return mine;
    }
    struct ghcomp_workshare *there = NULL;
    *first = ghcomp_cas_acqrel(&self->share->next, &there, mine);
    if (*first)
        return mine;
    ghcomp_store_relaxed(&mine->link, self->spare);
    self->spare = mine;
    return there;
}

void ghcomp_workshare_enter(struct ghcomp_member *self, struct ghcomp_workshare *share)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_workshare *before = self->share;
    self->share = share;
    if (team->size == 1)
        return;
    if (ghcomp_add_acqrel(&share->entered, 1u) + 1 == team->size) {
        team->oldest = share;
        recycle(team, before);
    }
}

void *ghcomp_workshare_memory(struct ghcomp_workshare *share, size_t bytes)
{
    if (bytes == 0)
        bytes = 1;
    uint32_t observers = ghcomp_observers_now();
    if (share->memory_bytes < bytes || ghcomp_races_on(observers)) {
        ghcomp_races_hide(observers);
        free(share->memory);
        share->memory = ghcomp_alloc_lines(bytes);
        share->memory_bytes = bytes;
        ghcomp_races_show(observers);
    } else {
        memset(share->memory, 0, bytes);
    }
    return share->memory;
}

void ghcomp_workshare_start_in(struct ghcomp_team *team, struct ghcomp_workshare *share)
{
    if (share == team->root)
        return;
    recycle(team, team->root);
    team->root = team->oldest = share;
    team->master.share = share;
}

void ghcomp_workshare_team_init(struct ghcomp_team *team)
{
    team->root = team->oldest = allocate(team);
}

/* Between regions: frees unused shares beyond those worth keeping. */
static void trim(struct ghcomp_team *team)
{
    struct ghcomp_workshare *share;
    for (uint32_t count = ghcomp_load_relaxed(&team->share_count); count > most_shares(team); count--) {
        if ((share = pop(team)) == NULL)
            break;
        share->unused = true;
    }
    struct ghcomp_workshare *kept = NULL, *next;
    for (share = ghcomp_load_acquire(&team->made); share != NULL; share = next) {
        next = share->made;
        if (share->unused) {
            free_share(share);
            ghcomp_sub_relaxed(&team->share_count, 1u);
        } else {
            share->made = kept;
            kept = share;
        }
    }
    ghcomp_store_release(&team->made, kept);
}

void ghcomp_workshare_team_rewind_slow(struct ghcomp_team *team)
{
    struct ghcomp_workshare *share = team->oldest, *next;
    while ((next = ghcomp_load_relaxed(&share->next)) != NULL) {
        recycle(team, share);
        share = next;
    }
    team->root = team->oldest = share;
    if (ghcomp_load_relaxed(&team->share_count) > most_shares(team))
        trim(team);
}

void ghcomp_workshare_member_leaves(struct ghcomp_team *team, struct ghcomp_member *member)
{
    while (member->spare != NULL) {
        struct ghcomp_workshare *share = member->spare;
        member->spare = ghcomp_load_relaxed(&share->link);
        recycle(team, share);
    }
}

void ghcomp_workshare_team_free(struct ghcomp_team *team)
{
    struct ghcomp_workshare *share = ghcomp_load_acquire(&team->made);
    while (share != NULL) {
        struct ghcomp_workshare *next = share->made;
        free_share(share);
        share = next;
    }
}
