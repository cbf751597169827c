/* The chain of work shares from inside: members that are thousands of constructs apart, how many shares that takes, one
   memory for all racing publishers, sections, single with sleeping members and after a region that is wrong. Runs under
   ASan+UBSan and TSan. */
#include "unit.h"

#include <string.h>

#include "core/sync/barrier.h"
#include "core/worksharing/ordered.h"
#include "core/worksharing/sections.h"
#include "core/worksharing/single.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"

enum { ROUNDS = 2000, MOST = 9 };

static _Atomic int hits[ROUNDS], singles[ROUNDS];
static _Atomic int gate;
static void *memory[MOST];

static const struct ghcomp_loop_kind by_ones = {GHCOMP_SCHED_DYNAMIC, 1, GHCOMP_LOOP_RISING};

static struct ghcomp_loop_range up_to(uint64_t count)
{
    return ghcomp_loop_range_unsigned(true, 0, count, 1);
}

static void wait_for_gate(int value)
{
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    while (ghcomp_load_acquire(&gate) < value)
        ghcomp_spin_again(&spin);
}

/* Member size-1 does not begin before member 0 has passed the whole chain. */
static void drift(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid != 0 && self->tid + 1 == self->team->size)
        wait_for_gate(1);
    for (int round = 0, rounds = unit_rounds(ROUNDS); round < rounds; round++) {
        ghcomp_loop_enter(self, up_to(3), by_ones, NULL);
        while (ghcomp_loop_next(self))
            ghcomp_add_relaxed(&hits[round], (int)(self->chunk_end - self->chunk_begin));
        ghcomp_loop_leave(self);
        if (ghcomp_single_enter(self))
            ghcomp_add_relaxed(&singles[round], 1);
        ghcomp_sections_enter(self, 4, NULL);
        for (uint32_t section; (section = ghcomp_sections_next(self)) != 0;)
            ghcomp_add_relaxed(&hits[round], 10 << section);
        ghcomp_loop_leave(self);
    }
    if (self->tid == 0)
        ghcomp_store_release(&gate, 1);
}

static void drifting(uint32_t threads)
{
    memset(hits, 0, sizeof hits);
    memset(singles, 0, sizeof singles);
    gate = 0;
    ghcomp_team_parallel(drift, NULL, threads, 0);
    for (int round = 0, rounds = unit_rounds(ROUNDS); round < rounds; round++) {
        CHECK_EQUAL(3 + 20 + 40 + 80 + 160, hits[round]);
        CHECK_EQUAL(1, singles[round]);
    }
}

/* Shares that members have between them by the thousand are small: words to sleep on are for ordered loops alone. */
static void no_beds_without_turns(void)
{
    for (struct ghcomp_workshare *share = ghcomp_load_acquire(&ghcomp_self()->hot->made); share; share = share->made)
        CHECK(share->sleep_words == NULL);
}

/* A share that had one kind of construct serves another: turns begin at the first iteration, copies are not there. */
static void kinds_alternate(void *data)
{
    static const struct ghcomp_loop_kind in_order = {GHCOMP_SCHED_STATIC, 1, GHCOMP_LOOP_ORDERED};
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int round = 0; round < 100; round++) {
        static int next; /* written in ordered regions, and by the single region's member between barriers */
        ghcomp_loop_enter(self, up_to(7), in_order, NULL);
        while (ghcomp_loop_next(self)) {
            ghcomp_ordered_wait(self);
            CHECK_EQUAL(self->chunk_begin, (uint64_t)next);
            next++;
        }
        ghcomp_loop_leave(self);
        ghcomp_barrier_wait(self);
        if (ghcomp_single_copy_enter(self)) {
            next = 0;
            ghcomp_single_copy_give(self, &next);
        } else {
            CHECK(ghcomp_single_copy_get(self) == &next);
        }
        ghcomp_barrier_wait(self);
        ghcomp_loop_enter(self, up_to(3), by_ones, NULL);
        while (ghcomp_loop_next(self))
            continue;
        ghcomp_loop_leave(self);
    }
}

/* With a barrier after each construct the same few shares are reused. If members' spares were the whole stack of free
   shares, the others would allocate, region after region. */

static uint32_t kept; /* shares of the team, after a barrier */

static void round_robin(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int round = 0; round < 400; round++) {
        ghcomp_single_enter(self);
        ghcomp_barrier_wait(self);
    }
    if (self->tid == 0)
        kept = ghcomp_load_relaxed(&self->team->share_count);
}

static void shares_are_recycled(void)
{
    for (int region = 0; region < 15; region++)
        ghcomp_team_parallel(round_robin, NULL, 4, 0);
    /* One in use, the one before it, and for each member a spare and one that it fills in. */
    CHECK(kept <= 2 + 4 + 4);
}

/* Shares that members needed while they were far apart are not kept for ever. */
static void shares_are_freed(uint32_t threads)
{
    ghcomp_team_parallel(round_robin, NULL, threads, 0);
    CHECK(kept <= 64 + 4 * threads);
}

static void share_memory(void *data)
{
    size_t bytes = *(size_t *)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int round = 0; round < 200; round++) {
        void *mem = (void *)bytes;
        ghcomp_loop_enter(self, up_to(0), by_ones, &mem);
        CHECK((uintptr_t)mem % GHCOMP_CACHE_LINE == 0);
        memory[self->tid] = mem;
        ghcomp_barrier_wait(self);
        for (uint32_t i = 0; i < self->team->size; i++)
            CHECK(memory[i] == mem);
        for (size_t i = self->tid; i < bytes; i += self->team->size) {
            CHECK_EQUAL(0, ((char *)mem)[i]);
            ((char *)mem)[i] = 1;
        }
        ghcomp_barrier_wait(self);
    }
}

static void copy(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    static int values[100];
    for (int round = 0; round < 100; round++) {
        if (ghcomp_single_copy_enter(self)) {
            values[round] = round + 7;
            ghcomp_single_copy_give(self, &values[round]);
        } else {
            CHECK_EQUAL(round + 7, *(int *)ghcomp_single_copy_get(self));
        }
        ghcomp_barrier_wait(self);
    }
}

/* Sections and a loop that the region starts in; afterwards the chain goes on. */
static void started(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    (void)data;
    while (ghcomp_sections_next(self) != 0)
        ghcomp_add_relaxed(&hits[0], 1);
    ghcomp_loop_leave(self);
    ghcomp_loop_enter(self, up_to(50), by_ones, NULL);
    while (ghcomp_loop_next(self))
        ghcomp_add_relaxed(&hits[1], (int)(self->chunk_end - self->chunk_begin));
}

static void starts_in(uint32_t threads, uint32_t sections)
{
    hits[0] = hits[1] = 0;
    struct ghcomp_team *team = ghcomp_team_prepare(threads, 0);
    struct ghcomp_workshare *share = ghcomp_workshare_new(&team->master);
    ghcomp_sections_fill(share, sections);
    ghcomp_workshare_start_in(team, share);
    ghcomp_team_release(team, started, NULL);
    started(NULL);
    ghcomp_team_join();
    CHECK_EQUAL(sections, hits[0]);
    CHECK_EQUAL(50, hits[1]);
}

static void singles_of_one(void *data)
{
    const uint32_t *lonely = data;
    struct ghcomp_member *self = ghcomp_self();
    for (int i = 0; i < 3 && self->tid == *lonely; i++)
        ghcomp_single_enter(self);
}

static void single_of_all(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int i = 0; i < 4; i++) {
        if (ghcomp_single_enter(self))
            ghcomp_add_relaxed(&singles[i], 1);
        ghcomp_barrier_wait(self);
    }
}

/* A region that is wrong, because its members meet different numbers of singles, leaves the next one alone. */
static void next_region_is_sound(uint32_t threads)
{
    for (uint32_t lonely = 0; lonely < threads; lonely++) {
        memset(singles, 0, sizeof singles);
        ghcomp_team_parallel(singles_of_one, &lonely, threads, 0);
        ghcomp_team_parallel(single_of_all, NULL, threads, 0);
        for (int i = 0; i < 4; i++)
            CHECK_EQUAL(1, singles[i]);
    }
}

int main(void)
{
    /* A wait for copyprivate sleeps at once. */
    ghcomp_wait_set_limit(GHCOMP_WAIT_LOCK, 0, 0);
    shares_are_recycled();
    for (uint32_t threads = 1; threads <= MOST; threads += 2) {
        drifting(threads);
        if (threads > 1)
            no_beds_without_turns();
        shares_are_freed(threads);
    }
    static size_t sizes[] = {8, 1000, 100000, 8};
    for (int i = 0; i < 4; i++)
        for (uint32_t threads = 1; threads <= 5; threads += 2)
            ghcomp_team_parallel(share_memory, &sizes[i], threads, 0);
    for (uint32_t threads = 1; threads <= MOST; threads++)
        for (uint32_t sections = 0; sections < 20; sections += 3)
            starts_in(threads, sections);
    for (uint32_t threads = 1; threads <= MOST; threads += 4)
        ghcomp_team_parallel(copy, NULL, threads, 0);
    for (uint32_t threads = 1; threads <= MOST; threads += 4)
        next_region_is_sound(threads);
    for (uint32_t threads = 2; threads <= MOST; threads += 3)
        ghcomp_team_parallel(kinds_alternate, NULL, threads, 0);
    return 0;
}
