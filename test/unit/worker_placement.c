/* Worker placement: the CPU masks of workers whose master is on the same CPU, on another one or on an unknown one, with
   CPUs contended or not, in teams that fit the machine and teams that do not; and what workers are told about CPUs.
   Runs under ASan+UBSan and TSan. */
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

/* The CPU that the worker is told it runs on; -2: the true one. */
static _Atomic int here = -2;
int __wrap_ghcomp_os_cpu(void);
int __real_ghcomp_os_cpu(void);
int __wrap_ghcomp_os_cpu(void)
{
    int said = ghcomp_load_relaxed(&here);
    return said != -2 ? said : __real_ghcomp_os_cpu();
}

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
    CHECK(!worker->placement.restricted && worker->placement.pinned == 0);
}

static void check_all_but(uint32_t cpu)
{
    struct ghcomp_cpus now = mask_now();
    CHECK_EQUAL(cpus - 1, ghcomp_cpus_count(&now));
    CHECK(!ghcomp_cpus_has(&now, cpu));
    CHECK_EQUAL(cpus, omp_get_num_procs());
}

static void check_only(uint32_t cpu)
{
    struct ghcomp_cpus now = mask_now();
    CHECK_EQUAL(1, ghcomp_cpus_count(&now));
    CHECK(ghcomp_cpus_has(&now, cpu));
    CHECK_EQUAL(cpus, omp_get_num_procs());
}

static void place(struct ghcomp_thread *worker, int32_t master, uint32_t tid, uint32_t size)
{
    worker->mail.cpu = master;
    worker->mail.tid = tid;
    ghcomp_worker_placement_apply(worker, size);
}

static void *as_a_worker(void *nothing)
{
    (void)nothing;
    struct ghcomp_thread *worker = ghcomp_self()->thread;
    int32_t first = (int32_t)cpu_number(0), second = (int32_t)cpu_number(1);
    check_all(worker);
    /* CPUs are not contended: the worker may stay. */
    ghcomp_store_relaxed(&here, first);
    place(worker, first, 1, 2);
    check_all(worker);
    /* CPUs are contended: a worker on its master's CPU is kept off it, a worker elsewhere stays. Its mask then follows
       the master, also when CPUs are not contended any more. */
    ghcomp_store_relaxed(&ghcomp_wait.cpu_contended, true);
    place(worker, second, 1, 2);
    check_all(worker);
    place(worker, first, 1, 2);
    check_all_but((uint32_t)first);
    ghcomp_store_relaxed(&ghcomp_wait.cpu_contended, false);
    ghcomp_store_relaxed(&here, second);
    place(worker, second, 1, 2);
    check_all_but((uint32_t)second);
    place(worker, first, 1, 2);
    check_all_but((uint32_t)second);
    /* A master whose CPU is unknown: the mask is restored. */
    place(worker, -1, 1, 2);
    check_all(worker);
    /* A team that does not fit: each worker is pinned to one CPU, in order from the master's CPU on, cyclically. */
    for (uint32_t tid = 1; tid < 2 * cpus + 1; tid++) {
        place(worker, first, tid, cpus + 1);
        check_only(cpu_number(tid % cpus));
        place(worker, first, tid, cpus + 1); /* it stays */
        check_only(cpu_number(tid % cpus));
        place(worker, second, tid, cpus + 1); /* the master has moved */
        check_only(cpu_number((tid + 1) % cpus));
    }
    ghcomp_store_relaxed(&here, -1);
    place(worker, first, 1, cpus);
    check_all(worker);
    /* A CPU that is not in the worker's mask. */
    place(worker, (int32_t)GHCOMP_MAX_CPUS - 1, 1, cpus + 1);
    check_all(worker);
    place(worker, (int32_t)GHCOMP_MAX_CPUS + 5, 1, 2);
    check_all(worker);
    /* A worker with a mask of its own keeps to that. */
    static struct ghcomp_cpus own;
    ghcomp_cpus_add(&own, (uint32_t)second);
    worker->placement.mask = &own;
    place(worker, second, 3, cpus + 1);
    struct ghcomp_cpus now = mask_now();
    CHECK_EQUAL(1, ghcomp_cpus_count(&now));
    CHECK_EQUAL(1, omp_get_num_procs());
    worker->placement.mask = NULL;
    place(worker, -1, 1, 2);
    check_all(worker);
    return NULL;
}

static _Atomic uint32_t wrong_masks;

static void look(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    CHECK_EQUAL(cpus, omp_get_num_procs());
    struct ghcomp_cpus now = mask_now();
    bool large = self->team->size > cpus;
    uint32_t expected = self->tid != 0 && large ? 1 : cpus;
    if (ghcomp_cpus_count(&now) != expected)
        ghcomp_add_relaxed(&wrong_masks, 1u);
}

/* In real teams: the master's mask is never changed, and the workers of a team that fits have their masks restored. */
static void teams_are_placed(void)
{
    ghcomp_store_relaxed(&here, -2);
    for (int i = 0; i < 20; i++) {
        ghcomp_team_parallel(look, NULL, cpus + 2, 0);
        ghcomp_team_parallel(look, NULL, cpus, 0);
    }
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
    return 0;
}
