/* Events of target constructs for a tool, and of routines for a device's memory. Protocol: tool.c.
 *
 * For gcc's code the host is the only device, so it is source and destination of each operation, and an item is mapped
 * to itself. If an event has two forms, the newer callback (emi) is called if the tool has set it, else the older one.
 *
 * Called by abi/gomp/gomp_target.c and abi/omp/omp_target.c. Covered by test/ompt/target.c. */
#include "core/tool/tool_call.h"

static bool has(ompt_callbacks_t event)
{
    return ghcomp_load_acquire(&ghcomp_tool_callbacks[event]) != NULL;
}

static ompt_data_t *own_data(struct ghcomp_tool_target *target)
{
    return target->own != NULL ? &target->own->data : NULL;
}

/* --- constructs --------------------------------------------------------------------------------------------------- */

static void report(struct ghcomp_tool_target *target, ompt_scope_endpoint_t endpoint)
{
    if (has(ompt_callback_target_emi))
        GHCOMP_TOOL_CALL(target_emi, target->kind, endpoint, ghcomp_tool_own.device, &target->task->data,
                         own_data(target), &target->data, target->return_address);
    else
        GHCOMP_TOOL_CALL(target, target->kind, endpoint, ghcomp_tool_own.device, &target->task->data, target->id,
                         target->return_address);
}

void ghcomp_tool_target_begin(struct ghcomp_member *self, struct ghcomp_tool_target *target, ompt_target_t kind,
                              struct ghcomp_task *task)
{
    /* Reads the site without taking it: a wait for the construct's dependences may need it. The construct's end takes
       it. */
    struct ghcomp_tool_site site = ghcomp_tool_thread_of(self->thread)->site;
    *target = (struct ghcomp_tool_target){.id = ghcomp_tool_unique(), .kind = kind,
                                          .return_address = site.return_address,
                                          .task = ghcomp_tool_task_of(task),
                                          .own = task != self->task ? ghcomp_tool_current(self) : NULL};
    ghcomp_tool_enter(ghcomp_tool_current(self), &site);
    report(target, ompt_scope_begin);
}

void ghcomp_tool_target_end(struct ghcomp_member *self, struct ghcomp_tool_target *target)
{
    ghcomp_tool_take(self->thread);
    report(target, ompt_scope_end);
    ghcomp_tool_current(self)->frame.enter_frame.ptr = NULL;
}

void ghcomp_tool_target_map(struct ghcomp_tool_target *target, const struct ghcomp_tool_items *items)
{
    if (has(ompt_callback_target_map_emi))
        GHCOMP_TOOL_CALL(target_map_emi, &target->data, items->count, items->address, items->address, items->bytes,
                         items->flags, target->return_address);
    else
        GHCOMP_TOOL_CALL(target_map, target->id, items->count, items->address, items->address, items->bytes,
                         items->flags, target->return_address);
}

void ghcomp_tool_submit_begin(struct ghcomp_member *self, struct ghcomp_tool_target *target, unsigned teams)
{
    struct ghcomp_tool_thread *thread = ghcomp_tool_thread_of(self->thread);
    target->operation = ghcomp_tool_unique();
    target->outer = thread->target;
    thread->target = target;
    if (has(ompt_callback_target_submit_emi))
        GHCOMP_TOOL_CALL(target_submit_emi, ompt_scope_begin, &target->data, &target->operation, teams);
    else
        GHCOMP_TOOL_CALL(target_submit, target->id, target->operation, teams);
}

void ghcomp_tool_submit_end(struct ghcomp_member *self, struct ghcomp_tool_target *target, unsigned teams)
{
    ghcomp_tool_thread_of(self->thread)->target = target->outer;
    GHCOMP_TOOL_CALL(target_submit_emi, ompt_scope_end, &target->data, &target->operation, teams);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void report_op(struct ghcomp_tool_data_op *op, ompt_scope_endpoint_t endpoint)
{
    GHCOMP_TOOL_CALL(target_data_op_emi, endpoint, NULL, &op->data, &op->id, op->kind, (void *)(uintptr_t)op->from,
                     ghcomp_tool_own.device, op->to, ghcomp_tool_own.device, op->bytes, op->return_address);
}

void ghcomp_tool_data_op_begin(struct ghcomp_member *self, struct ghcomp_tool_data_op *op)
{
    op->return_address = ghcomp_tool_take(self->thread).return_address;
    op->id = ghcomp_tool_unique();
    op->data.value = 0;
    report_op(op, ompt_scope_begin);
}

/* The older form of the callback is called once, when the operation is done. */
void ghcomp_tool_data_op_end(struct ghcomp_member *self, struct ghcomp_tool_data_op *op)
{
    (void)self;
    if (has(ompt_callback_target_data_op_emi))
        report_op(op, ompt_scope_end);
    else
        GHCOMP_TOOL_CALL(target_data_op, 0, op->id, op->kind, (void *)(uintptr_t)op->from, ghcomp_tool_own.device,
                         op->to, ghcomp_tool_own.device, op->bytes, op->return_address);
}
