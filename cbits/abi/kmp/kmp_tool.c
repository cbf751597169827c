/* ompt_libomp_connect, by which LLVM's libomptarget asks for the tool's callbacks when it is loaded. libomptarget
 * itself calls the callbacks of devices, and of target constructs of clang's code. Tests: test/programs/offload.sh. */
#include <omp-tools.h>
#include <string.h>

#include "abi/abi.h"
#include "core/tool/tool.h"

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
    ompt_callback_t is = ghcomp_tool_active() ? ghcomp_tool_callback((int)event) : NULL;
    if (is == NULL)
        return 0;
    *callback = is;
    return 1;
}

static ompt_data_t *get_task_data(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && ghcomp_tool_active() ? &ghcomp_tool_current(self)->data : NULL;
}

/* libomptarget is called in the target task itself, so it needs only the current task. As on libomp, the result is a
   word of the thread, whether there is a target task or not. */
static ompt_data_t *get_target_task_data(void)
{
    static __thread ompt_data_t word GHCOMP_TLS_COLD;
    return &word;
}

static ompt_interface_fn_t lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } functions[] = {{"ompt_get_callback", (ompt_interface_fn_t)get_callback},
                     {"ompt_get_task_data", (ompt_interface_fn_t)get_task_data},
                     {"ompt_get_target_task_data", (ompt_interface_fn_t)get_target_task_data}};
    static const struct {
        const char *name;
        ompt_callbacks_t event;
    } events[] = {
#define EVENT(event) {"ompt_callback_" #event, ompt_callback_##event}
        EVENT(device_initialize), EVENT(device_finalize), EVENT(device_load), EVENT(device_unload), EVENT(target),
        EVENT(target_data_op), EVENT(target_submit), EVENT(target_map), EVENT(target_emi), EVENT(target_data_op_emi),
        EVENT(target_submit_emi), EVENT(target_map_emi)};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (strcmp(events[i].name, name) == 0)
            return (ompt_interface_fn_t)ghcomp_tool_callback(events[i].event);
    return NULL;
}

void ompt_libomp_connect(struct ompt_start_tool_result_t *result)
{
    if (result == NULL || !ghcomp_tool_on())
        return;
    ghcomp_self_of_libomp(); /* registers the thread, which starts the tool */
    if (!ghcomp_tool_active())
        return;
    result->initialize(lookup, 0, NULL);
    ghcomp_tool_connect(result);
}

GHCOMP_ABI_OBJECT(kmp_tool);
