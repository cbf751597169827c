/* explore: tasks in libgomp's order that another thread than their maker releases (core/task/taskdep_complete.c,
   task_queue.c, task_take.c). A predecessor ends while its successors are being made: each thread meets those of the
   same predecessors in the order of their making, and what was ready before them first; and each is taken once.
   mutant: no-notice | core/task/task_queue.c | ghcomp_load_relaxed\(&team->queue.count\) \| GHCOMP_QUEUE_RELEASING\); => ghcomp_load_relaxed(&team->queue.count));
   mutant: steals-at-once | core/task/task_take.c | ancestor == NULL && ghcomp_task_queue_used\(team\) && => false &&
   mutant: own-deque | core/task/taskdep_complete.c | bool in_order = \(task->traits & GHCOMP_TASK_IN_ORDER\) && team->size > 1 && node->mutexes == NULL; => bool in_order = false;
   mutant: before-nothing | core/task/task_queue.c | return \(int32_t\)\(ticket - entry->behind\) < 0 \? deque : NULL; => return NULL;
   mutant: behind-the-close-alone | core/task/taskdep_complete.c | later \? release->bottom : task->mark\); => later ? release->bottom : release->bottom);
   mutant: any-of-the-deque | core/task/deque.h | task != NULL && \(int32_t\)\(ticket - end\) < 0 && !ghcomp_deque_steal\(deque, ticket\)\);\s*if \(task == NULL \|\| \(int32_t\)\(ticket - end\) >= 0\) => task != NULL && !ghcomp_deque_steal(deque, ticket)); if (task == NULL)
   mutant: keeps-any | core/task/taskdep_complete.c | && has_none\(release->maker\) => && release->maker != NULL
   mutant: maker-alone | core/task/taskdep_complete.c | if \(in_order && !release.ordered && \(ghcomp_load_acquire\(&to->waits\) != 1 \|\| mine_is_full\(self\)\)\) => if (false) */
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "explore.h"
#include "team.h"

#include "core/task/task_queue.c"
#include "core/task/task_take.c"
#include "core/task/taskdep_complete.c"

enum { MEMBERS = 3, MOST = 6, MAKER = 0 };
enum kind { FREE, AFTER_X, AFTER_Y, AFTER_BOTH };

static char x, y;
static struct ghcomp_task *ended_x, *ended_y; /* the predecessors, whose functions have returned */
static struct ghcomp_task *tasks[MOST];
static enum kind kinds[MOST];
static unsigned made, met[MOST];
static int seen[MEMBERS][MOST];
static unsigned count[MEMBERS];

static void nothing(void *data)
{
    (void)data;
}

static struct ghcomp_task *make_task(void *out, void *in, void *in_too)
{
    struct ghcomp_member *self = team.members[MAKER];
    struct ghcomp_task *task = ghcomp_task_new(self, nothing, 8, 8, 0);
    void *places[] = {out, in, in_too}, *list[5];
    int at = 2;
    for (int i = 0; i < 3; i++)
        if (places[i] != NULL)
            list[at++] = places[i];
    if (at == 2)
        return task;
    list[0] = (void *)(intptr_t)(at - 2);
    list[1] = (void *)(intptr_t)(out != NULL);
    task->traits |= GHCOMP_TASK_IN_ORDER;
    ghcomp_task_depend(self, task, list);
    return task;
}

static struct ghcomp_task *predecessor(void *place)
{
    struct ghcomp_task *task = make_task(place, NULL, NULL);
    EXPLORE_CHECK(ghcomp_depend_commit(team.members[MAKER], task));
    return task;
}

static void make(enum kind kind)
{
    kinds[made] = kind;
    tasks[made] = make_task(NULL, kind == AFTER_X || kind == AFTER_BOTH ? &x : NULL,
                            kind == AFTER_Y || kind == AFTER_BOTH ? &y : NULL);
    ghcomp_task_submit(team.members[MAKER], tasks[made++]);
}

static void meet(unsigned member, struct ghcomp_task *task)
{
    for (int i = 0; i < MOST; i++)
        if (tasks[i] == task)
            seen[member][count[member]++] = i;
    EXPLORE_CHECK(count[member] > 0 && tasks[seen[member][count[member] - 1]] == task);
    met[seen[member][count[member] - 1]]++;
}

static void take_some(unsigned member, int most)
{
    for (int i = 0; i < most; i++) {
        struct ghcomp_task *task = ghcomp_task_take_any(team.members[member]);
        if (task != NULL)
            meet(member, task);
    }
}

static void complete(unsigned member, struct ghcomp_task *task)
{
    struct ghcomp_task *kept = ghcomp_depend_complete(team.members[member], &team, task, true);
    if (kept != NULL)
        meet(member, kept);
}

static void end_x_and_take(void *most)
{
    complete(1, ended_x);
    take_some(1, (int)(intptr_t)most);
}

static void thief(void *most)
{
    take_some(2, (int)(intptr_t)most);
}

static void make_two_more(void *kind)
{
    make((enum kind)(intptr_t)kind);
    make(AFTER_X);
    take_some(MAKER, 2);
}

static void end_y_and_take(void *most)
{
    complete(MAKER, ended_y);
    take_some(MAKER, (int)(intptr_t)most);
}

/* Of each kind the numbers rise; and nothing was met after a later one, but for those that waited after those that did
   not. */
static void in_order(void)
{
    take_some(MAKER, MOST);
    unsigned all = 0;
    for (unsigned m = 0; m < MEMBERS; m++) {
        for (unsigned i = 0; i < count[m]; i++)
            for (unsigned j = 0; j < i; j++) {
                int earlier = seen[m][j], later = seen[m][i];
                EXPLORE_CHECK(earlier < later || (kinds[later] > kinds[earlier]));
            }
        all += count[m];
    }
    EXPLORE_EQUAL(made, all);
    for (unsigned i = 0; i < made; i++)
        EXPLORE_EQUAL(1, met[i]);
}

static void begin(void)
{
    explore_make_team(MEMBERS);
    ended_x = predecessor(&x);
}

static void one_predecessor(void)
{
    begin();
    make(AFTER_X);
    explore_thread(make_two_more, (void *)AFTER_X);
    explore_thread(end_x_and_take, (void *)1);
    explore_thread(thief, (void *)2);
}

static void beside_ready_ones(void)
{
    begin();
    make(FREE);
    make(AFTER_X);
    explore_thread(make_two_more, (void *)FREE);
    explore_thread(end_x_and_take, (void *)1);
    explore_thread(thief, (void *)2);
}

static void two_predecessors(void)
{
    begin();
    ended_y = predecessor(&y);
    make(AFTER_BOTH);
    make(AFTER_BOTH);
    make(AFTER_BOTH);
    explore_thread(end_y_and_take, (void *)1);
    explore_thread(end_x_and_take, (void *)1);
    explore_thread(thief, (void *)2);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "one predecessor", .setup = one_predecessor, .finish = in_order, .preemptions = 3, .delays = 1,
         .schedules = 30000, .random = 4000},
        {.name = "beside ready ones", .setup = beside_ready_ones, .finish = in_order, .preemptions = 3, .delays = 1,
         .schedules = 30000, .random = 4000},
        {.name = "two predecessors", .setup = two_predecessors, .finish = in_order, .preemptions = 3, .delays = 1,
         .schedules = 30000, .random = 4000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
