/* Work shares and their chain.
 *
 * The shares of a region form a list in the order of the constructs, which is the same for all members (OpenMP 5.2,
 * section 11). Each member has a pointer to the share it entered last, so members may be any number of nowait
 * constructs apart: the chain has no fixed length.
 *
 *   1. The first member at a construct finds `next` of its share empty, fills in a share of its own and publishes it by
 *      cas (acq_rel). A slower member's cas fails; it keeps its share as a spare and takes the published one.
 *   2. Entering adds one to share.entered (add_acqrel). Whoever makes it equal to the team's size knows that nobody
 *      looks at the *previous* share any more (each member left it by entering this one): it recycles that.
 *   3. The recycler pushes onto team.free_shares (cas_release); a member that needs a share and has no spare takes the
 *      whole stack (xchg_acquire), keeps one and pushes the rest back. Popping only whole stacks has no ABA. Keeping the
 *      rest would starve the others, who would allocate for ever. Somebody may still find the stack empty while another
 *      one holds it: so beyond a number that drifting members seldom need, recycling frees (team.share_count).
 *
 * The last share of a region is nobody's to recycle; it becomes the root of the next region, where only its `next`
 * matters. After a cancelled region, where members skip constructs, the master recycles what is left (rewind).
 *
 * team.oldest is written in step 2 only. Two such writes are ordered: the recycler of share k enters k+1's successor
 * only after its write, and the successor's recycler has seen every member's add.
 *
 * A team of one needs no chain: it fills the same share in again.
 *
 * Covered by test/unit/workshare.c and test/conformance/{for,sections,single}.
 */
#include "core/workshare.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/doacross.h"

/* Shares of a team that are kept: more are freed when their construct is over. */
static uint32_t most_shares(const struct ghcomp_team *team)
{
    return 64 + 4 * team->size;
}

static struct ghcomp_workshare *allocate(struct ghcomp_team *team)
{
    ghcomp_add_relaxed(&team->share_count, 1u);
    return ghcomp_alloc_lines(sizeof(struct ghcomp_workshare));
}

static void free_share(struct ghcomp_workshare *share)
{
    if (share->doacross != NULL)
        ghcomp_doacross_free(share);
    free(share->memory);
    free(share);
}

static void reset(struct ghcomp_workshare *share)
{
    if (share->doacross != NULL)
        ghcomp_doacross_free(share);
    ghcomp_store_relaxed(&share->next, NULL);
    ghcomp_store_relaxed(&share->entered, 0u);
    ghcomp_store_relaxed(&share->taken, 0u);
    ghcomp_store_relaxed(&share->turn, 0u);
    ghcomp_store_relaxed(&share->copied, 0u);
    ghcomp_store_relaxed(&share->cancelled, false);
    share->link = NULL;
    share->ordered = share->plain = false;
}

/* Pushes the list from `first` to `last`, which are linked. */
static void push(struct ghcomp_team *team, struct ghcomp_workshare *first, struct ghcomp_workshare *last)
{
    struct ghcomp_workshare *top = ghcomp_load_relaxed(&team->free_shares);
    do
        last->link = top;
    while (!ghcomp_cas_release(&team->free_shares, &top, first));
}

static void recycle(struct ghcomp_team *team, struct ghcomp_workshare *share)
{
    if (ghcomp_unlikely(ghcomp_load_relaxed(&team->share_count) > most_shares(team))) {
        ghcomp_sub_relaxed(&team->share_count, 1u);
        free_share(share);
        return;
    }
    push(team, share, share);
}

/* A free share of the team, or NULL. */
static struct ghcomp_workshare *pop(struct ghcomp_team *team)
{
    if (ghcomp_load_relaxed(&team->free_shares) == NULL)
        return NULL;
    struct ghcomp_workshare *share = ghcomp_xchg_acquire(&team->free_shares, NULL);
    if (share == NULL || share->link == NULL)
        return share;
    struct ghcomp_workshare *last = share->link;
    while (last->link != NULL)
        last = last->link;
    push(team, share->link, last);
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
            self->spare = share->link;
        else if ((share = pop(team)) == NULL)
            share = allocate(team);
    }
    reset(share);
    return share;
}

struct ghcomp_workshare *ghcomp_workshare_publish(struct ghcomp_member *self, struct ghcomp_workshare *mine, bool *first)
{
    if (self->team->size == 1) {
        *first = true;
        return mine;
    }
    struct ghcomp_workshare *there = NULL;
    *first = ghcomp_cas_acqrel(&self->share->next, &there, mine);
    if (*first)
        return mine;
    mine->link = self->spare;
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
    if (share->memory_bytes < bytes) {
        free(share->memory);
        share->memory = ghcomp_alloc_lines(bytes);
        share->memory_bytes = bytes;
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

void ghcomp_workshare_team_rewind_slow(struct ghcomp_team *team)
{
    struct ghcomp_workshare *share = team->oldest, *next;
    while ((next = ghcomp_load_relaxed(&share->next)) != NULL) {
        recycle(team, share);
        share = next;
    }
    team->root = team->oldest = share;
}

static void free_list(struct ghcomp_workshare *share)
{
    while (share != NULL) {
        struct ghcomp_workshare *next = share->link;
        free_share(share);
        share = next;
    }
}

void ghcomp_workshare_team_free(struct ghcomp_team *team)
{
    free_share(team->root);
    free_list(ghcomp_xchg_acquire(&team->free_shares, NULL));
    free_list(team->master.spare);
}
