/* Libomp's entries as these tests call them directly, and the check of test/conformance. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../conformance/common.h"

typedef struct {
    int32_t reserved_1, flags, reserved_2, reserved_3;
    const char *source;
} place;

static place here = {0, 2, 0, 0, ";unknown;unknown;0;0;;"};

int32_t __kmpc_global_thread_num(place *);

static inline int32_t thread_number(void)
{
    return __kmpc_global_thread_num(&here);
}

/* How many threads a region has here. */
static inline int region_size(void)
{
    int count = 0;
#pragma omp parallel reduction(+ : count)
    count++;
    return count;
}
