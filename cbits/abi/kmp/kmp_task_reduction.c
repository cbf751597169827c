/* Task reductions as clang emits them. Tests: test/clang/taskreduction{s,_abi}.c.
 *
 * The compiled code opens the taskgroup and describes the variables; the handle that it gets, and may pass on to its
 * tasks, is the taskgroup. Until clang 9 the description lacked the original, and the initializer had one argument. */
#include <stdlib.h>

#include "abi/abi.h"
#include "base/check.h"
#include "core/task/task_combine.h"
#include "core/task/task.h"

enum { ON_STACK = 16 };

typedef void (*init_fn)(void *, void *);

static void from_new(struct ghcomp_combine_item *item, const void *inputs, int32_t i)
{
    const struct kmp_taskred_input *input = (const struct kmp_taskred_input *)inputs + i;
    void *original = input->original != NULL ? input->original : input->shared;
    *item = (struct ghcomp_combine_item){input->shared, original, input->bytes, input->init, input->finish,
                                         input->combine};
}

/* Translates the old description. Its initializer has one argument but is called with two: by both processors' calling
   conventions the second is ignored. */
static void from_old(struct ghcomp_combine_item *item, const void *inputs, int32_t i)
{
    const struct kmp_task_red_input *input = (const struct kmp_task_red_input *)inputs + i;
    *item = (struct ghcomp_combine_item){input->shared, input->shared, input->bytes, (init_fn)(void *)input->init,
                                         input->finish, input->combine};
}

typedef void (*reader)(struct ghcomp_combine_item *item, const void *inputs, int32_t i);
typedef void (*taker)(struct ghcomp_member *self, const struct ghcomp_combine_item *items, uint32_t count);

static void *describe(reader read, taker take, int32_t count, const void *inputs)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    struct ghcomp_combine_item stack[ON_STACK], *items = stack;
    if (count > ON_STACK)
        items = ghcomp_alloc((size_t)count * sizeof *items);
    for (int32_t i = 0; i < count; i++)
        read(&items[i], inputs, i);
    take(self, items, (uint32_t)count);
    if (items != stack)
        free(items);
    return self->task->group;
}

void *__kmpc_taskred_init(int32_t thread, int32_t count, void *inputs)
{
    (void)thread;
    return describe(from_new, ghcomp_combine_register, count, inputs);
}

void *__kmpc_task_reduction_init(int32_t thread, int32_t count, void *inputs)
{
    (void)thread;
    return describe(from_old, ghcomp_combine_register, count, inputs);
}

void *__kmpc_taskred_modifier_init(struct kmp_ident *loc, int32_t thread, int32_t worksharing, int32_t count,
                                   void *inputs)
{
    (void)loc, (void)thread, (void)worksharing;
    return describe(from_new, ghcomp_combine_enter, count, inputs);
}

void *__kmpc_task_reduction_modifier_init(struct kmp_ident *loc, int32_t thread, int32_t worksharing, int32_t count,
                                          void *inputs)
{
    (void)loc, (void)thread, (void)worksharing;
    return describe(from_old, ghcomp_combine_enter, count, inputs);
}

void __kmpc_task_reduction_modifier_fini(struct kmp_ident *loc, int32_t thread, int32_t worksharing)
{
    (void)loc, (void)thread, (void)worksharing;
    ghcomp_combine_leave(ghcomp_self_of_libomp());
}

/* `group`: the handle, or NULL for the current task's taskgroup. */
void *__kmpc_task_reduction_get_th_data(int32_t thread, void *group, void *data)
{
    (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    return ghcomp_combine_copy(self, group != NULL ? group : self->task->group, data);
}

GHCOMP_ABI_OBJECT(kmp_task_reduction);
