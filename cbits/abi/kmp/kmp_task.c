/* __kmpc_omp_task and its kin: creating and running tasks as clang and flang emit them, and the parts of untied tasks,
 * which all run on one thread. Tests: test/clang/{tasks,tasks_untied,task_abi}.c, test/clang/task_classes.cc.
 *
 * Compiled code allocates the task, fills it in and submits it. An untied task consists of parts: a part ends with the
 * submission of its own task and returns. The thread that runs the task continues with the next part at once, since
 * tasks never leave their thread here. A task whose if clause is false is the code between begin_if0 and complete_if0
 * on the encountering thread. That thread also runs the parts submitted in between.
 *
 * Tasks of a cancelled region do not run their code, but they destroy their private variables.
 *
 * Alignment. libomp has each struct on a cache line, and compiled code relies on it: it moves private variables with an
 * alignment by instructions that need it. The ABI does not say which struct has such variables, but a struct's size is
 * a multiple of its alignment. So a struct whose size is a multiple of 32 bytes is put on a cache line, and all others
 * are aligned as malloc's memory is. */
#include "abi/kmp/kmp_task.h"

#include "core/cpu/yield_to_haskell.h"
#include "core/task/task_graph.h"
#include "core/tool/tool_filter.h"

enum { MAY_BE_ALIGNED = 2 * KMP_TASK_UNIT }; /* the size of a struct with an alignment above malloc's is a multiple of
                                                this */

void ghcomp_kmp_task_framed(int32_t thread, struct kmp_task *task)
{
    struct ghcomp_tool_task *record = ghcomp_tool_current(ghcomp_self_member);
    record->frame.exit_frame.ptr = __builtin_frame_address(0);
    record->frame.exit_frame_flags = GHCOMP_TOOL_FRAME;
    task->fn(thread, task);
    __asm__ volatile("" ::: "memory"); /* no jump in place of the call: the tool has its frame */
}

/* Runs the task's code when no hook is active and no task can be refused. */
static inline void run_fast(int32_t thread, struct kmp_task_frame *frame)
{
    struct kmp_task *task = ghcomp_kmp_task(frame);
    if (ghcomp_unlikely(task->fn == NULL))
        return;
    do {
        frame->again = false;
        task->fn(thread, task);
    } while (ghcomp_unlikely(frame->again));
}

static __attribute__((noinline)) void run_observed(struct kmp_task_frame *frame)
{
    struct ghcomp_member *self = ghcomp_self_member;
    int32_t thread = (int32_t)ghcomp_thread_number(self->thread);
    if (ghcomp_likely(!(frame->flags & KMP_TASK_DESTRUCTORS))) {
        ghcomp_kmp_task_call(self, thread, frame);
        return;
    }
    if (!ghcomp_task_refused(self))
        ghcomp_kmp_task_call(self, thread, frame);
    else
        ghcomp_task_discard(frame->task);
    ghcomp_kmp_task_destroy(thread, frame);
}

/* The core's function of every task. */
static void run(void *data)
{
    struct kmp_task_frame *frame = data;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL && !(frame->flags & KMP_TASK_DESTRUCTORS)))
        run_fast((int32_t)ghcomp_thread_number(self->thread), frame);
    else
        run_observed(frame);
}

static inline size_t bytes_of(uint32_t units)
{
    return sizeof(struct kmp_task_frame) + (size_t)units * KMP_TASK_UNIT;
}

static inline unsigned core_flags(unsigned flags)
{
    return (flags & KMP_TASK_FINAL ? GHCOMP_TASK_FLAG_FINAL : 0) |
           (flags & KMP_TASK_TIED ? 0 : GHCOMP_TASK_FLAG_UNTIED) |
           (flags & KMP_TASK_ALIGNED ? GHCOMP_TASK_FLAG_FRAMED : 0) |
           (flags & KMP_TASK_MERGEABLE ? GHCOMP_TASK_FLAG_MERGEABLE : 0);
}

static __attribute__((noinline)) void mark(struct ghcomp_task *task, unsigned flags)
{
    if (flags & (KMP_TASK_DETACHABLE | KMP_TASK_PROXY))
        ghcomp_task_detachable(task);
    if (flags & KMP_TASK_POOL)
        ghcomp_task_threadset(task, GHCOMP_THREADSET_POOL);
}

static inline __attribute__((always_inline)) struct kmp_task_frame *
make(struct ghcomp_member *self, uint32_t units, unsigned flags, unsigned filtered, bool fast)
{
    size_t bytes = bytes_of(units);
    unsigned own = core_flags(flags) | filtered;
    size_t align = flags & KMP_TASK_ALIGNED ? GHCOMP_CACHE_LINE : KMP_TASK_UNIT;
    struct ghcomp_task *task = fast ? ghcomp_task_new_fast(self, run, bytes, align, own)
                                      : ghcomp_task_new(self, run, bytes, align, own);
    struct kmp_task_frame *frame = task->data;
    frame->task = task;
    frame->units = units;
    frame->flags = (uint16_t)flags;
    if (ghcomp_unlikely(flags & (KMP_TASK_DETACHABLE | KMP_TASK_PROXY | KMP_TASK_POOL)))
        mark(task, flags);
    if (ghcomp_unlikely(flags & KMP_TASK_DESTRUCTORS))
        ghcomp_task_constructed(task);
    return frame;
}

/* Adapts a copy of a task's data: makes it refer to its own task and its own shareds. */
static void move_data(void *data, const void *from, struct ghcomp_task *task)
{
    struct kmp_task_frame *frame = data;
    struct kmp_task *copy = ghcomp_kmp_task(frame);
    frame->task = task;
    if (copy->shareds != NULL)
        copy->shareds = (char *)data + ((const char *)copy->shareds - (const char *)from);
}

struct kmp_task_frame *ghcomp_kmp_task_make(struct ghcomp_member *self, uint32_t units, unsigned flags)
{
    struct kmp_task_frame *frame = make(self, units, flags, 0, false);
    if (ghcomp_agent(self) && !(flags & KMP_TASK_POOL))
        ghcomp_task_threadset(frame->task, GHCOMP_THREADSET_TEAM);
    ghcomp_graph_task_moves(self, frame->task, move_data);
    return frame;
}

/* Where ghcomp_self_fast is NULL. A task's construct is known only at its submission; so with a filter the task counts
   as filtered until then (ghcomp_kmp_task_reported). */
static __attribute__((noinline)) struct kmp_task_frame *make_observed(uint32_t units, unsigned flags)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    bool may_be_filtered = ghcomp_tool_filters() && !(flags & (KMP_TASK_DETACHABLE | KMP_TASK_PROXY));
    struct kmp_task_frame *frame = make(self, units, flags, may_be_filtered ? GHCOMP_TASK_FLAG_FILTERED : 0, false);
    if (ghcomp_agent(self) && !(flags & KMP_TASK_POOL))
        ghcomp_task_threadset(frame->task, GHCOMP_THREADSET_TEAM);
    ghcomp_graph_task_moves(self, frame->task, move_data);
    return frame;
}

bool ghcomp_kmp_task_reported(struct ghcomp_member *self, struct kmp_task_frame *frame, const void *return_address)
{
    struct ghcomp_task *task = frame->task;
    if (!(task->traits & GHCOMP_TASK_FILTERED))
        return true;
    if (ghcomp_tool_filtered_by_credit(self, return_address) || ghcomp_tool_filtered_by_call(self, return_address))
        return false;
    ghcomp_task_observe(self, task, bytes_of(frame->units), core_flags(frame->flags));
    return true;
}

struct kmp_task *__kmpc_omp_task_alloc(struct kmp_ident *loc, int32_t thread, int32_t flags, size_t bytes,
                                       size_t shareds, kmp_task_fn fn)
{
    (void)loc, (void)thread;
    flags = bytes % MAY_BE_ALIGNED == 0 ? flags | KMP_TASK_ALIGNED : flags & ~KMP_TASK_ALIGNED;
    size_t at = (bytes + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    size_t units = (at + shareds + KMP_TASK_UNIT - 1) / KMP_TASK_UNIT;
    struct ghcomp_member *self = ghcomp_self_fast;
    struct kmp_task_frame *frame = ghcomp_likely(self != NULL) ? make(self, (uint32_t)units, (unsigned)flags, 0, true)
                                                               : make_observed((uint32_t)units, (unsigned)flags);
    struct kmp_task *task = ghcomp_kmp_task(frame);
    task->shareds = shareds != 0 ? (char *)task + at : NULL;
    task->fn = fn;
    task->part = 0;
    return task;
}

void ghcomp_kmp_task_submit_special(struct ghcomp_member *self, struct kmp_task_frame *frame)
{
    if (frame->flags & KMP_TASK_PRIORITY)
        ghcomp_task_set_priority(frame->task, ghcomp_kmp_task(frame)->priority.priority);
    ghcomp_kmp_task_open(self, frame);
    if (frame->flags & KMP_TASK_TARGET)
        ghcomp_task_submit_aside(self, frame->task);
    else if ((frame->flags & KMP_TASK_DETACHABLE) && self->task->final)
        ghcomp_task_submit_included(self, frame->task); /* as on libomp, the thread does not wait for the event */
    else
        ghcomp_task_submit(self, frame->task);
}

struct kmp_task *__kmpc_omp_target_task_alloc(struct kmp_ident *loc, int32_t thread, int32_t flags, size_t bytes,
                                              size_t shareds, kmp_task_fn fn, int64_t device)
{
    (void)device;
    return __kmpc_omp_task_alloc(loc, thread, (flags & ~KMP_TASK_POOL) | KMP_TASK_TARGET, bytes, shareds, fn);
}

/* A new task, or the next part of the current one. */
static inline void encounter(struct ghcomp_member *self, struct kmp_task *task)
{
    struct kmp_task_frame *frame = ghcomp_kmp_frame(task);
    if (ghcomp_unlikely(frame->task == self->task))
        frame->again = true;
    else
        ghcomp_kmp_task_submit(self, frame);
}

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline)) void encounter_observed(struct kmp_task *task, const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    struct kmp_task_frame *own = ghcomp_kmp_frame(task);
    if (ghcomp_tool_on() && (own->task == self->task || ghcomp_kmp_task_reported(self, own, return_address)))
        ghcomp_tool_note(return_address, frame, 0);
    encounter(self, task);
}

int32_t __kmpc_omp_task(struct kmp_ident *loc, int32_t thread, struct kmp_task *task)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL))
        encounter(self, task);
    else
        encounter_observed(task, __builtin_return_address(0), __builtin_dwarf_cfa());
    return 0;
}

int32_t __kmpc_omp_task_parts(struct kmp_ident *loc, int32_t thread, struct kmp_task *task)
{
    return __kmpc_omp_task(loc, thread, task);
}

void __kmpc_omp_task_begin_if0(struct kmp_ident *loc, int32_t thread, struct kmp_task *task)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    struct kmp_task_frame *frame = ghcomp_kmp_frame(task);
    frame->again = false;
    ghcomp_graph_refuse(self, "a task of code by clang has an if clause that was false");
    ghcomp_yield_to_haskell(self);
    bool reported = ghcomp_tool_on() && ghcomp_kmp_task_reported(self, frame, __builtin_return_address(0));
    ghcomp_kmp_task_open(self, frame);
    if (ghcomp_unlikely(frame->task->traits & GHCOMP_TASK_DETACHABLE))
        ghcomp_task_encountered(self, frame->task); /* as on libomp, the thread does not wait for the event */
    else
        ghcomp_task_undefer(frame->task);
    if (reported) {
        GHCOMP_TOOL_SITE();
        ghcomp_task_report_create(self, frame->task, 0);
    }
    ghcomp_task_start(self, frame->task); /* the result is ignored: compiled code calls the task's function in any
                                             case */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-address" /* the caller's frame, which is compiled code's */
    if (ghcomp_unlikely(frame->task->traits & GHCOMP_TASK_REPORTED))
        ghcomp_tool_runs_in(self, __builtin_frame_address(1));
#pragma GCC diagnostic pop
}

void __kmpc_omp_task_complete_if0(struct kmp_ident *loc, int32_t thread, struct kmp_task *task)
{
    (void)loc;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    struct kmp_task_frame *frame = ghcomp_kmp_frame(task);
    if (ghcomp_unlikely(frame->again) && !ghcomp_task_refused(self))
        ghcomp_kmp_task_call(self, thread, frame);
    ghcomp_kmp_task_destroy(thread, frame);
    ghcomp_task_finish(self, frame->task, ghcomp_load_relaxed(&frame->task->parent));
}

/* An affinity clause is a hint, which is not followed. */
int32_t __kmpc_omp_reg_task_with_affinity(struct kmp_ident *loc, int32_t thread, struct kmp_task *task, int32_t count,
                                          struct kmp_task_affinity *list)
{
    (void)loc, (void)thread, (void)task, (void)count, (void)list;
    return 0;
}

GHCOMP_ABI_OBJECT(kmp_task);
