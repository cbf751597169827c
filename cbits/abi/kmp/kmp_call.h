/* A microtask with its arguments, as a region's function and data (core/team/team.h). The memory is the encountering
 * thread's stack, which stays until the region has ended.
 *
 *     struct kmp_call *call = GHCOMP_KMP_CALL_ON_STACK(argc);
 *     ghcomp_kmp_call_fill(call, fn, argc, &arguments);
 *     ghcomp_team_parallel(ghcomp_kmp_call_run, call, ...);
 *
 * Used by kmp_parallel.c, kmp_num_threads.c and kmp_teams.c. Tests: test/clang/{regions,leagues,num_threads}.c. */
#pragma once

#include <stdarg.h>

#include "abi/kmp_types.h"

struct kmp_call {
    kmp_microtask fn;
    uint32_t argc;
    void *argv[];
};

#define GHCOMP_KMP_CALL_ON_STACK(argc) __builtin_alloca(sizeof(struct kmp_call) + (size_t)(argc) * sizeof(void *))

static inline void ghcomp_kmp_call_fill(struct kmp_call *call, kmp_microtask fn, int32_t argc, va_list *arguments)
{
    call->fn = fn;
    call->argc = (uint32_t)argc;
    for (int32_t i = 0; i < argc; i++)
        call->argv[i] = va_arg(*arguments, void *);
}

struct ghcomp_kmp_threads;
/* A region with the stored clause, which is then dropped (kmp_num_threads.c). */
void ghcomp_kmp_threads_run(struct kmp_call *call, struct ghcomp_kmp_threads *threads, uint32_t bind);
/* Runs it as the calling member of the innermost team. */
void ghcomp_kmp_call_run(void *call);
