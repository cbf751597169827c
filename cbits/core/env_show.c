/* OMP_DISPLAY_ENV and omp_display_env: the settings in force, in the text shape that OpenMP lays down and libgomp
 * prints, so that what parses one parses the other.
 *
 * Printers show what env.c made of the environment, and what omp_set_num_teams and omp_set_teams_thread_limit changed
 * since; other ICVs belong to tasks and are shown as a new initial thread has them, as libgomp does.
 *
 * Called by env.c and abi/omp_api.c. Covered by test/conformance/env.
 */
#include "core/env_show.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/affinity.h"
#include "core/check.h"
#include "core/icv.h"

/* What _OPENMP is in programs that gcc 12 compiles, which is what libgomp shows. */
static const char openmp_version[] = "201511";

#define PRINTER(name) void ghcomp_env_print_##name(const struct ghcomp_setting *row, FILE *out)

static const void *value(const struct ghcomp_setting *row)
{
    return (const char *)&ghcomp_env + row->offset;
}

static bool given(const struct ghcomp_setting *row)
{
    return ghcomp_env_given((enum ghcomp_setting_id)(row - ghcomp_settings));
}

static const char *truth(bool is)
{
    return is ? "TRUE" : "FALSE";
}

PRINTER(bool)
{
    fputs(truth(*(const bool *)value(row)), out);
}

PRINTER(number)
{
    fprintf(out, "%" PRIu64, *(const uint64_t *)value(row));
}

/* A word in capitals, except names that are C identifiers. */
PRINTER(word)
{
    const struct ghcomp_env_word *word = row->words;
    while (word->value != *(const int *)value(row))
        word++;
    bool identifier = false;
    for (const char *c = word->name; *c != '\0'; c++)
        identifier |= *c == '_';
    for (const char *c = word->name; *c != '\0'; c++)
        fputc(identifier ? *c : *c - 'a' + 'A', out);
}

PRINTER(string)
{
    if (given(row))
        fputs(*(char *const *)value(row), out);
}

PRINTER(affinity_format)
{
    fputs(given(row) ? ghcomp_env.affinity_format : GHCOMP_AFFINITY_FORMAT, out);
}

PRINTER(dynamic)
{
    (void)row;
    fputs(truth(ghcomp_global.initial.dynamic), out);
}

PRINTER(nested)
{
    (void)row;
    fputs(truth(ghcomp_global.initial.max_active_levels > 1), out);
}

PRINTER(num_threads)
{
    (void)row;
    const struct ghcomp_icvs *icv = &ghcomp_global.initial;
    fprintf(out, "%" PRIu32, icv->nthreads);
    for (uint32_t i = 0; i < icv->nthreads_rest_len; i++)
        fprintf(out, ",%" PRIu32, icv->nthreads_rest[i]);
}

PRINTER(schedule)
{
    (void)row;
    static const char *const names[] = {"?", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    const struct ghcomp_icvs *icv = &ghcomp_global.initial;
    int kind = icv->sched & ~GHCOMP_SCHED_MONOTONIC;
    bool monotonic = icv->sched & GHCOMP_SCHED_MONOTONIC;
    /* A modifier is shown where it is not the kind's default. */
    if (monotonic != (kind == GHCOMP_SCHED_STATIC))
        fputs(monotonic ? "MONOTONIC:" : "NONMONOTONIC:", out);
    fputs(names[kind], out);
    int usual = kind == GHCOMP_SCHED_STATIC ? 0 : 1;
    if (kind != GHCOMP_SCHED_AUTO && icv->sched_chunk != usual)
        fprintf(out, ",%d", icv->sched_chunk);
}

PRINTER(proc_bind)
{
    (void)row;
    static const char *const names[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
    const struct ghcomp_icvs *icv = &ghcomp_global.initial;
    fputs(names[icv->bind], out);
    for (uint32_t i = 0; i < icv->bind_rest_len; i++)
        fprintf(out, ",%s", names[icv->bind_rest[i]]);
}

/* The list in force, runs of CPUs as FIRST:LENGTH: it reads as a value of OMP_PLACES again. */
PRINTER(places)
{
    (void)row;
    const struct ghcomp_places *places = &ghcomp_affinity.places;
    for (uint32_t i = 0; i < places->count; i++) {
        const struct ghcomp_cpus *cpus = &places->list[i];
        const char *before = i == 0 ? "{" : ",{";
        for (uint32_t first = 0; (first = ghcomp_cpus_next(cpus, first)) < GHCOMP_MAX_CPUS;) {
            uint32_t length = 1;
            while (ghcomp_cpus_has(cpus, first + length))
                length++;
            fprintf(out, "%s%" PRIu32, before, first);
            if (length > 1)
                fprintf(out, ":%" PRIu32, length);
            before = ",";
            first += length;
        }
        fputc('}', out);
    }
}

PRINTER(stacksize)
{
    (void)row;
    fprintf(out, "%zu", ghcomp_global.stacksize);
}

PRINTER(wait_policy)
{
    (void)row;
    fputs(ghcomp_global.wait_policy == GHCOMP_WAIT_ACTIVE ? "ACTIVE" : "PASSIVE", out);
}

PRINTER(thread_limit)
{
    (void)row;
    fprintf(out, "%" PRIu32, ghcomp_global.initial.thread_limit);
}

PRINTER(max_active_levels)
{
    (void)row;
    fprintf(out, "%" PRIu32, ghcomp_global.initial.max_active_levels);
}

PRINTER(num_teams)
{
    (void)row;
    fprintf(out, "%d", ghcomp_load_relaxed(&ghcomp_global.num_teams));
}

PRINTER(teams_thread_limit)
{
    (void)row;
    fprintf(out, "%" PRIu32, ghcomp_load_relaxed(&ghcomp_global.teams_thread_limit));
}

/* Empty when the wait policy decides: its budgets are times, not pauses. */
PRINTER(spincount)
{
    if (given(row))
        fprintf(out, "%" PRIu64, ghcomp_global.spincount);
}

static void print_line(FILE *out, const char *name, const struct ghcomp_setting *row)
{
    fprintf(out, "  %s = '", name);
    row->print(row, out);
    fputs("'\n", out);
}

void ghcomp_env_display(bool verbose)
{
    /* In memory first: one write keeps the block in one piece. */
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        ghcomp_warn("OMP_DISPLAY_ENV: the settings cannot be shown, memory is short");
        return;
    }
    fprintf(out, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '%s'\n", openmp_version);
    for (int show = GHCOMP_SHOW_ALWAYS; show <= (verbose ? GHCOMP_SHOW_VERBOSE : GHCOMP_SHOW_ALWAYS); show++)
        for (const struct ghcomp_setting *row = ghcomp_settings; row < ghcomp_settings + GHCOMP_SETTINGS; row++) {
            if (row->shown == (enum ghcomp_setting_show)show)
                print_line(out, row->name, row);
            if (show == GHCOMP_SHOW_VERBOSE && row->alias != NULL)
                print_line(out, row->alias, row);
        }
    fputs("OPENMP DISPLAY ENVIRONMENT END\n", out);
    fclose(out);
    fwrite(text, 1, size, stderr);
    free(text);
}
