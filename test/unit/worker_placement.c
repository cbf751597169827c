/* Worker placement: the CPU masks of workers in teams that fit the machine and teams that do not, beside Haskell or
   not; and what workers are told about CPUs. The ticks, and how many Capabilities are busy, are made up. Runs under
   ASan+UBSan and TSan. */
#include "unit.h"

#include <pthread.h>
#include <string.h>

#include "core/affinity/affinity.h"
#include "core/team/worker_placement.h"
#include "core/state/settings.h"
#include "core/team/pool.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"
#include "host/os.h"

int omp_get_num_procs(void);

static _Atomic uint64_t ticks = UINT64_C(1) << 40;
static _Atomic uint32_t busy;

static uint64_t fake_ticks(void)
{
    return ghcomp_load_relaxed(&ticks);
}

static uint32_t fake_haskell(void)
{
    return ghcomp_load_relaxed(&busy);
}

/* The source itself, with these fakes. */
#define ghcomp_cpu_ticks fake_ticks
#define ghcomp_cpu_account_haskell fake_haskell
#include "core/team/worker_placement.c"

static struct ghcomp_cpus all;
static uint32_t cpus;

static struct ghcomp_cpus mask_now(void)
{
    struct ghcomp_cpus mask;
    memset(&mask, 0, sizeof mask);
    CHECK_EQUAL(0, ghcomp_os_mask((cpu_set_t *)&mask, sizeof mask));
    return mask;
}

static uint32_t cpu_number(uint32_t place)
{
    uint32_t cpu = ghcomp_cpus_next(&all, 0);
    while (place-- > 0)
        cpu = ghcomp_cpus_next(&all, cpu + 1);
    return cpu;
}

static void check_all(const struct ghcomp_thread *worker)
{
    struct ghcomp_cpus now = mask_now();
    CHECK(memcmp(&now, &all, sizeof now) == 0);
    CHECK_EQUAL(0, worker->placement.pinned);
}

static void check_only(uint32_t cpu)
{
    struct ghcomp_cpus now = mask_now();
    CHECK_EQUAL(1, ghcomp_cpus_count(&now));
    CHECK(ghcomp_cpus_has(&now, cpu));
    CHECK_EQUAL(cpus, omp_get_num_procs());
}

static void place(struct ghcomp_thread *worker, int32_t master, uint32_t tid)
{
    worker->mail.cpu = master;
    worker->mail.tid = tid;
    ghcomp_worker_placement_apply(worker);
}

static void *as_a_worker(void *nothing)
{
    (void)nothing;
    struct ghcomp_thread *worker = ghcomp_self()->thread;
    int32_t first = (int32_t)cpu_number(0), second = (int32_t)cpu_number(1);
    place(worker, -1, 1);
    check_all(worker);
    /* The master of a team that does not fit has said its CPU: each worker is pinned to one, in order from the master's
       on, cyclically. */
    for (uint32_t tid = 1; tid < 2 * cpus + 1; tid++) {
        place(worker, first, tid);
        check_only(cpu_number(tid % cpus));
        place(worker, first, tid); /* it stays */
        check_only(cpu_number(tid % cpus));
        place(worker, second, tid); /* the master has moved */
        check_only(cpu_number((tid + 1) % cpus));
    }
    place(worker, -1, 1);
    check_all(worker);
    /* A CPU that is not in the worker's mask. */
    place(worker, (int32_t)GHCOMP_MAX_CPUS - 1, 1);
    check_all(worker);
    /* A worker with a mask of its own keeps to that. */
    static struct ghcomp_cpus own;
    ghcomp_cpus_add(&own, (uint32_t)second);
    worker->placement.mask = &own;
    place(worker, second, 3);
    struct ghcomp_cpus now = mask_now();
    CHECK_EQUAL(1, ghcomp_cpus_count(&now));
    CHECK_EQUAL(1, omp_get_num_procs());
    worker->placement.mask = NULL;
    place(worker, -1, 1);
    check_all(worker);
    return NULL;
}

static _Atomic uint32_t wrong_masks;
static bool spread = true; /* whether the workers of large teams are; main thread, between regions */

static void look(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    CHECK_EQUAL(cpus, omp_get_num_procs());
    struct ghcomp_cpus now = mask_now();
    bool large = spread && self->team->size > cpus;
    uint32_t expected = self->tid != 0 && large ? 1 : cpus;
    if (ghcomp_cpus_count(&now) != expected)
        ghcomp_add_relaxed(&wrong_masks, 1u);
}

/* In real teams: the master's mask is never changed, and the workers of a team that fits have their masks restored. */
static void teams_are_placed(void)
{
    for (int i = 0; i < 20; i++) {
        ghcomp_team_parallel(look, NULL, cpus + 2, 0);
        ghcomp_team_parallel(look, NULL, cpus, 0);
    }
    CHECK_EQUAL(0, ghcomp_load_relaxed(&wrong_masks));
}

static _Atomic uint32_t errand_cpus;

static void look_on_an_errand(void *data)
{
    (void)data;
    struct ghcomp_cpus now = mask_now();
    ghcomp_store_release(&errand_cpus, ghcomp_cpus_count(&now));
}

/* A worker of a large team that does something else next: a free agent, or a target task. */
static void errands_are_not_placed(void)
{
    ghcomp_team_parallel(look, NULL, cpus + 2, 0);
    ghcomp_team_parallel(look, NULL, 2, 0); /* the others are free */
    struct ghcomp_thread *worker;
    int error;
    CHECK_EQUAL(1, ghcomp_pool_take(&worker, 1, &error));
    CHECK(worker->placement.pinned != 0);
    ghcomp_pool_send(worker, look_on_an_errand, NULL);
    while (ghcomp_load_acquire(&errand_cpus) == 0)
        ghcomp_os_yield();
    CHECK_EQUAL(cpus, ghcomp_load_relaxed(&errand_cpus));
}

/* Beside busy Capabilities, and for a while after that, no worker is pinned. */
static void beside_haskell_nobody_is_placed(void)
{
    CHECK(ghcomp_worker_placement_cpu(cpus + 1) >= 0);
    CHECK_EQUAL(-1, ghcomp_worker_placement_cpu(cpus));
    ghcomp_store_relaxed(&busy, 1u);
    CHECK_EQUAL(-1, ghcomp_worker_placement_cpu(cpus + 1));
    ghcomp_store_relaxed(&busy, 0u);
    ghcomp_add_relaxed(&ticks, LATELY_TICKS / 2);
    CHECK_EQUAL(-1, ghcomp_worker_placement_cpu(cpus + 1));
    spread = false;
    ghcomp_team_parallel(look, NULL, cpus + 2, 0);
    CHECK_EQUAL(0, ghcomp_load_relaxed(&wrong_masks));
    ghcomp_add_relaxed(&ticks, LATELY_TICKS);
    CHECK(ghcomp_worker_placement_cpu(cpus + 1) >= 0);
    spread = true;
    ghcomp_team_parallel(look, NULL, cpus + 2, 0);
    CHECK_EQUAL(0, ghcomp_load_relaxed(&wrong_masks));
}

int main(void)
{
    ghcomp_env_init();
    size_t size;
    const cpu_set_t *at_load = ghcomp_os_affinity(&size);
    memcpy(&all, at_load, size < sizeof all ? size : sizeof all);
    cpus = ghcomp_cpus_count(&all);
    if (cpus < 2) {
        puts("there is one CPU only");
        return 77;
    }
    ghcomp_global.num_cpus = cpus; /* whatever a quota says */
    ghcomp_global.cpu_quota = cpus;
    ghcomp_settings.share = GHCOMP_SHARE_ALL;
    ghcomp_pool_host();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, as_a_worker, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    teams_are_placed();
    errands_are_not_placed();
    beside_haskell_nobody_is_placed();
    return 0;
}
