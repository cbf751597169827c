/* Sites, the places in the program where constructs begin, and the numbers of each. Defined in threads.c. */
#pragma once

#include "counter.h"

enum site_kind { SITE_REGION, SITE_LOOP, SITE_TASK, SITE_LOCK, SITE_KINDS };

/* A place in the program where regions, loops, tasks or waits for a lock begin: the return address of the call of the
   runtime. Sites 1 to SITE_KINDS stand for those of each kind for which the table had no more space. */
struct site {
    const void *address;           /* NULL: unknown, or no more space */
    uint8_t kind;                  /* enum site_kind */
    uint8_t detail;                /* ompt_work_t, ompt_mutex_t; of regions: whether it is a league */
};

enum { SITES = 4096, SITE_NONE = 0 };

/* A thread's numbers at a site, by kind. The first three are for all, the next two for regions and tasks (sample.c):
   those that were filtered, and the sum of the measured ones' weights. */
enum column {
    TIMES,                         /* regions ended; loops entered; tasks completed; locks taken */
    TIME,                          /* in regions; in loops; of the tasks' own code; until the lock was taken */
    LONGEST,
    FILTERED, WEIGHT,
    MEMBERS, LARGEST, BUSY, BUSIEST, BARRIER_WAIT, TASK_WAIT, LOCK_WAIT, END_WAIT,  /* regions */
    CHUNKS = MEMBERS, ITERATIONS,  /* loops; the most iterations of one */
    CREATED = MEMBERS, CANCELLED,  /* tasks: of those that are reported */
    COLUMNS = END_WAIT + 1
};

/* Durations in ticks: four buckets for each power of two. */
enum { BUCKETS = 4 * 48 };

struct counts {
    counter n[COLUMNS];
    counter *histogram;             /* tasks and locks: BUCKETS numbers; immutable */
    counter credit;                 /* the part of FILTERED that is still to come: given by store_release, for
                                       load_acquire */
};

const struct site *profile_sites(uint32_t *count);
/* Counts one more at the site, which took that long and stands for `weight` of them. */
void profile_count(struct counts *stat, uint64_t ticks, uint64_t weight);
/* The shortest and the longest of a bucket's durations. */
uint64_t profile_bucket_from(int bucket);
