/* Seats of free agents in a team: making and taking them. Protocol in seats.h.
 *
 * Called by core/team/agents.c. Covered by test/unit/agents.c. */
#include "core/sync/seats.h"

#include "base/check.h"

/* Makes the team's seats, unless another thread of the team is faster. Returns the team's seats. */
static struct ghcomp_seats *make(struct ghcomp_team *team, uint32_t count)
{
    struct ghcomp_seats *seats = ghcomp_alloc_lines(sizeof *seats + count * sizeof seats->seat[0]), *others = NULL;
    seats->count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct ghcomp_member *member = &seats->seat[i].member;
        member->team = team;
        member->tid = GHCOMP_AGENT_TID;
    }
    if (ghcomp_cas_release(&team->seats, &others, seats))
        return seats;
    free(seats);
    return ghcomp_load_acquire(&team->seats);
}

static void count(struct ghcomp_member *member, uint32_t more)
{
    ghcomp_store_relaxed(&member->created, ghcomp_load_relaxed(&member->created) + more);
}

struct ghcomp_seats *ghcomp_seats_ready(struct ghcomp_member *self, uint32_t most)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_seats *seats = ghcomp_load_acquire(&team->seats);
    if (seats == NULL)
        seats = make(team, most);
    if (team->size == 1 && !ghcomp_agent(self) && !seats->biased) { /* there has been no agent yet */
        count(self, (uint32_t)GHCOMP_SEATS_BIAS);
        count(&seats->seat[0].member, -(uint32_t)GHCOMP_SEATS_BIAS);
        seats->biased = true;
    }
    return seats;
}

struct ghcomp_seat *ghcomp_seats_take_free(struct ghcomp_seats *seats)
{
    for (uint32_t i = 0; i < seats->count; i++) {
        struct ghcomp_seat *seat = &seats->seat[i];
        bool no = false;
        if (!ghcomp_load_relaxed(&seat->taken) && ghcomp_cas_acquire(&seat->taken, &no, true))
            return seat;
    }
    return NULL;
}

void ghcomp_seats_count_visit(struct ghcomp_seat *seat)
{
    count(&seat->member, 1);
}

struct ghcomp_seat *ghcomp_seats_take(struct ghcomp_member *self, uint32_t most)
{
    struct ghcomp_seat *seat = ghcomp_seats_take_free(ghcomp_seats_ready(self, most));
    if (seat != NULL)
        ghcomp_seats_count_visit(seat);
    return seat;
}

void ghcomp_seats_untake(struct ghcomp_seat *seat)
{
    count(&seat->member, UINT32_MAX);
    ghcomp_seats_give(seat);
}
