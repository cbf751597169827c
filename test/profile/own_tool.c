/* A program's own tool, linked into it or preloaded. */
#include <omp-tools.h>
#include <stdio.h>

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    return lookup("ompt_set_callback") != NULL;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    puts("own tool");
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}
