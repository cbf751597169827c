/* core/affinity/affinity.c under load: teams that grow, shrink, nest and change their policy, from several initial
 * threads at once, with places. Every member finds its place in its partition and its mask set. ThreadSanitizer watches
 * the hand-over.
 *
 * env: OMP_PLACES=threads OMP_PROC_BIND=spread,close OMP_MAX_ACTIVE_LEVELS=2
 */
#include "core/affinity/affinity.h"

#include <string.h>

#include "core/team/team.h"
#include "unit.h"

enum { MASTERS = 3, TURNS = 60 };

static _Atomic uint32_t members;

static void check_self(void)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_cpus mask;
    CHECK(self->place >= 1 && self->place <= ghcomp_affinity.places.count);
    CHECK(self->place - 1 >= self->partition_first);
    CHECK(self->place - 1 < self->partition_first + self->partition_len);
    CHECK_EQUAL(self->place, self->thread->affinity.bound_place);
    ghcomp_affinity_current(&mask);
    CHECK(memcmp(&mask, &ghcomp_affinity.places.list[self->place - 1], sizeof mask) == 0);
    ghcomp_add_relaxed(&members, 1u);
}

static void inner(void *data)
{
    (void)data;
    check_self();
}

static void outer(void *data)
{
    check_self();
    ghcomp_team_parallel(inner, data, 2, 0);
    check_self();
}

static void *master(void *argument)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        uint32_t policy = turn % 3 == 0 ? GHCOMP_BIND_PRIMARY : turn % 3 == 1 ? GHCOMP_BIND_CLOSE : 0;
        ghcomp_team_parallel(outer, argument, 1 + turn / 4 % 4, policy);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[MASTERS];
    CHECK(ghcomp_affinity.places.count >= 1);
    for (int i = 0; i < MASTERS; i++)
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, master, NULL));
    master(NULL);
    for (int i = 0; i < MASTERS; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
    uint32_t expected = 0;
    for (uint32_t turn = 0; turn < TURNS; turn++)
        expected += (1 + turn / 4 % 4) * 4;
    CHECK_EQUAL(expected * (MASTERS + 1), ghcomp_load_relaxed(&members));
    return 0;
}
