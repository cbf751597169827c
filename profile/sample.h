/* Tasks and regions of which a sample is measured. Rules in sample.c. */
#pragma once

#include <omp-tools.h>
#include <stdbool.h>

#include "sites.h"

enum { SAMPLE_EXPONENTS = 16 };

/* Whether the calling thread's next task or region is reported. */
int profile_task_filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *given);
int profile_region_filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *given);
/* A task or region of that site has ended, which took that long. It stands for 2^exponent of them, or only for itself;
   returns its weight. */
uint64_t profile_measured(struct counts *stat, uint32_t site, enum site_kind kind, uint64_t ticks, uint32_t exponent);
/* Whether one that took that long stands for itself alone. Only if its exponent is not 0. */
bool profile_is_large(enum site_kind kind, uint64_t ticks);
