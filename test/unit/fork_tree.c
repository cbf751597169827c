/* The fork tree hands a region to a large team that sleeps: the master sends to two workers and wakes at most two,
   every other thread at most log2(n), and all are reached in log2(n) steps. Runs under ASan+UBSan and TSan.

   fork_tree.c is compiled into this test with a send and a wake-up that count; the library's fork_tree.o is then not
   linked. */
#include "unit.h"

#include <string.h>

#include "core/team/barrier_policy.h"
#include "core/sync/mailbox.h"
#include "core/team/pool.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"

static bool counted_send(struct ghcomp_thread *worker, const struct ghcomp_fork *fork, uint32_t tid, uint32_t last);
static void counted_wake(struct ghcomp_thread *worker);
#define ghcomp_mailbox_send(worker, fork, tid, last) counted_send(worker, fork, tid, last)
#define ghcomp_mailbox_wake(worker) counted_wake(worker)
#include "core/team/fork_tree.c"
#undef ghcomp_mailbox_send
#undef ghcomp_mailbox_wake

enum { MOST = 200 };

/* By member number. A member's depth is written by the thread that starts it, its counts by itself. */
static uint32_t depth[MOST];
static _Atomic uint32_t posts[MOST], wakes[MOST], runs[MOST];
static _Atomic uint32_t all_posts, all_wakes;

/* The number of the member that runs this. A worker with a new mail is not a member yet, so its mail is asked. */
static uint32_t starter(void)
{
    struct ghcomp_thread *thread = ghcomp_self()->thread;
    return thread->number == 0 ? 0 : thread->mail.tid;
}

static bool counted_send(struct ghcomp_thread *worker, const struct ghcomp_fork *fork, uint32_t tid, uint32_t last)
{
    uint32_t me = starter();
    ghcomp_add_relaxed(&posts[me], 1u);
    ghcomp_add_relaxed(&all_posts, 1u);
    depth[tid] = depth[me] + 1;
    return ghcomp_mailbox_send(worker, fork, tid, last);
}

static void counted_wake(struct ghcomp_thread *worker)
{
    ghcomp_add_relaxed(&wakes[starter()], 1u);
    ghcomp_add_relaxed(&all_wakes, 1u);
    ghcomp_mailbox_wake(worker);
}

static void member(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&runs[ghcomp_self()->tid], 1u);
}

static void all_asleep(void)
{
    while (ghcomp_load_relaxed(&ghcomp_cpu_load.awake) != 0)
        ghcomp_os_yield();
}

static uint32_t steps(uint32_t size)
{
    uint32_t count = 0;
    while (1u << count < size)
        count++;
    return count;
}

static void region_of_sleepers(uint32_t size)
{
    memset(depth, 0, sizeof depth);
    memset(posts, 0, sizeof posts);
    memset(wakes, 0, sizeof wakes);
    memset(runs, 0, sizeof runs);
    all_posts = all_wakes = 0;
    ghcomp_team_parallel(member, NULL, size, 0);
    CHECK_EQUAL(size - 1, all_posts);
    /* A worker may see its mail between setting its sleep bit and sleeping; most do sleep. */
    CHECK(all_wakes <= size - 1 && all_wakes > 0);
    for (uint32_t tid = 0; tid < size; tid++) {
        CHECK_EQUAL(1, runs[tid]);
        CHECK(posts[tid] <= (tid == 0 ? 2 : steps(size)) && wakes[tid] <= posts[tid]);
        CHECK(depth[tid] <= steps(size));
        CHECK((depth[tid] == 0) == (tid == 0));
    }
}

/* Oversubscribed: the master starts all workers itself, so no worker's start waits until another one runs. */
static void oversubscribed_region(uint32_t size)
{
    memset(posts, 0, sizeof posts);
    memset(runs, 0, sizeof runs);
    ghcomp_add_relaxed(&ghcomp_cpu_load.awake, ghcomp_cpu_load.cpus);
    ghcomp_team_parallel(member, NULL, size, 0);
    ghcomp_sub_relaxed(&ghcomp_cpu_load.awake, ghcomp_cpu_load.cpus);
    CHECK_EQUAL(size - 1, posts[0]);
    for (uint32_t tid = 0; tid < size; tid++)
        CHECK_EQUAL(1, runs[tid]);
}

int main(void)
{
    ghcomp_env_init();
    ghcomp_tree_from = 2;
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++)
        ghcomp_wait_set_limit(kind, 0, 0);
    static const uint32_t sizes[] = {2, 3, 4, 5, 8, 31, 32, 33, 64, 100, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ghcomp_team_parallel(member, NULL, sizes[i], 0);
        for (int round = 0; round < 5; round++) {
            all_asleep();
            region_of_sleepers(sizes[i]);
            all_asleep();
            oversubscribed_region(sizes[i]);
        }
    }
    return 0;
}
