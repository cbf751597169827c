/* __kmpc_fork_call and its kin: parallel regions as clang and flang emit them. Tests: test/clang/regions.c.
 *
 * The clauses num_threads and proc_bind come in calls before the region's. A region whose if clause is false is code
 * between __kmpc_serialized_parallel and its end, on the encountering thread. */
#include <stdlib.h>

#include "abi/abi.h"
#include "abi/kmp/kmp_call.h"
#include "abi/kmp/kmp_invoke.h"
#include "core/affinity/affinity.h"
#include "core/team/team.h"
#include "core/team/thread_number.h"
#include "core/tool/tool_filter.h"

enum { KMP_BIND_PRIMARY = 5 };

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline, cold)) void call_run_observed(struct kmp_call *call)
{
    struct ghcomp_member *self = ghcomp_self_member;
    int32_t thread = (int32_t)ghcomp_thread_number(self->thread), member = (int32_t)self->tid;
    if (ghcomp_tool_on() && !self->team->filtered)
        ghcomp_kmp_invoke_framed(call->fn, &thread, &member, call->argc, call->argv);
    else
        ghcomp_kmp_invoke(call->fn, &thread, &member, call->argc, call->argv);
}

void ghcomp_kmp_call_run(void *data)
{
    struct kmp_call *call = data;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL)) {
        call_run_observed(call);
        return;
    }
    int32_t thread = (int32_t)ghcomp_thread_number(self->thread), member = (int32_t)self->tid;
    ghcomp_kmp_invoke(call->fn, &thread, &member, call->argc, call->argv);
}

/* The clauses apply to one region. Its master has its number before the workers take theirs: the process's first thread
   that opens a region is number 0. */
static inline void take_clauses(struct ghcomp_thread *thread, uint32_t *num_threads, uint32_t *bind)
{
    ghcomp_thread_number(thread);
    struct ghcomp_thread_clauses *clauses = &thread->clauses;
    *num_threads = ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_global.serial)) ? 1 : clauses->num_threads;
    *bind = clauses->bind | GHCOMP_TEAM_OF_CLANG;
    clauses->num_threads = clauses->bind = 0;
}

/* An entry begins a region: stores the call site for a tool, and returns 0; or the flag of a filtered one. */
static __attribute__((noinline, cold)) uint32_t site_of(const void *return_address, void *frame, int invoker)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (self != NULL && self->thread->clauses.threads == NULL && ghcomp_tool_region_filtered(self, return_address))
        return GHCOMP_TEAM_FILTERED;
    ghcomp_tool_note(return_address, frame, invoker);
    return 0;
}
#define SITE_OF(invoker) \
    (ghcomp_tool_on() ? site_of(__builtin_return_address(0), __builtin_dwarf_cfa(), invoker) : 0)

/* `fast` is ghcomp_self_fast. */
static inline void run_region(struct kmp_call *call, struct ghcomp_member *fast, uint32_t filtered)
{
    uint32_t num_threads, bind;
    struct ghcomp_thread *thread = ghcomp_likely(fast != NULL) ? fast->thread : ghcomp_self_of_libomp()->thread;
    struct ghcomp_kmp_threads *threads = thread->clauses.threads;
    take_clauses(thread, &num_threads, &bind);
    if (ghcomp_unlikely(threads != NULL))
        ghcomp_kmp_threads_run(call, threads, bind);
    else if (ghcomp_likely(fast != NULL))
        ghcomp_team_parallel_fast(ghcomp_kmp_call_run, call, num_threads, bind, fast);
    else
        ghcomp_team_parallel_observed(ghcomp_kmp_call_run, call, num_threads, bind | filtered);
}

void __kmpc_fork_call(struct kmp_ident *loc, int32_t argc, kmp_microtask fn, ...)
{
    (void)loc;
    struct ghcomp_member *self = ghcomp_self_fast;
    uint32_t filtered = ghcomp_likely(self != NULL) ? 0 : SITE_OF(0);
    struct kmp_call *call = GHCOMP_KMP_CALL_ON_STACK(argc);
    va_list arguments;
    va_start(arguments, fn);
    ghcomp_kmp_call_fill(call, fn, argc, &arguments);
    va_end(arguments);
    run_region(call, self, filtered);
}

/* Drops the clauses of a region that its if clause makes serial. Returns its proc_bind, the only one that still
   counts. */
static uint32_t drop_clauses(struct ghcomp_thread *thread)
{
    uint32_t num_threads, bind;
    take_clauses(thread, &num_threads, &bind);
    free(thread->clauses.threads);
    thread->clauses.threads = NULL;
    return bind;
}

static void run_serialized(struct kmp_call *call, uint32_t filtered)
{
    uint32_t bind = drop_clauses(ghcomp_self_of_libomp()->thread);
    ghcomp_team_parallel(ghcomp_kmp_call_run, call, 1, bind | filtered);
}

/* `args` is the microtask's only argument, and there is none when argc is 0. */
void __kmpc_fork_call_if(struct kmp_ident *loc, int32_t argc, kmp_microtask fn, int32_t condition, void *args)
{
    (void)loc;
    uint32_t filtered = SITE_OF(0);
    struct kmp_call *call = GHCOMP_KMP_CALL_ON_STACK(1);
    call->fn = fn;
    call->argc = argc > 0;
    call->argv[0] = args;
    if (condition)
        run_region(call, ghcomp_self_fast, filtered);
    else
        run_serialized(call, filtered);
}

void __kmpc_serialized_parallel(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    uint32_t filtered = SITE_OF(ompt_parallel_invoker_program);
    ghcomp_team_prepare(1, drop_clauses(ghcomp_self_of_libomp()->thread) | filtered);
}

void __kmpc_end_serialized_parallel(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    ghcomp_team_join();
}

/* A number that is not positive is no valid clause: the region is as without it. */
void __kmpc_push_num_threads(struct kmp_ident *loc, int32_t thread, int32_t num_threads)
{
    (void)loc, (void)thread;
    ghcomp_self_of_libomp()->thread->clauses.num_threads = num_threads > 0 ? (uint32_t)num_threads : 0;
}

/* After a region, whose beginning has taken the clause. */
void __kmpc_pop_num_threads(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
}

/* clang has a number of its own for `primary`, beside that of `master`. */
void __kmpc_push_proc_bind(struct kmp_ident *loc, int32_t thread, int32_t bind)
{
    (void)loc, (void)thread;
    if (bind == KMP_BIND_PRIMARY)
        bind = GHCOMP_BIND_PRIMARY;
    ghcomp_self_of_libomp()->thread->clauses.bind =
        bind >= GHCOMP_BIND_PRIMARY && bind <= GHCOMP_BIND_SPREAD ? (uint32_t)bind : 0;
}

GHCOMP_ABI_OBJECT(kmp_parallel);
