/* explore: fork and join (core/team/{team,pool,worker,fork_tree}.c), the mailbox (core/sync/mailbox.{h,c}) and the
   region's door (core/sync/task_team.c), with workers and masters that sleep at their first miss: each member runs each
   region once, the master continues only when all have finished, no thread sleeps for ever; a task that a member leaves
   behind has run when the region is over.
   mutant: post-is-a-store | core/sync/mailbox.h | return ghcomp_xchg_acqrel\(&worker->mail.word, word \+ 2\) & 1u; => word = ghcomp_load_relaxed(&worker->mail.word); ghcomp_store_release(&worker->mail.word, (word & ~1u) + 2); return word & 1u;
   mutant: sleeps-without-another-look | core/team/worker.c | ghcomp_cas_seqcst\(&worker->mail.word, &value, seen \| 1u\);\s*continue; => ghcomp_cas_seqcst(&worker->mail.word, &value, seen | 1u);
   mutant: join-without-fence | core/sync/barrier_flags.c | \|\| ghcomp_eventcount_fence\(team->members\[0\]->thread\); => || true;
   mutant: join-without-another-look | core/sync/barrier_flags.c | (?=bool fenced = team) => ghcomp_wait_park(&team->unfinished, word); 
   mutant: finish-before-looking | core/sync/barrier_flags.h | (?s)    if \(team->by_flags == GHCOMP_FLAGS_FENCED\) \{\s*ghcomp_xchg_seqcst.*?uint32_t word = ghcomp_load_seqcst\(&team->unfinished\); => uint32_t word = ghcomp_load_seqcst(&team->unfinished); ghcomp_xchg_seqcst(&worker->mail.finished_region, region);
   mutant: finish-fenced-is-a-store | core/sync/barrier_flags.h | ghcomp_xchg_seqcst\(&worker->mail.finished_region, region\) => ghcomp_store_release(&worker->mail.finished_region, region)
   mutant: named-worker-not-looked-at | core/sync/barrier_flags.c | if \(ghcomp_barrier_flags_finished\(team, last\)\) => if (false)
   mutant: wakes-only-the-first | core/sync/barrier_flags.h | word == ghcomp_barrier_flags_name\(tid\) => word == ghcomp_barrier_flags_name(1)
   mutant: names-may-be-counts | core/sync/barrier_flags.h | return UINT32_C\(1\) << 31 \| tid << 1 \| 1u; => return tid << 1 | 1u;
   mutant: count-join-sleeps-blindly | core/team/team.c | ghcomp_cas_acqrel\(&team->unfinished, &left, left \| 1u\); => (ghcomp_wait_park(&team->unfinished, left), ghcomp_cas_acqrel(&team->unfinished, &left, left | 1u));
   mutant: rouse-acquires | core/sync/mailbox.c | if \(\(ghcomp_load_seqcst\(&worker->mail.word\) & 1u\) => if ((ghcomp_load_acquire(&worker->mail.word) & 1u)
   mutant: nobody-is-roused | core/sync/task_team.c | for \(uint32_t tid = 1; tid < team->size; tid\+\+\)\s*ghcomp_mailbox_rouse\(team->members\[tid\]->thread\); => ;
   mutant: master-not-roused | core/sync/task_team.c | if \(ghcomp_and_acqrel\(&team->unfinished, ~1u\) & 1u\) => if (false)
   mutant: helper-not-counted | core/sync/task_team.c | while \(\(ghcomp_load_acquire\(&team->door\) & \(GHCOMP_DOOR_OPEN - 1\)\) != 0\) => while (false)
   mutant: join-without-notice | core/sync/task_team.c | (ghcomp_and_acqrel\(&team->door, ~GHCOMP_DOOR_OPEN\);)\s*ghcomp_eventcount_notify\(team\); => \1
   mutant: helper-counts-on-a-yield | core/sync/task_team.c | notified = true; => ghcomp_os_yield();
   mutant: tells-once | core/sync/task_team.c | sleep.announced = notified = false; => sleep.announced = false; */
#include "core/sync/mailbox.c"
#include "core/sync/task_team.c"
#include "core/sync/barrier_flags.c"
#include "core/team/pool.c"
#include "core/team/team.c"
#include "core/team/worker.c"

#include "team.h"

static unsigned ran[4], regions; /* plain: each member's own, read after the join */
static unsigned tasks_made, tasks_ran;
static uint32_t maker; /* the member that makes tasks */
static uint8_t by_flags = GHCOMP_FLAGS_UNFENCED;

static void nothing_to_do(void *nothing)
{
    (void)nothing;
}

/* The region's members are there, and asleep; what follows is explored. */
static void prepare(uint32_t size)
{
    explore_quiet(true);
    explore_park_at_once();
    ghcomp_self();
    ghcomp_team_parallel(nothing_to_do, NULL, size, 0);
    struct ghcomp_team *team = ghcomp_self()->hot;
    team->by_flags = team->flags_next = regions ? GHCOMP_FLAGS_NONE : by_flags;
    explore_quiet(false);
}

static void note_it(void *nothing)
{
    (void)nothing;
    ran[ghcomp_self()->tid]++;
}

static void region(uint32_t size, void (*function)(void *))
{
    ghcomp_team_parallel(function, NULL, size, 0);
    for (uint32_t i = 0; i < size; i++)
        EXPLORE_EQUAL(1, ran[i]);
    memset(ran, 0, sizeof ran);
    EXPLORE_EQUAL(tasks_made, tasks_ran);
}

/* --- fork and join ------------------------------------------------------------------------------------------------ */

static void one_region(void *size)
{
    prepare((uint32_t)(uintptr_t)size);
    region((uint32_t)(uintptr_t)size, note_it);
}

static void two_regions(void *size)
{
    prepare((uint32_t)(uintptr_t)size);
    region((uint32_t)(uintptr_t)size, note_it);
    region((uint32_t)(uintptr_t)size, note_it);
}

static void two_members(void)
{
    explore_thread(two_regions, (void *)2);
}

static void three_members(void)
{
    explore_thread(one_region, (void *)3);
}

static void fenced_two(void)
{
    by_flags = GHCOMP_FLAGS_FENCED;
    two_members();
}

static void fenced_three(void)
{
    by_flags = GHCOMP_FLAGS_FENCED;
    three_members();
}

/* The second region counts, while a worker of the first may still be about to wake the master. */
static void flags_then_count(void *size)
{
    one_region(size);
    ghcomp_self()->hot->flags_next = GHCOMP_FLAGS_NONE;
    region((uint32_t)(uintptr_t)size, note_it);
}

static void change_to_counting(void)
{
    explore_thread(flags_then_count, (void *)2);
}

static void change_from_fenced(void)
{
    by_flags = GHCOMP_FLAGS_FENCED;
    change_to_counting();
}

static void count_joins(void)
{
    regions = 1; /* teams too large for flags: the join counts */
    explore_thread(two_regions, (void *)2);
}

static void count_joins_three(void)
{
    regions = 1;
    explore_thread(one_region, (void *)3);
}

/* --- tasks at the end of a region --------------------------------------------------------------------------------- */

static void run_task(void *nothing)
{
    (void)nothing;
    tasks_ran++;
}

static void leave_a_task(void *nothing)
{
    struct ghcomp_member *self = ghcomp_self();
    note_it(nothing);
    if (self->tid == maker) {
        tasks_made++;
        ghcomp_task_submit(self, ghcomp_task_new(self, run_task, 8, 8, 0));
    }
}

static void tasks(void *size)
{
    prepare((uint32_t)(uintptr_t)size);
    region((uint32_t)(uintptr_t)size, leave_a_task);
}

static void tasks_then_none(void *size)
{
    tasks(size);
    region((uint32_t)(uintptr_t)size, note_it);
}

static void tasks_two(void)
{
    maker = 1;
    explore_thread(tasks_then_none, (void *)2);
}

static void tasks_three(void)
{
    maker = 2;
    explore_thread(tasks, (void *)3);
}

static void tasks_counted(void)
{
    maker = 2;
    regions = 1;
    explore_thread(tasks, (void *)3);
}

static void tasks_twice(void *size)
{
    tasks(size);
    region((uint32_t)(uintptr_t)size, leave_a_task);
}

static void tasks_in_two_regions(void)
{
    explore_thread(tasks_twice, (void *)2);
}

/* The maker waits, in the program's own code, for what its task does: another member must run it. */
static _Atomic bool begun;

static void begin_task(void *nothing)
{
    run_task(nothing);
    ghcomp_store_release(&begun, true);
}

static void make_and_wait(void *nothing)
{
    struct ghcomp_member *self = ghcomp_self();
    note_it(nothing);
    if (self->tid != maker)
        return;
    tasks_made++;
    ghcomp_task_submit(self, ghcomp_task_new(self, begin_task, 8, 8, 0));
    while (!ghcomp_load_acquire(&begun))
        explore_pause();
}

static void awaited(void *size)
{
    prepare((uint32_t)(uintptr_t)size);
    region((uint32_t)(uintptr_t)size, make_and_wait);
}

static void master_waits(void)
{
    explore_thread(awaited, (void *)2);
}

static void worker_waits(void)
{
    maker = 1;
    explore_thread(awaited, (void *)2);
}

static void worker_waits_counted(void)
{
    regions = 1;
    worker_waits();
}

/* A task that makes another one. */
static void run_and_make(void *nothing)
{
    begin_task(nothing);
    tasks_made++;
    ghcomp_task_submit(ghcomp_self(), ghcomp_task_new(ghcomp_self(), run_task, 8, 8, 0));
}

static void leave_two(void *nothing)
{
    struct ghcomp_member *self = ghcomp_self();
    note_it(nothing);
    if (self->tid == 0) {
        tasks_made++;
        ghcomp_task_submit(self, ghcomp_task_new(self, run_and_make, 8, 8, 0));
        while (!ghcomp_load_acquire(&begun))
            explore_pause();
    }
}

static void nested(void *size)
{
    prepare((uint32_t)(uintptr_t)size);
    region((uint32_t)(uintptr_t)size, leave_two);
}

static void nested_tasks(void)
{
    explore_thread(nested, (void *)2);
}

/* The helper finds the end reached before the maker's own part is over, and once more after the second task. */
static void leave_two_in_turn(void *nothing)
{
    struct ghcomp_member *self = ghcomp_self();
    note_it(nothing);
    if (self->tid != 0)
        return;
    tasks_made += 2;
    ghcomp_task_submit(self, ghcomp_task_new(self, begin_task, 8, 8, 0));
    while (!ghcomp_load_acquire(&begun))
        explore_pause();
    ghcomp_task_submit(self, ghcomp_task_new(self, run_task, 8, 8, 0));
}

static void in_turn(void *size)
{
    prepare((uint32_t)(uintptr_t)size);
    region((uint32_t)(uintptr_t)size, leave_two_in_turn);
}

static void two_in_turn(void)
{
    explore_thread(in_turn, (void *)2);
}

static void fenced_tasks(void)
{
    by_flags = GHCOMP_FLAGS_FENCED;
    tasks_three();
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "two members", .setup = two_members, .preemptions = 2, .delays = 1, .schedules = 20000,
         .random = 2000},
        {.name = "three members", .setup = three_members, .preemptions = 2, .delays = 1, .schedules = 20000,
         .random = 2000},
        {.name = "two members, fenced", .setup = fenced_two, .preemptions = 2, .delays = 1, .schedules = 20000,
         .random = 2000},
        {.name = "three members, fenced", .setup = fenced_three, .preemptions = 2, .delays = 1, .schedules = 20000,
         .random = 2000},
        {.name = "two members, counted", .setup = count_joins, .preemptions = 2, .delays = 1, .schedules = 20000,
         .random = 2000},
        {.name = "three members, counted", .setup = count_joins_three, .preemptions = 2, .delays = 1,
         .schedules = 20000, .random = 2000},
        {.name = "from flags to counts", .setup = change_to_counting, .preemptions = 2, .delays = 1,
         .schedules = 20000, .random = 2000},
        {.name = "from fenced flags to counts", .setup = change_from_fenced, .preemptions = 2, .delays = 1,
         .schedules = 20000, .random = 2000},
        {.name = "a task, two members", .setup = tasks_two, .preemptions = 2, .delays = 1, .schedules = 15000,
         .random = 3000},
        {.name = "a task, three members", .setup = tasks_three, .preemptions = 1, .delays = 1, .schedules = 15000,
         .random = 3000},
        {.name = "a task, three members, fenced", .setup = fenced_tasks, .preemptions = 1, .delays = 1,
         .schedules = 15000, .random = 3000},
        {.name = "a task, three members, counted", .setup = tasks_counted, .preemptions = 1, .delays = 0,
         .schedules = 15000, .random = 3000},
        {.name = "tasks in two regions", .setup = tasks_in_two_regions, .preemptions = 1, .delays = 1,
         .schedules = 15000, .random = 3000},
        {.name = "the master waits for its task", .setup = master_waits, .preemptions = 2, .delays = 1,
         .schedules = 15000, .random = 2000},
        {.name = "a worker waits for its task", .setup = worker_waits, .preemptions = 2, .delays = 1,
         .schedules = 15000, .random = 2000},
        {.name = "a worker waits for its task, counted", .setup = worker_waits_counted, .preemptions = 2, .delays = 1,
         .schedules = 15000, .random = 2000},
        {.name = "a task that makes a task", .setup = nested_tasks, .preemptions = 2, .delays = 0, .schedules = 20000,
         .random = 4000},
        {.name = "two tasks in turn", .setup = two_in_turn, .preemptions = 2, .delays = 0, .schedules = 20000,
         .random = 4000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
