/* The turns of an ordered loop from inside, with waits that spin, that yield and that sleep at once: every schedule,
   teams with many more members than words to sleep on, members that sleep for long, a region that is cancelled while
   members sleep. Runs under ASan+UBSan and TSan.
   timing-part: that a sleeper is woken shows in the time of a turn */
#include "unit.h"

#include "core/team/cancel.h"
#include "core/state/icv.h"
#include "core/worksharing/loop.h"
#include "core/worksharing/ordered.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"

enum { ITERATIONS = 300 };

struct work {
    struct ghcomp_loop_kind kind;
    uint64_t next;     /* written in ordered regions only */
    uint32_t slow;     /* the turn is kept for a while once in so many iterations; 0: never */
    _Atomic uint32_t slept;
};

static struct ghcomp_loop_range up_to(uint64_t count)
{
    return ghcomp_loop_range_unsigned(true, 0, count, 1);
}

static void take_turns(void *data)
{
    struct work *work = data;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, up_to(ITERATIONS), work->kind, NULL);
    while (ghcomp_loop_next(self))
        for (uint64_t i = self->chunk_begin; i < self->chunk_end; i++) {
            if (self->tid % 2 == 0)
                ghcomp_ordered_wait(self);
            else
                for (bool again = false; !ghcomp_ordered_wait_briefly(self, again); again = true)
                    continue;
            CHECK_EQUAL(i, work->next);
            work->next = i + 1;
            if (work->slow > 0 && i % work->slow == 0)
                ghcomp_os_nap(3000000); /* longer than a sleep may be */
            if (ghcomp_load_relaxed(&self->share->turns_slept_for))
                ghcomp_store_relaxed(&work->slept, 1u);
        }
    ghcomp_loop_leave(self);
}

static bool turns(uint32_t threads, int sched, uint64_t chunk, uint32_t slow)
{
    struct work work = {.kind = {sched, chunk, GHCOMP_LOOP_ORDERED}, .slow = slow};
    ghcomp_team_parallel(take_turns, &work, threads, 0);
    CHECK_EQUAL(ITERATIONS, work.next);
    return ghcomp_load_relaxed(&work.slept) != 0;
}

static void every_schedule(void)
{
    static const uint64_t chunks[] = {0, 1, 3, 64};
    static const uint32_t teams[] = {1, 2, 3, 8, 70};
    for (size_t t = 0; t < sizeof teams / sizeof *teams; t++)
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            turns(teams[t], GHCOMP_SCHED_STATIC, chunks[c], 0);
            turns(teams[t], GHCOMP_SCHED_DYNAMIC, chunks[c], 0);
            turns(teams[t], GHCOMP_SCHED_GUIDED, chunks[c], 0);
        }
}

/* A sleeper is woken; it does not only leave when its bounded sleep ends, which would take 2 ms for each turn. A busy
   machine may be that slow now and then, not each time. */
static void sleepers_are_woken(void)
{
    uint64_t best = UINT64_MAX;
    for (int attempt = 0; attempt < 50 && best > ITERATIONS * UINT64_C(500000); attempt++) {
        uint64_t begin = ghcomp_os_now();
        CHECK(turns(8, GHCOMP_SCHED_STATIC, 1, 0));
        uint64_t took = ghcomp_os_now() - begin;
        best = took < best ? took : best;
    }
    CHECK(best <= ITERATIONS * UINT64_C(500000));
}

static _Atomic uint32_t arrived;

/* The chunk at 0 keeps its turn until the others wait, most of them asleep, and then cancels the region. */
static void cancelled(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, up_to(100), (struct ghcomp_loop_kind){GHCOMP_SCHED_STATIC, 1, GHCOMP_LOOP_ORDERED}, NULL);
    CHECK(ghcomp_loop_next(self));
    if (self->tid == 0) {
        while (ghcomp_load_acquire(&arrived) != self->team->size - 1)
            ghcomp_os_yield();
        ghcomp_os_nap(1000000);
        CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_PARALLEL));
        return;
    }
    ghcomp_add_release(&arrived, 1u);
    ghcomp_ordered_wait(self);
    CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_PARALLEL));
}

static _Atomic bool turn_is_wanted;

/* A second brief wait for one turn sleeps at once; the time that the thread may poll is not given anew to each. */
static void waits_again(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_enter(self, up_to(2), (struct ghcomp_loop_kind){GHCOMP_SCHED_STATIC, 1, GHCOMP_LOOP_ORDERED}, NULL);
    CHECK(ghcomp_loop_next(self));
    if (self->tid == 0) {
        while (!ghcomp_load_acquire(&turn_is_wanted))
            ghcomp_os_yield();
    } else {
        _Atomic uint64_t *parks = &self->thread->counts.of[GHCOMP_COUNT_PARKS];
        bool due = ghcomp_ordered_wait_briefly(self, false);
        for (int i = 0; !due && i < 3; i++) {
            uint64_t before = ghcomp_load_relaxed(parks);
            due = ghcomp_ordered_wait_briefly(self, true);
            CHECK_EQUAL(before + 1, ghcomp_load_relaxed(parks));
        }
        CHECK(!due);
        ghcomp_store_release(&turn_is_wanted, true);
    }
    CHECK(!ghcomp_loop_next(self));
    ghcomp_loop_leave(self);
}

static void all(bool sleeps)
{
    every_schedule();
    /* A member that waits while another one keeps the turn for milliseconds has slept by then. */
    bool slept = turns(8, GHCOMP_SCHED_STATIC, 1, 50);
    CHECK(slept || !sleeps);
    ghcomp_store_relaxed(&arrived, 0u);
    ghcomp_team_parallel(cancelled, NULL, 20, 0);
}

int main(void)
{
    ghcomp_env_init();
    ghcomp_global.cancel = true;
    all(true);
    if (ghcomp_wait_policy_is_default()) /* no variable of the environment has set it */
        ghcomp_team_parallel(waits_again, NULL, 2, 0);
    ghcomp_wait_set_limit(GHCOMP_WAIT_TURN, 0, 0);
    all(true);
    if (unit_timing())
        sleepers_are_woken();
    /* No wait sleeps, unless yields are slow. */
    ghcomp_wait_set_limit(GHCOMP_WAIT_TURN, UINT64_MAX, UINT64_MAX);
    all(false);
    return 0;
}
