/* Which callbacks a construct raises: the program runs its constructs one after the other, with a tool of its own
 * (record.h), and prints for each one the tool's events and their numbers. programs.py compares that with
 * constructs.tsv, in both directions, for gcc's and for clang's code; tables of docs/reference/ompt.md are made of the
 * same file.
 *
 * A construct's counts must not depend on the threads' speed: teams have two threads, and where one thread must come
 * first the other one waits at a gate. An event with a begin and an end is printed once, when there is one end for each
 * begin. */
#pragma once

#include "record.h"

struct construct {
    const char *name;
    void (*run)(void);
};

enum { NO_END = -1 };

/* Events `first` to `first + count - 1`, with their ends at `end`; kinds has a name for each that there is. */
struct named {
    const char *callback;
    int first, count, end;
    const char *kinds[33];
};

#define WORKS                                                                                                         \
    {NULL, "loop", "sections", "single_executor", "single_other", "workshare", "distribute", "taskloop", "scope",     \
     "workdistribute", "loop_static", "loop_dynamic", "loop_guided", "loop_other"}
#define SYNCS                                                                                                         \
    {NULL, "barrier", "barrier_implicit", "barrier_explicit", "barrier_implementation", "taskwait", "taskgroup",      \
     "reduction", "barrier_implicit_workshare", "barrier_implicit_parallel", "barrier_teams"}
#define MUTEXES {NULL, "lock", "test_lock", "nest_lock", "test_nest_lock", "critical", "atomic", "ordered"}

static const struct named names[] = {
    {"thread_begin", THREAD_INITIAL, 2, NO_END, {"initial", "worker"}},
    {"thread_end", THREAD_END, 1, NO_END, {""}},
    {"parallel_begin", PARALLEL_BEGIN, 1, NO_END, {"team"}},
    {"parallel_begin", LEAGUE_BEGIN, 1, NO_END, {"league"}},
    {"parallel_end", PARALLEL_END, 1, NO_END, {"team"}},
    {"parallel_end", LEAGUE_END, 1, NO_END, {"league"}},
    {"implicit_task", INITIAL_BEGIN, 1, INITIAL_END, {"initial"}},
    {"implicit_task", IMPLICIT_BEGIN, 1, IMPLICIT_END, {"implicit"}},
    {"work", WORK_BEGIN, 16, WORK_END, WORKS},
    {"dispatch", DISPATCH, 8, NO_END,
     {NULL, "iteration", "section", "ws_loop_chunk", "taskloop_chunk", "distribute_chunk"}},
    {"masked", MASKED_BEGIN, 1, MASKED_END, {""}},
    {"sync_region", SYNC_BEGIN, 16, SYNC_END, SYNCS},
    {"sync_region_wait", WAIT_BEGIN, 16, WAIT_END, SYNCS},
    {"reduction", REDUCTION_BEGIN, 1, REDUCTION_END, {""}},
    {"task_create", TASK_CREATE, 1, NO_END, {""}},
    {"task_create", TASK_OF_TARGET, 2, NO_END, {"target", "taskwait"}},
    {"task_create", CREATED_WITH, 5, NO_END, {"undeferred", "untied", "final", "mergeable", "merged"}},
    {"task_schedule", TASK_START, 4, NO_END, {"switch", "complete", "cancel", "detach"}},
    {"task_schedule", TASK_EARLY, 4, NO_END, {"early_fulfill", "late_fulfill", "yield", "taskwait_complete"}},
    {"dependences", DEPENDENCES, 1, NO_END, {""}},
    {"task_dependence", DEPENDENCE_PAIR, 1, NO_END, {""}},
    {"mutex_acquire", MUTEX_WAIT, 8, NO_END, MUTEXES},
    {"mutex_acquired", MUTEX_TAKEN, 8, NO_END, MUTEXES},
    {"mutex_released", MUTEX_GIVEN, 8, NO_END, MUTEXES},
    {"lock_init", LOCK_INIT, 1, NO_END, {""}},
    {"lock_destroy", LOCK_DESTROY, 1, NO_END, {""}},
    {"nest_lock", NEST_BEGIN, 1, NEST_END, {""}},
    {"flush", FLUSH, 1, NO_END, {""}},
    {"cancel", CANCEL_OF, 7, NO_END,
     {"parallel", "sections", "loop", "taskgroup", "activated", "detected", "discarded_task"}},
    {"error", ERROR_EVENT, 1, NO_END, {""}},
    {"control_tool", CONTROL, 1, NO_END, {""}},
    {"target_emi", TARGET_BEGIN, 16, TARGET_END,
     {NULL, "target", "enter_data", "exit_data", "update", NULL, NULL, NULL, NULL, "target_nowait",
      "enter_data_nowait", "exit_data_nowait", "update_nowait"}},
    {"target_map_emi", TARGET_MAP, 1, NO_END, {""}},
    {"target_submit_emi", SUBMIT_BEGIN, 1, SUBMIT_END, {""}},
    {"target_data_op_emi", DATA_OP_BEGIN, 32, DATA_OP_END,
     {[ompt_target_data_alloc] = "alloc", [ompt_target_data_transfer_to_device] = "transfer_to_device",
      [ompt_target_data_delete] = "delete",
      [ompt_target_data_transfer_to_device_async] = "transfer_to_device_async"}},
};

static void tell(const char *construct)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int kind = 0; kind < names[i].count; kind++) {
            unsigned times = COUNT(names[i].first + kind);
            if (names[i].first + kind == TASK_START)
                times -= COUNT(TASK_YIELD); /* record.h counts both */
            if (names[i].end != NO_END && COUNT(names[i].end + kind) != times) {
                fprintf(stderr, "%s: %s %s has %u ends for %u begins\n", construct, names[i].callback,
                        names[i].kinds[kind], COUNT(names[i].end + kind), times);
                _Exit(1);
            }
            if (times == 0)
                continue;
            CHECK(names[i].kinds[kind] != NULL);
            printf("%s\t%s\t%s\t%u\n", construct, names[i].callback, names[i].kinds[kind], times);
        }
}

static void tell_all(const struct construct *constructs, size_t count)
{
    CHECK(omp_get_num_threads() == 1); /* the process's initial task begins */
    for (size_t i = 0; i < count; i++) {
        for (int event = 0; event < EVENTS; event++)
            counts[event] = 0;
        constructs[i].run();
        tell(constructs[i].name);
    }
}

/* A gate that one thread opens and another one waits at; relaxed and without a call of the runtime. */
static _Atomic int gate;

static inline void open_gate(int step)
{
    atomic_store(&gate, step);
}

static inline void wait_at_gate(int step)
{
    while (atomic_load(&gate) < step)
        continue;
}

static void at_finalize(void)
{
    fflush(stdout);
}
