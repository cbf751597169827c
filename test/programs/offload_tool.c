/* A program by clang for an offload target that is its own tool: libomptarget tells it of its devices, and of what it
 * does on them. Prints how often each event came. */
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>

static int devices, finalized, targets[2], operations[2], submits[2], bytes, finished;

static void on_initialize(int device, const char *type, ompt_device_t *handle, ompt_function_lookup_t lookup,
                          const char *documentation)
{
    (void)device, (void)type, (void)handle, (void)lookup, (void)documentation;
    devices++;
}

static void on_finalize(int device)
{
    (void)device;
    finalized++;
}

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t *task,
                      ompt_data_t *target_task, ompt_data_t *target, const void *code)
{
    (void)kind, (void)device, (void)target_task, (void)target, (void)code;
    __atomic_add_fetch(&targets[endpoint == ompt_scope_end], task != NULL, __ATOMIC_RELAXED);
}

static void on_operation(ompt_scope_endpoint_t endpoint, ompt_data_t *task, ompt_data_t *target, ompt_id_t *operation,
                         ompt_target_data_op_t kind, void *from, int from_device, void *to, int to_device, size_t size,
                         const void *code)
{
    (void)task, (void)target, (void)operation, (void)from, (void)from_device, (void)to, (void)to_device, (void)code;
    __atomic_add_fetch(&operations[endpoint == ompt_scope_end], 1, __ATOMIC_RELAXED);
    if (endpoint == ompt_scope_begin && kind == ompt_target_data_transfer_to_device)
        __atomic_add_fetch(&bytes, (int)size, __ATOMIC_RELAXED);
}

static void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *operation, unsigned teams)
{
    (void)target, (void)operation, (void)teams;
    __atomic_add_fetch(&submits[endpoint == ompt_scope_end], 1, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)data;
    set(ompt_callback_device_initialize, (ompt_callback_t)on_initialize);
    set(ompt_callback_device_finalize, (ompt_callback_t)on_finalize);
    set(ompt_callback_target_emi, (ompt_callback_t)on_target);
    set(ompt_callback_target_data_op_emi, (ompt_callback_t)on_operation);
    set(ompt_callback_target_submit_emi, (ompt_callback_t)on_submit);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    finished++;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}

int main(void)
{
    int a[100] = {0}, b = 0;
#pragma omp target map(tofrom : a)
    for (int i = 0; i < 100; i++)
        a[i] = i;
#pragma omp target data map(tofrom : a)
    {
#pragma omp target
        a[7]++;
#pragma omp target update from(a)
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : b)
        b++;
#pragma omp taskwait
    }
    printf("devices %s, targets %d %d, operations %d %d, to devices %d bytes, submits %d %d\n",
           devices > 0 ? "some" : "none", targets[0], targets[1], operations[0], operations[1], bytes, submits[0],
           submits[1]);
    return a[7] != 8 || b != 1;
}
