/* A task's own ICVs, and the routines whose answer depends on the task that the thread executes. */
#include "unit.h"

#include "abi/abi.h"
#include "core/team/team.h"

static void copy_on_first_write(void)
{
    struct ghcomp_member *self = ghcomp_self();
    const struct ghcomp_icvs *shared = self->task->icv;
    CHECK(shared == &ghcomp_global.initial);
    struct ghcomp_icvs *own = ghcomp_icv_own(self->task);
    CHECK(own == &self->task->own && self->task->icv == own && own->nthreads == shared->nthreads);
    own->nthreads = shared->nthreads + 5;
    CHECK(ghcomp_icv_own(self->task) == own);
    CHECK_EQUAL(shared->nthreads + 5, self->task->icv->nthreads);
    CHECK_EQUAL(shared->nthreads + 5, omp_get_max_threads());
}

static void explicit_task(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *implicit = self->task;
    CHECK(!omp_in_explicit_task() && !omp_in_final());
    struct ghcomp_task task = {.icv = implicit->icv, .parent = implicit, .final = true};
    self->task = &task;
    CHECK(omp_in_explicit_task() && omp_in_final());
    int before = omp_get_max_threads();
    omp_set_num_threads(before + 3);
    CHECK_EQUAL(before + 3, omp_get_max_threads());
    self->task = implicit;
    CHECK(!omp_in_explicit_task() && !omp_in_final());
    CHECK_EQUAL(before, omp_get_max_threads());
}

int main(void)
{
    copy_on_first_write();
    explicit_task(NULL);
    ghcomp_team_parallel(explicit_task, NULL, 3, 0);
    return 0;
}
