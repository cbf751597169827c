/* Shared by the tests of admission: masters, regions whose members add up what all of them wrote, and how a case
   begins. */
#pragma once

#include "process.h"

#include <pthread.h>

#include "core/cpu/cpu_account.h"
#include "core/state/icv.h"
#include "core/state/settings.h"
#include "core/sync/barrier.h"
#include "core/team/pool.h"
#include "core/team/team.h"

enum { CPUS = 4, TEAM = 4, MOST_MASTERS = 32 };

static void prepare(void)
{
    ghcomp_env_init();
    ghcomp_settings.share = GHCOMP_SHARE_ALL;
    ghcomp_global.num_cpus = CPUS;
    ghcomp_global.initial.max_active_levels = 2;
    ghcomp_pool_host();
    CHECK(ghcomp_load_relaxed(&ghcomp_cpu_account_shared));
}

static void together(int masters, void *(*what)(void *))
{
    pthread_t threads[MOST_MASTERS];
    for (intptr_t i = 0; i < masters; i++)
        CHECK(pthread_create(&threads[i], NULL, what, (void *)i) == 0);
    for (int i = 0; i < masters; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK_EQUAL(0, ghcomp_cpu_account_counts().threads);
    CHECK_EQUAL(0, ghcomp_cpu_account_counts().masters);
    CHECK_EQUAL(0, ghcomp_cpu_account_counts().recent);
}

struct sum {
    uint32_t size;
    int plain[TEAM]; /* each written by a member, read by the master after the join */
};

static void add_up(void *data)
{
    struct sum *sum = data;
    struct ghcomp_member *self = ghcomp_self();
    CHECK_EQUAL(sum->size, self->team->size);
    sum->plain[self->tid]++;
    ghcomp_barrier_wait(self);
    for (uint32_t i = 0; i < sum->size; i++)
        CHECK_EQUAL(sum->plain[0], sum->plain[i]);
    ghcomp_barrier_wait(self);
}

static void *one_region(void *data)
{
    (void)data;
    struct sum sum = {.size = TEAM};
    ghcomp_team_parallel(add_up, &sum, TEAM, 0);
    return NULL;
}

static void *masters_who_come_and_go(void *data)
{
    for (int i = 0, threads = unit_rounds(40); i < threads; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, one_region, data) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    return NULL;
}
