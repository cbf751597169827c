/* Writes the profile as tables of text. */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct cell {
    char text[32];
};

/* Three to four digits and a unit. */
static struct cell duration(uint64_t ns)
{
    struct cell cell;
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    int unit = 0;
    while (unit < 3 && (double)ns < units[unit].ns * 0.99995)
        unit++;
    double value = (double)ns / units[unit].ns;
    unsigned digits = unit == 3 || value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
    char number[24];
    text_decimal(number, sizeof number, value, digits);
    snprintf(cell.text, sizeof cell.text, "%s %s", number, units[unit].unit);
    return cell;
}

static struct cell percent(double part, double whole)
{
    struct cell cell;
    char number[24];
    text_decimal(number, sizeof number, whole > 0 ? 100 * part / whole : 0, 1);
    snprintf(cell.text, sizeof cell.text, "%s %%", number);
    return cell;
}

/* With a comma between thousands. */
static struct cell count(uint64_t number)
{
    struct cell cell;
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), out = 0;
    for (int i = 0; i < length; i++) {
        if (i != 0 && (length - i) % 3 == 0)
            cell.text[out++] = ',';
        cell.text[out++] = digits[i];
    }
    cell.text[out] = '\0';
    return cell;
}

/* --- the tables --------------------------------------------------------------------------------------------------- */

static const char *shown(const struct row *row)
{
    static char text[512];
    where_shown(&row->where, text, sizeof text);
    return text;
}

static void region(struct text *text, const struct report *report, const struct row *row)
{
    double all = (double)row->n[BUSY] + (double)row->n[BARRIER_WAIT] + (double)row->n[TASK_WAIT] +
                 (double)row->n[LOCK_WAIT] + (double)row->n[END_WAIT];
    text_add(text, "%9s %8s %9s %9s %5llu %9s %8s %8s %8s %8s %8s", duration(row->n[TIME]).text,
             percent((double)row->n[TIME], (double)report->wall).text, count(row->n[TIMES]).text,
             count(row->measured).text, (unsigned long long)row->n[LARGEST], percent(row->imbalance, 1).text,
             percent((double)row->n[BUSY], all).text,
             percent((double)row->n[BARRIER_WAIT], all).text, percent((double)row->n[TASK_WAIT], all).text,
             percent((double)row->n[LOCK_WAIT], all).text, percent((double)row->n[END_WAIT], all).text);
}

static void loop(struct text *text, const struct report *report, const struct row *row)
{
    (void)report;
    text_add(text, "%9s %10s %9s %11s %11s", duration(row->n[TIME]).text, report_detail(&row->site),
             count(row->n[TIMES]).text, count(row->n[CHUNKS]).text, count(row->n[ITERATIONS]).text);
}

static void task(struct text *text, const struct report *report, const struct row *row)
{
    (void)report;
    uint64_t mean = row->n[TIMES] != 0 ? row->n[TIME] / row->n[TIMES] : 0;
    text_add(text, "%9s %11s %11s %11s %9s %9s %9s", duration(row->n[TIME]).text, count(row->n[CREATED]).text,
             count(row->n[TIMES]).text, count(row->measured).text, duration(mean).text, duration(row->median).text,
             duration(row->n[LONGEST]).text);
}

static void lock(struct text *text, const struct report *report, const struct row *row)
{
    (void)report;
    text_add(text, "%9s %14s %11s %11s %9s %9s", duration(row->n[TIME]).text, report_detail(&row->site),
             count(row->n[TIMES]).text, count(row->waited).text, duration(row->median).text,
             duration(row->n[LONGEST]).text);
}

static const struct {
    const char *title, *heads, *what;
    void (*write)(struct text *, const struct report *, const struct row *);
} tables[SITE_KINDS] = {
    [SITE_REGION] = {"Parallel regions: of the program's time, estimated from those measured; busiest member above the "
                     "mean; what members did",
                     "     time    share     times  measured  team imbalance     busy  barrier taskwait    locks"
                     "      end  where",
                     "regions", region},
    [SITE_LOOP] = {"Worksharing: time of all members; entered by members; iterations of the longest loop",
                   "     time   schedule   entered      chunks  iterations  where", "loops", loop},
    [SITE_TASK] = {"Tasks: time of their own code, estimated from those measured",
                   "     time     created   completed    measured      mean    median   longest  where",
                   "tasks", task},
    [SITE_LOCK] = {"Locks: time until they were taken; how often that took a microsecond or more",
                   "     time           kind       taken      waited    median   longest  where", "locks", lock},
};

static void threads(struct text *text, const struct report *report, unsigned top)
{
    text_add(text, "\nThreads: idle has the waits at regions' ends\n"
                   "     life   serial     busy  barrier taskwait    locks     idle  thread\n");
    for (uint32_t i = 0; i < report->thread_count && i < top; i++) {
        const struct thread_row *row = &report->threads[i];
        double life = (double)row->life;
        text_add(text, "%9s %8s %8s %8s %8s %8s %8s  %s %u\n", duration(row->life).text,
                 percent((double)row->serial, life).text, percent((double)row->busy, life).text,
                 percent((double)row->barrier, life).text, percent((double)row->taskwait, life).text,
                 percent((double)row->lock, life).text, percent((double)row->idle, life).text,
                 row->worker ? "worker" : "initial thread", row->number);
    }
    if (report->thread_count > top)
        text_add(text, "  and %u more (--top)\n", report->thread_count - top);
}

void table_make(struct text *text, const struct report *report, unsigned top)
{
    const char *slash = strrchr(report->program, '/');
    text_add(text, "ghcomp profile: ");
    text_shown(text, slash != NULL ? slash + 1 : report->program);
    text_add(text, ", process %d: %s, %u thread%s, %s in parallel regions\n", (int)getpid(),
             duration(report->wall).text, report->thread_count, report->thread_count == 1 ? "" : "s",
             duration(report->in_regions).text);
    for (int kind = 0; kind < SITE_KINDS; kind++) {
        if (report->count[kind] == 0)
            continue;
        text_add(text, "\n%s\n%s\n", tables[kind].title, tables[kind].heads);
        for (uint32_t i = 0; i < report->count[kind] && i < top; i++) {
            tables[kind].write(text, report, &report->rows[kind][i]);
            text_add(text, "  ");
            text_shown(text, shown(&report->rows[kind][i]));
            text_add(text, "\n");
        }
        if (report->count[kind] > top)
            text_add(text, "  and %u more (--top)\n", report->count[kind] - top);
    }
    if (report->count[SITE_REGION] == 0)
        text_add(text, "\nNo parallel region has ended\n");
    threads(text, report, top);
    if (report->dropped != 0)
        text_add(text, "\nThe trace lacks %s spans, for which it has no space\n", count(report->dropped).text);
}
