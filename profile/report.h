/* The report at the end: sums over the threads, in nanoseconds, with source lines. */
#pragma once

#include "sites.h"
#include "text.h"
#include "where.h"

/* A site; in `n` the times are in nanoseconds. */
struct row {
    struct site site;
    struct where where;
    uint64_t n[COLUMNS];
    uint64_t measured;             /* tasks and regions: all but the counts is estimated if these are not all of them */
    uint64_t median;               /* tasks and locks */
    uint64_t waited;               /* locks: how many took a microsecond or more */
    double imbalance;              /* regions: how much longer the busiest member's work is than the mean, 0: not */
};

struct thread_row {
    uint32_t number;
    bool worker;
    uint64_t starts, life, serial, busy, barrier, taskwait, lock, idle;
};

struct report {
    char program[4096];
    uint64_t wall;                 /* since the library was loaded */
    uint64_t in_regions;           /* in regions that were opened outside of any, summed over the threads that opened
                                      them */
    struct row *rows[SITE_KINDS];  /* the longest first */
    uint32_t count[SITE_KINDS];
    struct row **by_site;          /* SITES pointers, or NULL */
    struct thread_row *threads;
    uint32_t thread_count;
    uint64_t dropped;              /* spans */
};

void report_make(struct report *report, uint64_t wall);
const char *report_detail(const struct site *site);

void table_make(struct text *text, const struct report *report, unsigned top);
void json_make(struct text *text, const struct report *report);
/* Writes the timeline; false: it could not be written, and errno has the reason. */
bool trace_write(int fd, const struct report *report);
