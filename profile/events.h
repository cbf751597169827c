/* The events of the runtime that the profiler counts. */
#pragma once

#include <omp-tools.h>

/* Registers a callback for each. Once, when the tool starts. */
void profile_set_callbacks(ompt_function_lookup_t lookup);
