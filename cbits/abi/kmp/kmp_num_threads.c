/* The num_threads clause of OpenMP 6: a list, whose further numbers are for the regions inside, and `strict`, which
 * refuses a smaller team. Tests: test/clang/num_threads.c.
 *
 * A call before the region stores the clause in the thread, from which the region takes it (kmp_parallel.c). While the
 * region is created, the rest of the list replaces OMP_NUM_THREADS' values for the levels below, in the encountering
 * task's ICVs. `strict` applies to the region itself, not to those inside. */
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/kmp/kmp_call.h"
#include "base/check.h"
#include "core/team/team.h"

enum { SEVERITY_WARNING = 1 };

struct ghcomp_kmp_threads {
    const char *message;
    int32_t severity;
    bool strict;
    uint32_t length;
    uint32_t sizes[];  /* [length], the region's own first */
};

static void note(uint32_t length, const int32_t *list, bool strict, int32_t severity, const char *message)
{
    struct ghcomp_thread_clauses *clauses = &ghcomp_self_of_libomp()->thread->clauses;
    free(clauses->threads);
    struct ghcomp_kmp_threads *threads = ghcomp_alloc(sizeof *threads + length * sizeof threads->sizes[0]);
    *threads = (struct ghcomp_kmp_threads){message, severity, strict, length};
    for (uint32_t i = 0; i < length; i++) {
        if (list[i] <= 0)
            ghcomp_fatal("num_threads: the number %d is not positive; give one above 0", list[i]);
        threads->sizes[i] = (uint32_t)list[i];
    }
    clauses->threads = threads;
}

void __kmpc_push_num_threads_list(struct kmp_ident *loc, int32_t thread, uint32_t length, int32_t *list)
{
    (void)loc, (void)thread;
    if (length > 0)
        note(length, list, false, 0, NULL);
}

void __kmpc_push_num_threads_strict(struct kmp_ident *loc, int32_t thread, int32_t num_threads, int32_t severity,
                                    const char *message)
{
    (void)loc, (void)thread;
    note(1, &num_threads, true, severity, message);
}

void __kmpc_push_num_threads_list_strict(struct kmp_ident *loc, int32_t thread, uint32_t length, int32_t *list,
                                         int32_t severity, const char *message)
{
    (void)loc, (void)thread;
    if (length > 0)
        note(length, list, true, severity, message);
}

static void check_size(const struct ghcomp_kmp_threads *threads, uint32_t size)
{
    if (!threads->strict || size == threads->sizes[0])
        return;
    const char *message = threads->message != NULL ? threads->message : "give a smaller number or leave out strict";
    if (threads->severity == SEVERITY_WARNING)
        ghcomp_warn("num_threads(strict: %u): the team has %u threads: %s", threads->sizes[0], size, message);
    else
        ghcomp_fatal("num_threads(strict: %u): the team would have %u threads: %s", threads->sizes[0], size, message);
}

void ghcomp_kmp_threads_run(struct kmp_call *call, struct ghcomp_kmp_threads *threads, uint32_t bind)
{
    struct ghcomp_task *task = ghcomp_self_of_libomp()->task;
    ghcomp_self_of_libomp()->thread->clauses.threads = NULL;
    struct ghcomp_team *team;
    uint32_t size = ghcomp_load_relaxed(&ghcomp_global.serial) ? 1 : threads->sizes[0];
    if (threads->length > 1) {
        struct ghcomp_icvs *icv = ghcomp_icv_own(task), before = *icv;
        icv->nthreads_rest = threads->sizes + 1;
        icv->nthreads_rest_len = threads->length - 1;
        team = ghcomp_team_prepare(size, bind);
        icv->nthreads_rest = before.nthreads_rest;
        icv->nthreads_rest_len = before.nthreads_rest_len;
    } else {
        team = ghcomp_team_prepare(size, bind);
    }
    check_size(threads, team->size);
    ghcomp_team_release(team, ghcomp_kmp_call_run, call);
    ghcomp_team_run_member(ghcomp_kmp_call_run, call);
    ghcomp_team_join();
    free(threads); /* the ICVs of the region's tasks point into it */
}

GHCOMP_ABI_OBJECT(kmp_num_threads);
