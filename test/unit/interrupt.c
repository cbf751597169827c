/* Scopes of calls that are to end early: which threads get the answer yes, in which regions, and what the scopes
   record. Runs under ASan+UBSan and TSan. */
#include "core/team/interrupt.h"

#include <pthread.h>

#include "core/state/icv.h"
#include "core/team/initial_region.h"
#include "core/team/team.h"
#include "unit.h"

enum { SIZE = 3 };

static struct ghcomp_interrupt outer, inner;
static _Atomic uint32_t yes, members;

static void ask(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&yes, ghcomp_interrupt_delivered() ? 1u : 0u);
    ghcomp_add_relaxed(&members, 1u);
}

static void ask_deeper(void *data)
{
    ghcomp_team_parallel(ask, data, 2, 0);
}

static void ask_in_target(void *data)
{
    struct ghcomp_initial_region *region = ghcomp_initial_region_prepare(ghcomp_self(), true);
    ghcomp_initial_region_enter(region);
    ghcomp_team_parallel(ask, data, 2, 0);
    ghcomp_initial_region_leave(region);
}

/* Whether all members say the same: that, for functions of one member and of two in each of SIZE. */
static bool all_told(void (*fn)(void *))
{
    ghcomp_store_relaxed(&yes, 0u);
    ghcomp_store_relaxed(&members, 0u);
    ghcomp_team_parallel(fn, NULL, SIZE, 0);
    CHECK_EQUAL(fn == ask ? SIZE : 2 * SIZE, ghcomp_load_relaxed(&members));
    CHECK(ghcomp_load_relaxed(&yes) == 0 || ghcomp_load_relaxed(&yes) == ghcomp_load_relaxed(&members));
    return ghcomp_load_relaxed(&yes) != 0;
}

static void everywhere(bool told)
{
    CHECK_EQUAL(told, ghcomp_interrupt_delivered());
    CHECK_EQUAL(told, all_told(ask));
    CHECK_EQUAL(told, all_told(ask_deeper));
    CHECK_EQUAL(told, all_told(ask_in_target));
}

static void one_scope(void)
{
    everywhere(false);
    outer = (struct ghcomp_interrupt){0};
    ghcomp_interrupt_enter(&outer);
    everywhere(false);
    CHECK_EQUAL(0, outer.delivered);
    ghcomp_store_relaxed(&outer.wanted, 1u);
    everywhere(true);
    CHECK_EQUAL(1, outer.delivered);
    ghcomp_interrupt_leave(&outer);
    everywhere(false);
}

static void *other_thread(void *data)
{
    (void)data;
    CHECK(!ghcomp_interrupt_delivered()); /* unknown to the runtime */
    everywhere(false);
    return NULL;
}

static void other_threads_are_not_told(void)
{
    pthread_t thread;
    outer = (struct ghcomp_interrupt){.wanted = 1};
    ghcomp_interrupt_enter(&outer);
    CHECK(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_EQUAL(0, outer.delivered);
    ghcomp_interrupt_leave(&outer);
}

static void in_inner_scope(void *data)
{
    (void)data;
    if (ghcomp_self()->tid != 1)
        return;
    ghcomp_interrupt_enter(&inner);
    CHECK(inner.outer == &outer);
    everywhere(ghcomp_load_relaxed(&outer.wanted) != 0 || ghcomp_load_relaxed(&inner.wanted) != 0);
    ghcomp_interrupt_leave(&inner);
    CHECK_EQUAL(ghcomp_load_relaxed(&outer.wanted) != 0, ghcomp_interrupt_delivered());
}

/* A scope inside of another one, in a worker of its region: it notes what it was told for the outer one, and the outer
   one does not note what the inner one was told. */
static void scopes_nest(void)
{
    for (uint32_t wanted = 0; wanted < 4; wanted++) {
        outer = (struct ghcomp_interrupt){.wanted = wanted & 1};
        inner = (struct ghcomp_interrupt){.wanted = wanted >> 1};
        ghcomp_interrupt_enter(&outer);
        ghcomp_team_parallel(in_inner_scope, NULL, SIZE, 0);
        CHECK_EQUAL(wanted != 0, inner.delivered);
        CHECK_EQUAL(wanted & 1, outer.delivered);
        ghcomp_interrupt_leave(&outer);
        CHECK_EQUAL(0, ghcomp_load_relaxed(&ghcomp_interrupt_scopes));
    }
}

static void scopes_of_one_member_nest(void)
{
    outer = inner = (struct ghcomp_interrupt){0};
    ghcomp_interrupt_enter(&outer);
    ghcomp_interrupt_enter(&inner);
    ghcomp_store_relaxed(&inner.wanted, 1u);
    everywhere(true);
    ghcomp_interrupt_leave(&inner);
    everywhere(false);
    CHECK_EQUAL(0, outer.delivered);
    ghcomp_interrupt_leave(&outer);
    everywhere(false);
}

int main(void)
{
    ghcomp_env_init();
    ghcomp_global.initial.max_active_levels = 4;
    one_scope();
    other_threads_are_not_told();
    scopes_nest();
    scopes_of_one_member_nest();
    return 0;
}
