/* The start of a tool that is in the tested program itself, which defines both functions. Included once. */
#pragma once

#include <omp-tools.h>

static int initialize(ompt_function_lookup_t look, int device, ompt_data_t *data);
static void finalize(ompt_data_t *data);

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {0}};
    (void)version, (void)runtime;
    return &result;
}
