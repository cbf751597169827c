/* Calls a microtask with any number of arguments. See kmp_invoke.c. */
#pragma once

#include "abi/kmp_types.h"

/* The same for a tool: the frame that the code is called from is the current task's exit frame. */
void ghcomp_kmp_invoke_framed(kmp_microtask fn, int32_t *global_thread, int32_t *thread_in_team, uint32_t argc,
                              void **argv);
/* fn(global_thread, thread_in_team, argv[0], ..., argv[argc - 1]) */
void ghcomp_kmp_invoke(kmp_microtask fn, int32_t *global_thread, int32_t *thread_in_team, uint32_t argc, void **argv);
