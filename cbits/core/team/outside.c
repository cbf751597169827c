/* Queries from threads outside of any team of their own.
 *
 * A query (omp_get_level() and the like) may come at any moment: from a sampler's signal handler, a tool's callback, a
 * destructor. A worker that starts, idles or ends is in no region. A query does not register a thread that the runtime
 * does not know, or is about to register or to forget, because registering allocates memory, which a handler that has
 * interrupted malloc() must not do. For all of these threads a query answers as in a serial team of level 0, as in
 * libgomp. The team and the stranger's member are static, so a thread has them from its birth.
 *
 * Only queries use them: a thread is registered at its first construct, and at the first routine that changes its
 * state. Every thread that calls the runtime is reported to a tool, so if there is one, or none has been searched for
 * yet, a query registers the thread, too.
 *
 * Called by worker.c, thread.c and abi/omp. Covered by test/hostile/handler_asks.c, test/ompt/asks.c.
 */
#include "core/state/types.h"
#include "core/task/task_defer.h"
#include "core/tool/tool_filter.h"

struct ghcomp_team ghcomp_outside_team = {
    .size = 1, .task_room = {GHCOMP_TASK_ROOM_LEAST, GHCOMP_TASK_EACH + 1, GHCOMP_TASK_LEAST + 1},
    .icv = &ghcomp_global.initial, .league_size = 1,
};

static struct ghcomp_thread no_thread;

struct ghcomp_member ghcomp_outsider = {
    .team = &ghcomp_outside_team,
    .task = &ghcomp_outsider.implicit,
    .thread = &no_thread,
    .implicit = {.icv = &ghcomp_global.initial, .executor = &ghcomp_outsider},
    .credits = ghcomp_tool_no_credits,
};

void ghcomp_outside_init(struct ghcomp_member *member, struct ghcomp_thread *thread)
{
    member->team = &ghcomp_outside_team;
    member->task = &member->implicit;
    member->thread = thread;
    member->implicit.icv = &ghcomp_global.initial;
    member->implicit.executor = member;
    member->credits = ghcomp_tool_no_credits;
}

const struct ghcomp_member *ghcomp_stranger(const void *caller)
{
    struct ghcomp_member *known = ghcomp_self_member;
    if (known != NULL) /* not found by ghcomp_self_at_hand (self.h) */
        return known;
    ghcomp_env_decide(caller);
    return ghcomp_tool_on() ? ghcomp_thread_register_for(caller) : &ghcomp_outsider;
}
