/* Sums over the threads (report.h). Threads of the program may still run and count: each number is read once. */
#include "report.h"
#include "clock.h"
#include "settings.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *report_detail(const struct site *site)
{
    static const char *const work[] = {[ompt_work_loop] = "loop", [ompt_work_sections] = "sections",
                                       [ompt_work_distribute] = "distribute", [ompt_work_taskloop] = "taskloop",
                                       [ompt_work_loop_static] = "static", [ompt_work_loop_dynamic] = "dynamic",
                                       [ompt_work_loop_guided] = "guided", [ompt_work_loop_other] = "other"};
    static const char *const mutex[] = {[ompt_mutex_lock] = "lock", [ompt_mutex_test_lock] = "test_lock",
                                        [ompt_mutex_nest_lock] = "nest_lock",
                                        [ompt_mutex_test_nest_lock] = "test_nest_lock",
                                        [ompt_mutex_critical] = "critical", [ompt_mutex_atomic] = "atomic",
                                        [ompt_mutex_ordered] = "ordered"};
    const char *name = NULL;
    if (site->kind == SITE_LOOP && site->detail < sizeof work / sizeof work[0])
        name = work[site->detail];
    else if (site->kind == SITE_LOCK && site->detail < sizeof mutex / sizeof mutex[0])
        name = mutex[site->detail];
    else if (site->kind == SITE_REGION)
        name = site->detail ? "teams" : "parallel";
    return name != NULL ? name : "";
}

/* The columns that are times. */
static bool is_time(enum site_kind kind, int column)
{
    return column == TIME || column == LONGEST || (kind == SITE_REGION && column >= BUSY);
}

/* The median duration, to within an eighth. */
static uint64_t median_of(const uint64_t *histogram, uint64_t longest)
{
    uint64_t all = 0, below = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        all += histogram[bucket];
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        below += histogram[bucket];
        if (all != 0 && 2 * below >= all) {
            uint64_t from = profile_bucket_from(bucket), to = profile_bucket_from(bucket + 1);
            uint64_t middle = profile_ns(from + (to - from) / 2);
            return middle < longest ? middle : longest;
        }
    }
    return 0;
}

/* Filtered tasks and regions are only counted (sample.c); by now they have ended, too. The times of WEIGHT of them are
   scaled to all. */
static void estimate(struct row *row)
{
    uint64_t *n = row->n;
    bool tasks = row->site.kind == SITE_TASK;
    row->measured = n[TIMES];
    n[TIMES] += n[FILTERED];
    if (tasks)
        n[CREATED] += n[FILTERED];
    if (n[FILTERED] == 0)
        return;
    for (int column = 0; column < COLUMNS; column++)
        if (column == TIME || (!tasks && (column == MEMBERS || column >= BUSY)))
            n[column] = n[WEIGHT] != 0 ? (uint64_t)((unsigned __int128)n[column] * n[TIMES] / n[WEIGHT]) : 0;
    n[TIME] = n[TIME] < n[LONGEST] ? n[LONGEST] : n[TIME];
}

/* The number of filtered ones that have begun (sample.c). While the thread gives new credit, the credit may exceed the
   total that was read. The acquire pairs with the release of the credit, not with the thread's later subtractions: for
   a thread that still runs the number may be that of a moment ago. */
static uint64_t filtered_of(const struct counts *stat)
{
    uint64_t still = ghcomp_load_acquire(&stat->credit), all = ghcomp_load_relaxed(&stat->n[FILTERED]);
    return still < all ? all - still : still == all ? 0 : all;
}

/* False: the site has no counts. */
static bool sum(struct row *row, uint32_t number)
{
    uint64_t histogram[BUCKETS] = {0}, any = 0;
    for (struct thread *thread = profile_threads(); thread != NULL; thread = thread->next) {
        struct counts *stat = ghcomp_load_acquire(&thread->stats[number]);
        if (stat == NULL)
            continue;
        for (int column = 0; column < COLUMNS; column++) {
            uint64_t value = column == FILTERED ? filtered_of(stat) : ghcomp_load_relaxed(&stat->n[column]);
            bool largest = column == LONGEST || (row->site.kind == SITE_REGION && column == LARGEST) ||
                           (row->site.kind == SITE_LOOP && column == ITERATIONS);
            any |= value;
            if (!largest)
                row->n[column] += value;
            else if (value > row->n[column])
                row->n[column] = value;
        }
        for (int bucket = 0; bucket < BUCKETS && stat->histogram != NULL; bucket++)
            histogram[bucket] += ghcomp_load_relaxed(&stat->histogram[bucket]);
    }
    if (any == 0)
        return false;
    if (row->site.kind == SITE_REGION && row->n[BUSY] != 0)
        row->imbalance = (double)row->n[BUSIEST] / (double)row->n[BUSY] - 1;
    for (int column = 0; column < COLUMNS; column++)
        if (is_time((enum site_kind)row->site.kind, column))
            row->n[column] = profile_ns(row->n[column]);
    if (row->site.kind == SITE_TASK || row->site.kind == SITE_REGION)
        estimate(row);
    row->median = median_of(histogram, row->n[LONGEST]);
    for (int bucket = 0; bucket < BUCKETS; bucket++)
        if (profile_ns(profile_bucket_from(bucket)) >= 1000)
            row->waited += histogram[bucket];
    return true;
}

static int longest_first(const void *left, const void *right)
{
    const struct row *one = left, *other = right;
    if (one->n[TIME] != other->n[TIME])
        return one->n[TIME] > other->n[TIME] ? -1 : 1;
    return one->n[TIMES] != other->n[TIMES] ? (one->n[TIMES] > other->n[TIMES] ? -1 : 1)
           : one->where.offset < other->where.offset ? -1 : one->where.offset > other->where.offset;
}

/* The sites with counts, and their source lines. */
static struct row *sum_all(uint32_t *numbers, uint32_t *count)
{
    uint32_t sites;
    const struct site *site = profile_sites(&sites);
    struct row *rows = profile_alloc(sites * sizeof *rows);
    struct where *where = profile_alloc(sites * sizeof *where);
    *count = 0;
    for (uint32_t number = 1; number < sites; number++) {
        struct row *row = &rows[*count];
        *row = (struct row){.site = site[number], .where = {.address = site[number].address}};
        row->where.outlines = row->site.kind == SITE_REGION || row->site.kind == SITE_TASK;
        if (!sum(row, number))
            continue;
        numbers[*count] = number;
        where[(*count)++] = row->where;
    }
    where_find(where, *count);
    for (uint32_t i = 0; i < *count; i++)
        rows[i].where = where[i];
    return rows;
}

static uint64_t less(uint64_t from, uint64_t number)
{
    return from > number ? from - number : 0;
}

static void take_threads(struct report *report)
{
    uint64_t now = profile_now();
    uint32_t count = 0;
    for (struct thread *thread = profile_threads(); thread != NULL; thread = thread->next)
        count++;
    report->threads = profile_alloc((count + 1) * sizeof *report->threads);
    for (struct thread *thread = profile_threads(); thread != NULL; thread = thread->next) {
        uint64_t starts = ghcomp_load_relaxed(&thread->starts), begun = ghcomp_load_relaxed(&thread->begun);
        if (starts == 0)
            continue; /* it was the parent's */
        uint64_t ticks = ghcomp_load_relaxed(&thread->life) + (begun != 0 && now > begun ? now - begun : 0);
        uint64_t life = profile_ns(ticks), rest = life, spent[CHARGED];
        /* The weights of regions are estimates, so the sum may be more than the thread's time. */
        uint64_t outside = ghcomp_load_relaxed(&thread->outside.spent[CODE]);
        uint64_t twice = ghcomp_load_relaxed(&thread->twice);
        uint64_t outermost = ghcomp_load_relaxed(&thread->outermost);
        outermost = outermost < outside ? outermost : outside;
        uint64_t serial = profile_ns(outside - outermost);
        for (int activity = 0; activity < CHARGED; activity++) {
            uint64_t charged = ghcomp_load_relaxed(&thread->spent[activity]);
            spent[activity] = profile_ns(activity == CODE ? less(charged, twice) : charged);
            spent[activity] = spent[activity] < rest ? spent[activity] : rest;
            rest -= spent[activity];
        }
        serial = serial < spent[CODE] ? serial : spent[CODE];
        report->dropped += ghcomp_load_relaxed(&thread->dropped);
        report->in_regions += profile_ns(outermost);
        report->threads[report->thread_count++] =
            (struct thread_row){thread->number, thread->worker, starts, life, serial, spent[CODE] - serial,
                                spent[IN_BARRIER], spent[IN_TASKWAIT], spent[IN_LOCK], rest};
    }
    for (uint32_t i = 0; 2 * i + 1 < report->thread_count; i++) { /* the list has the newest first */
        struct thread_row *other = &report->threads[report->thread_count - 1 - i], kept = *other;
        *other = report->threads[i];
        report->threads[i] = kept;
    }
}

void report_make(struct report *report, uint64_t wall)
{
    ssize_t length = readlink("/proc/self/exe", report->program, sizeof report->program - 1);
    report->program[length > 0 ? length : 0] = '\0';
    report->wall = wall;
    take_threads(report);
    uint32_t *numbers = profile_alloc(SITES * sizeof *numbers), all;
    struct row *rows = sum_all(numbers, &all);
    report->by_site = profile_alloc(SITES * sizeof *report->by_site);
    for (uint32_t i = 0; i < all; i++)
        report->by_site[numbers[i]] = &rows[i];
    for (int kind = 0; kind < SITE_KINDS; kind++) {
        report->rows[kind] = profile_alloc((all + 1) * sizeof *rows);
        for (uint32_t i = 0; i < all; i++)
            if (rows[i].site.kind == kind)
                report->rows[kind][report->count[kind]++] = rows[i];
        qsort(report->rows[kind], report->count[kind], sizeof *rows, longest_first);
    }
    free(numbers);
}
