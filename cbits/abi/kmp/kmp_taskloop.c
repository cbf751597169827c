/* __kmpc_taskloop and __kmpc_taskloop_5, as clang emits them. Tests: test/clang/taskloop{s,_abi}.c.
 *
 * Compiled code makes one task, the *pattern*, which is never submitted: each task of the loop is a copy of it with the
 * bounds of its iterations, the last included. The pattern's private variables are destroyed after the copies are made.
 *
 * With constructors, destructors or lastprivate variables the tasks are made one by one, because task_dup must know
 * which is the last; so are transparent tasks. In all other loops the core decides which thread makes which task, and
 * when. The core uses one copy of the pattern for several tasks, so each task runs on a copy of its own, since its code
 * may change its variables. */
#include <stdlib.h>
#include <string.h>

#include "abi/kmp/kmp_task.h"
#include "base/check.h"
#include "core/task/taskgroup.h"
#include "core/task/taskloop.h"

enum { SCHEDULE_NONE, SCHEDULE_GRAINSIZE, SCHEDULE_NUM_TASKS };
enum { ON_STACK = 4096 };
enum { TASKS_EACH = 10 }; /* the number of tasks for each member if there is no clause, as in libomp */
/* A value of __kmpc_taskloop_5's `modifier` that only __kmpc_taskloop passes: the call site has been stored for a
   tool. */
enum { NOTED = INT32_MIN };

typedef void (*duplicate_fn)(struct kmp_task *to, struct kmp_task *from, int32_t last);

/* The loop's data for the core; behind it are a frame and the pattern's bytes. */
struct copies {
    uint64_t first, end;         /* of the core's task (taskloop.h) */
    uint64_t step;
    size_t lower, upper;         /* offsets of the bounds in a task */
    size_t shareds;              /* ... and of its shareds; 0: none */
    struct kmp_task_frame frame; /* task: the pattern's, or of the task that runs */
};
_Static_assert(sizeof(struct copies) % KMP_TASK_UNIT == 0, "the frame is the last field");

/* Puts the iterations into a copy of the pattern. */
static inline void set_bounds(struct kmp_task *task, const struct copies *copies, uint64_t first, uint64_t end)
{
    *(uint64_t *)((char *)task + copies->lower) = first;
    *(uint64_t *)((char *)task + copies->upper) = end - copies->step;
    if (copies->shareds != 0)
        task->shareds = (char *)task + copies->shareds;
}

static void run_copy(const struct copies *copies, struct kmp_task_frame *frame)
{
    struct ghcomp_member *self = ghcomp_self_member;
    memcpy(frame, &copies->frame, sizeof *frame + (size_t)copies->frame.units * KMP_TASK_UNIT);
    frame->task = self->task;
    set_bounds(ghcomp_kmp_task(frame), copies, copies->first, copies->end);
    ghcomp_kmp_task_call(self, (int32_t)ghcomp_thread_number(self->thread), frame);
}

/* The core's function of the loop's tasks. */
static void run(void *data)
{
    struct copies *copies = data;
    /* Puts the copy of the struct on a cache line (kmp_task.c). */
    size_t bytes = GHCOMP_TASK_LEAD + sizeof copies->frame + (size_t)copies->frame.units * KMP_TASK_UNIT;
    if (bytes <= ON_STACK) {
        char *memory = __builtin_alloca_with_align(bytes, 8 * GHCOMP_CACHE_LINE);
        run_copy(copies, (struct kmp_task_frame *)(memory + GHCOMP_TASK_LEAD));
    } else {
        char *memory = ghcomp_alloc_lines(bytes);
        run_copy(copies, (struct kmp_task_frame *)(memory + GHCOMP_TASK_LEAD));
        free(memory);
    }
}

/* A loop whose tasks are made one by one. */
struct singly {
    struct copies copies;        /* without what follows it */
    struct kmp_task *pattern;
    duplicate_fn duplicate;      /* NULL: the bytes are enough */
};

static void make(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, uint64_t first, uint64_t end,
                 bool last)
{
    const struct singly *singly = loop->data;
    const struct copies *copies = &singly->copies;
    struct kmp_task_frame *frame = ghcomp_kmp_task_make(self, copies->frame.units, copies->frame.flags);
    struct kmp_task *task = ghcomp_kmp_task(frame);
    memcpy(task, singly->pattern, (size_t)frame->units * KMP_TASK_UNIT);
    set_bounds(task, copies, first, end);
    if (singly->duplicate != NULL)
        singly->duplicate(task, singly->pattern, last);
    if (!(loop->flags & GHCOMP_TASK_FLAG_IF))
        ghcomp_task_undefer(frame->task);
    ghcomp_kmp_task_submit(self, frame);
}

/* The loop's iterations. A loop of 2^64 iterations looks like one of none here, and counts as none; neither passes the
   compiler's own test. */
static struct ghcomp_loop_range range_of(uint64_t lower, uint64_t upper, int64_t step)
{
    uint64_t by = (uint64_t)step, size = step < 0 ? -by : by;
    uint64_t span = (step < 0 ? lower - upper : upper - lower) + 1;
    if (size == 0)
        ghcomp_fatal("taskloop: the loop's step is 0; give it another one");
    uint64_t iterations = span == 0 ? 0 : (span - 1) / size + 1;
    return (struct ghcomp_loop_range){lower, lower + iterations * by, by, span, size};
}

static void run_together(struct ghcomp_member *self, struct ghcomp_taskloop *loop, struct ghcomp_loop_range range,
                         struct kmp_task *pattern)
{
    struct copies *head = loop->data;
    size_t more = (size_t)head->frame.units * KMP_TASK_UNIT, bytes = sizeof *head + more;
    char stack[ON_STACK] __attribute__((aligned(KMP_TASK_UNIT)));
    char *memory = bytes <= sizeof stack ? stack : ghcomp_alloc(bytes);
    memcpy(memory, head, sizeof *head);
    memcpy(memory + sizeof *head, pattern, more);
    loop->data = memory;
    loop->bytes = bytes;
    ghcomp_taskloop_run(self, loop, range);
    if (memory != stack)
        free(memory);
}

static unsigned flags_of(const struct kmp_task_frame *frame, int32_t condition, int32_t nogroup, int32_t schedule,
                         int32_t strict)
{
    return (frame->flags & KMP_TASK_FINAL ? GHCOMP_TASK_FLAG_FINAL : 0) |
           (frame->flags & KMP_TASK_PRIORITY ? GHCOMP_TASK_FLAG_PRIORITY : 0) |
           (condition ? GHCOMP_TASK_FLAG_IF : 0) | (nogroup ? GHCOMP_TASK_FLAG_NOGROUP : 0) |
           (schedule == SCHEDULE_GRAINSIZE ? GHCOMP_TASK_FLAG_GRAINSIZE : 0) | (strict ? GHCOMP_TASK_FLAG_STRICT : 0);
}

/* `lower` and `upper` are in the pattern. modifier: 1 = strict. */
void __kmpc_taskloop_5(struct kmp_ident *loc, int32_t thread, struct kmp_task *pattern, int32_t condition,
                       uint64_t *lower, uint64_t *upper, int64_t step, int32_t nogroup, int32_t schedule,
                       uint64_t amount, int32_t modifier, void *duplicate)
{
    (void)loc;
    if (modifier != NOTED)
        GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    struct kmp_task_frame *frame = ghcomp_kmp_frame(pattern);
    struct singly singly = {{.step = (uint64_t)step, .frame = *frame}, pattern, (duplicate_fn)duplicate};
    struct copies *copies = &singly.copies;
    copies->lower = (size_t)((char *)lower - (char *)pattern);
    copies->upper = (size_t)((char *)upper - (char *)pattern);
    copies->shareds = pattern->shareds != NULL ? (size_t)((char *)pattern->shareds - (char *)pattern) : 0;
    struct ghcomp_taskloop loop = {.fn = run, .data = copies, .align = KMP_TASK_UNIT};
    loop.flags = flags_of(frame, condition, nogroup, schedule, modifier == 1);
    if ((frame->flags & KMP_TASK_POOL) && ghcomp_agents_may_come(self))
        loop.flags |= GHCOMP_TASK_FLAG_POOL;
    loop.amount = schedule == SCHEDULE_NONE ? TASKS_EACH * (uint64_t)self->team->size : amount;
    loop.priority = frame->flags & KMP_TASK_PRIORITY ? pattern->priority.priority : 0;
    struct ghcomp_loop_range range = range_of(*lower, *upper, step);
    if (duplicate == NULL && !(frame->flags & (KMP_TASK_DESTRUCTORS | KMP_TASK_TRANSPARENT))) {
        run_together(self, &loop, range, pattern);
    } else {
        loop.make = make;
        ghcomp_taskloop_run(self, &loop, range);
    }
    ghcomp_kmp_task_destroy(thread, frame);
    ghcomp_task_drop(self, frame->task);
}

void __kmpc_taskloop(struct kmp_ident *loc, int32_t thread, struct kmp_task *pattern, int32_t condition,
                     uint64_t *lower, uint64_t *upper, int64_t step, int32_t nogroup, int32_t schedule, uint64_t amount,
                     void *duplicate)
{
    GHCOMP_TOOL_SITE();
    __kmpc_taskloop_5(loc, thread, pattern, condition, lower, upper, step, nogroup, schedule, amount, NOTED, duplicate);
}

GHCOMP_ABI_OBJECT(kmp_taskloop);
