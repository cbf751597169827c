/* Tasks and taskwaits with a depend clause, as clang emits them. Tests: test/clang/depend_{kinds,abi}.c.
 *
 * The clause is two lists of items of any kind; the compiler has put the items of depend objects and iterators there.
 * They are sorted into the core's list (taskdep.c). Items without an address are ignored. If the encountering thread
 * waits, it does not hold a mutexinoutset while the construct's code runs, so such an item counts as inout. */
#include <stdlib.h>
#include <string.h>

#include "abi/kmp/kmp_task.h"
#include "base/check.h"

enum { HEAD = 5, ON_STACK = 64 };

/* As an omp_depend_t that the core reads: an address and the number of a kind. */
struct object {
    void *address;
    uintptr_t kind;
};
enum { OBJECT_INOUTSET = 5, WORDS_EACH = 1 + sizeof(struct object) / sizeof(void *) };

struct list {
    size_t outs, mutexes, ins, sets;
    bool all;
};

/* The item's kind: 'o', 'm', 'i' or 's'; 'a' for omp_all_memory; 0: it is ignored. */
static inline char kind_of(const struct kmp_depend_info *item, bool waits)
{
    if (ghcomp_unlikely(item->kind == KMP_DEPEND_ALL_MEMORY || item->address == (void *)UINTPTR_MAX))
        return 'a';
    if (ghcomp_unlikely(item->address == NULL))
        return 0;
    switch (item->kind) {
    case KMP_DEPEND_IN:
        return 'i';
    case KMP_DEPEND_MUTEXINOUTSET:
        return waits ? 'o' : 'm';
    case KMP_DEPEND_INOUTSET:
        return 's';
    default:
        return 'o';
    }
}

static void count(struct list *list, const struct kmp_depend_info *items, int32_t number, bool waits)
{
    for (int32_t i = 0; i < number; i++)
        switch (kind_of(&items[i], waits)) {
        case 'o': list->outs++; break;
        case 'm': list->mutexes++; break;
        case 'i': list->ins++; break;
        case 's': list->sets++; break;
        case 'a': list->all = true; break;
        }
}

static void put(void ***at, const struct kmp_depend_info *items, int32_t number, bool waits, char kind,
                struct object *objects)
{
    for (int32_t i = 0; i < number; i++) {
        if (kind_of(&items[i], waits) != kind)
            continue;
        if (kind == 's') {
            struct object *object = &objects[i];
            object->address = items[i].address;
            object->kind = OBJECT_INOUTSET;
            *(*at)++ = object;
        } else {
            *(*at)++ = items[i].address;
        }
    }
}

/* The case of `fill` for one list whose items are all in, out or inout, as in nearly all lists. False: it is
   another. */
static inline bool fill_plain(void **words, int32_t number, const struct kmp_depend_info *items, bool waits)
{
    size_t outs = 0;
    for (int32_t i = 0; i < number; i++) {
        char kind = kind_of(&items[i], waits);
        if (kind != 'o' && kind != 'i')
            return false;
        outs += kind == 'o';
    }
    void **out = words + HEAD, **in = out + outs;
    for (int32_t i = 0; i < number; i++)
        *(kind_of(&items[i], waits) == 'o' ? out++ : in++) = items[i].address;
    words[0] = NULL;
    words[1] = (void *)(size_t)number;
    words[2] = (void *)outs;
    words[3] = NULL;
    words[4] = (void *)((size_t)number - outs);
    return true;
}

/* Writes the clause as the core's list to `words`; HEAD words, and WORDS_EACH for each item, are enough. */
static void fill(void **words, int32_t a, const struct kmp_depend_info *first, int32_t b,
                 const struct kmp_depend_info *second, bool waits)
{
    if (ghcomp_likely(b == 0) && fill_plain(words, a, first, waits))
        return;
    struct list list = {0};
    count(&list, first, a, waits);
    count(&list, second, b, waits);
    if (list.all) { /* omp_all_memory covers all other items */
        void *all[] = {(void *)1, (void *)1, NULL};
        memcpy(words, all, sizeof all);
        return;
    }
    size_t total = list.outs + list.mutexes + list.ins + list.sets;
    void *head[HEAD] = {NULL, (void *)total, (void *)list.outs, (void *)list.mutexes, (void *)list.ins};
    memcpy(words, head, sizeof head);
    void **at = words + HEAD;
    struct object *objects = (struct object *)(words + HEAD + total);
    static const char order[] = {'o', 'm', 'i', 's'};
    const size_t counts[] = {list.outs, list.mutexes, list.ins, list.sets};
    for (size_t k = 0; k < sizeof order; k++) {
        if (counts[k] == 0)
            continue;
        put(&at, first, a, waits, order[k], objects);
        put(&at, second, b, waits, order[k], objects + a);
    }
}

/* Memory for the list: `stack` if it is large enough. */
static void **memory_for(void **stack, int32_t items)
{
    return items <= ON_STACK ? stack : ghcomp_alloc((HEAD + (size_t)items * WORDS_EACH) * sizeof(void *));
}

/* Reports a task and its clause to a tool, with the kinds that the program wrote. False: the dependences need not be
   entered. */
static __attribute__((noinline)) bool
report_to_tool(struct ghcomp_member *self, struct kmp_task_frame *frame, int32_t a, const struct kmp_depend_info *first,
               int32_t b, const struct kmp_depend_info *second)
{
    struct ghcomp_task *task = frame->task;
    ompt_dependence_t *list = ghcomp_alloc(((size_t)a + (size_t)b + 1) * sizeof *list);
    int count = 0;
    for (int32_t i = 0; i < a + b; i++) {
        const struct kmp_depend_info *item = i < a ? &first[i] : &second[i - a];
        bool in = item->kind & KMP_DEPEND_IN, out = item->kind & KMP_DEPEND_OUT;
        char kind = kind_of(item, false);
        if (kind == 0)
            continue;
        list[count].variable.ptr = kind == 'a' ? NULL : item->address;
        list[count++].dependence_type =
            kind == 'a'   ? ompt_dependence_type_out_all_memory /* the compiler's form of inout, too */
            : kind == 'm' ? ompt_dependence_type_mutexinoutset
            : kind == 's' ? ompt_dependence_type_inoutset
            : in && out   ? ompt_dependence_type_inout
            : in          ? ompt_dependence_type_in
                          : ompt_dependence_type_out;
    }
    bool entered = ghcomp_task_report_dependent(self, task, !(frame->flags & KMP_TASK_PRIORITY));
    ghcomp_tool_task_dependences(task, list, count);
    free(list);
    return entered;
}

/* Whether the task depends on no task and no task will depend on it, so that its dependences need not be entered. It
   must then run at once; from a certain depth on it becomes undeferred, because a later check, from a deeper frame,
   might find too little stack. */
static inline bool runs_without(struct ghcomp_member *self, struct ghcomp_task *task)
{
    unsigned special = task->traits & (GHCOMP_TASK_OBSERVED | GHCOMP_TASK_DETACHABLE | GHCOMP_TASK_THREADSET);
    if (ghcomp_unlikely(special != 0) && (special != GHCOMP_TASK_FILTERED || !ghcomp_tool_current_unreported(self)))
        return false;
    if (!ghcomp_task_depends_on_none(self, true))
        return false;
    if (ghcomp_unlikely(ghcomp_load_relaxed(&self->task->depth) >= GHCOMP_TASK_NESTED_ALONE))
        ghcomp_task_undefer(task);
    return true;
}

int32_t __kmpc_omp_task_with_deps(struct kmp_ident *loc, int32_t thread, struct kmp_task *task, int32_t count,
                                  struct kmp_depend_info *list, int32_t noalias_count,
                                  struct kmp_depend_info *noalias_list)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    struct kmp_task_frame *frame = ghcomp_kmp_frame(task);
    bool reported = ghcomp_tool_on() && ghcomp_kmp_task_reported(self, frame, __builtin_return_address(0));
    if (reported)
        GHCOMP_TOOL_SITE();
    if (!(frame->flags & (KMP_TASK_TARGET | KMP_TASK_TRANSPARENT)) && runs_without(self, frame->task)) {
        ghcomp_kmp_task_submit(self, frame);
        return 0;
    }
    void *stack[HEAD + ON_STACK * WORDS_EACH], **words = memory_for(stack, count + noalias_count);
    fill(words, count, list, noalias_count, noalias_list, false);
    ghcomp_kmp_task_open(self, frame);
    if (!reported || report_to_tool(self, frame, count, list, noalias_count, noalias_list))
        ghcomp_task_depend(self, frame->task, words);
    if (words != stack)
        free(words);
    ghcomp_kmp_task_submit(self, frame);
    return 0;
}

static inline void wait_for(int32_t count, const struct kmp_depend_info *list, int32_t noalias_count,
                            const struct kmp_depend_info *noalias_list, bool nowait)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    if (nowait && ghcomp_task_refused(self))
        return;
    void *stack[HEAD + ON_STACK * WORDS_EACH], **words = memory_for(stack, count + noalias_count);
    fill(words, count, list, noalias_count, noalias_list, !nowait);
    if (nowait)
        ghcomp_task_wait_depend_nowait(self, words, false);
    else
        ghcomp_task_wait_depend(self, words);
    if (words != stack)
        free(words);
}

void __kmpc_omp_taskwait_deps_51(struct kmp_ident *loc, int32_t thread, int32_t count, struct kmp_depend_info *list,
                                 int32_t noalias_count, struct kmp_depend_info *noalias_list, int32_t nowait)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    wait_for(count, list, noalias_count, noalias_list, nowait != 0);
}

void __kmpc_omp_wait_deps(struct kmp_ident *loc, int32_t thread, int32_t count, struct kmp_depend_info *list,
                          int32_t noalias_count, struct kmp_depend_info *noalias_list)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    wait_for(count, list, noalias_count, noalias_list, false);
}

GHCOMP_ABI_OBJECT(kmp_task_depend);
