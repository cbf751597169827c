/* OMP_DISPLAY_ENV, omp_display_env and KMP_SETTINGS: the settings that the process started with. The first two print
 * the format that OpenMP specifies and libgomp prints from GCC 13 on, so that one parser reads both.
 *
 * Each line names the value's device in brackets: `host`, `all` (also for a value from NAME_ALL), `device` (NAME_DEV)
 * or a device's number. Printers show the values that env.c has read from the environment, not those that the program
 * sets later.
 *
 * Called by env.c and abi/omp/omp_api.c. Covered by test/conformance/env/display.c and
 * test/scripts/environment.sh (`gives`).
 */
#include "core/env/env_show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/cpu/wait.h"
#include "core/state/icv.h"
#include "core/team/barrier_policy.h"
#include "ghcomp.h"
#include "host/os.h"

/* The version that libgomp displays from GCC 16 on. */
static const char openmp_version[] = "202111";

#define PRINTER(name) void ghcomp_env_print_##name(const struct ghcomp_setting *row, const void *value, FILE *out)

static bool given(const struct ghcomp_setting *row)
{
    return ghcomp_env_given((enum ghcomp_setting_id)(row - ghcomp_setting_table));
}

static const char *truth(bool is)
{
    return is ? "TRUE" : "FALSE";
}

PRINTER(bool)
{
    (void)row;
    fputs(truth(*(const bool *)value), out);
}

PRINTER(number)
{
    (void)row;
    fprintf(out, "%" PRIu64, *(const uint64_t *)value);
}

/* Prints a word in capitals, but not a name that is a C identifier. */
PRINTER(word)
{
    const struct ghcomp_env_word *word = row->words;
    while (word->value != *(const int *)value)
        word++;
    bool identifier = false;
    for (const char *c = word->name; *c != '\0'; c++)
        identifier |= *c == '_';
    for (const char *c = word->name; *c != '\0'; c++)
        fputc(!identifier && *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
}

PRINTER(size)
{
    (void)row;
    fprintf(out, "%zu", *(const size_t *)value);
}

PRINTER(list)
{
    const struct ghcomp_env_list *list = value;
    for (uint32_t i = 0; i < list->length; i++) {
        fputs(i > 0 ? "," : "", out);
        if (row->words != NULL)
            ghcomp_env_print_word(row, &(int){(int)list->items[i]}, out);
        else
            fprintf(out, "%" PRIu32, list->items[i]);
    }
}

/* Prints a text from outside as ghcomp_shown has it, but the whole of it, by parts that end between characters. */
static void print_text(const char *text, FILE *out)
{
    enum { PART = GHCOMP_SHOWN / 4 }; /* a byte is four at most */
    while (*text != '\0') {
        size_t length = strnlen(text, PART);
        while (length == PART && (text[length] & 0xc0) == 0x80 && length > 1)
            length--;
        fputs(ghcomp_shown_part(text, length).text, out);
        text += length;
    }
}

PRINTER(string)
{
    if (given(row))
        print_text(*(char *const *)value, out);
}

PRINTER(affinity_format)
{
    (void)value;
    print_text(given(row) ? ghcomp_settings.affinity_format : GHCOMP_AFFINITY_FORMAT, out);
}

static void print_reserved(const char *word, uint32_t number, FILE *out)
{
    if (number == GHCOMP_RESERVED_ALL)
        fputs(word, out);
    else
        fprintf(out, "%s(%" PRIu32 ")", word, number);
}

PRINTER(reserve)
{
    const struct ghcomp_threads_reserve *reserve = value;
    (void)row;
    if (reserve->agents != GHCOMP_RESERVED_ALL)
        print_reserved("structured", reserve->structured, out);
    if (reserve->agents != GHCOMP_RESERVED_ALL && reserve->structured != GHCOMP_RESERVED_ALL)
        fputc(',', out);
    if (reserve->structured != GHCOMP_RESERVED_ALL)
        print_reserved("free_agent", reserve->agents, out);
}

PRINTER(nested)
{
    (void)row;
    (void)value;
    fputs(truth(ghcomp_global.initial.max_active_levels > 1), out);
}

PRINTER(num_threads)
{
    (void)row;
    (void)value;
    const struct ghcomp_icvs *icv = &ghcomp_global.initial;
    fprintf(out, "%" PRIu32, icv->nthreads);
    for (uint32_t i = 0; i < icv->nthreads_rest_len; i++)
        fprintf(out, ",%" PRIu32, icv->nthreads_rest[i]);
}

static void print_schedule(int sched, int chunk, FILE *out)
{
    static const char *const names[] = {"TRAPEZOIDAL", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
    int kind = sched & ~GHCOMP_SCHED_MONOTONIC;
    bool monotonic = sched & GHCOMP_SCHED_MONOTONIC;
    /* A modifier is shown where it is not the kind's default. */
    if (monotonic != (kind == GHCOMP_SCHED_STATIC))
        fputs(monotonic ? "MONOTONIC:" : "NONMONOTONIC:", out);
    fputs(names[kind != GHCOMP_SCHED_TRAPEZOIDAL ? kind : 0], out);
    if (kind != GHCOMP_SCHED_AUTO && chunk != 0 && (kind == GHCOMP_SCHED_STATIC || chunk != 1))
        fprintf(out, ",%d", chunk);
}

PRINTER(schedule)
{
    (void)row;
    (void)value;
    print_schedule(ghcomp_global.initial.sched, ghcomp_global.initial.sched_chunk, out);
}

PRINTER(device_schedule)
{
    (void)row;
    const struct ghcomp_env_schedule *schedule = value;
    print_schedule(schedule->kind, schedule->chunk, out);
}

PRINTER(default_device)
{
    (void)row;
    (void)value;
    fprintf(out, "%d", ghcomp_global.initial.default_device);
}

PRINTER(proc_bind)
{
    (void)row;
    (void)value;
    static const char *const names[] = {"FALSE", "TRUE", "MASTER", "CLOSE", "SPREAD"};
    const struct ghcomp_icvs *icv = &ghcomp_global.initial;
    fputs(names[icv->bind], out);
    for (uint32_t i = 0; i < icv->bind_rest_len; i++)
        fprintf(out, ",%s", names[icv->bind_rest[i]]);
}

/* Prints the list in force as a value of OMP_PLACES, with runs of CPUs as FIRST:LENGTH. */
PRINTER(places)
{
    (void)row;
    (void)value;
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

/* Threads that spin only for a short time are shown as passive, as in libgomp. */
PRINTER(wait_policy)
{
    (void)row;
    (void)value;
    fputs(ghcomp_global.wait_policy == GHCOMP_POLICY_ACTIVE ? "ACTIVE" : "PASSIVE", out);
}

PRINTER(thread_limit)
{
    (void)row;
    (void)value;
    fprintf(out, "%" PRIu32, ghcomp_global.initial.thread_limit);
}

PRINTER(max_active_levels)
{
    (void)row;
    (void)value;
    uint32_t levels = ghcomp_global.initial.max_active_levels;
    fprintf(out, "%" PRIu32, levels < GHCOMP_MAX_LEVELS ? levels : GHCOMP_MAX_LEVELS);
}

/* If the wait policy decides, prints libgomp's number of pauses for that policy, since this runtime's budget is a
   time. */
PRINTER(spincount)
{
    (void)value;
    uint64_t count = 300000;
    if (given(row))
        count = ghcomp_global.spincount;
    else if (ghcomp_env_given(GHCOMP_SET_WAIT_POLICY))
        count = ghcomp_global.wait_policy == GHCOMP_POLICY_ACTIVE ? 30000000000 : 0;
    fprintf(out, "%" PRIu64, count);
}

PRINTER(barrier)
{
    (void)row;
    (void)value;
    fputs(ghcomp_barrier_policy_kind() == GHCOMP_BARRIER_TREE ? "TREE" : "FLAT", out);
}

/* A memory space without traits is shown as the allocator of that space, as in libgomp. */
PRINTER(allocator)
{
    const struct ghcomp_env_named_allocator *allocator = value;
    if (allocator->is.count > 0)
        print_text(allocator->text, out);
    else
        ghcomp_env_print_word(row, &allocator->is.handle, out);
}

PRINTER(kmp_affinity)
{
    static const char *const names[] = {"", "none", "disabled", "compact", "scatter", "balanced", "explicit"};
    static const char *const sizes[] = {"core", "thread", "ll_cache", "numa", "socket"};
    const struct ghcomp_kmp_affinity *affinity = value;
    (void)row;
    fputs(affinity->verbose ? "verbose" : "noverbose", out);
    if (affinity->type == GHCOMP_KMP_AFFINITY_OTHERS)
        return;
    fprintf(out, ",granularity=%s,%s", sizes[affinity->granularity], names[affinity->type]);
    if (affinity->type == GHCOMP_KMP_AFFINITY_COMPACT || affinity->type == GHCOMP_KMP_AFFINITY_SCATTER)
        fprintf(out, ",%" PRIu32, affinity->permute);
    if (affinity->type >= GHCOMP_KMP_AFFINITY_COMPACT)
        fprintf(out, ",%" PRIu32, affinity->offset);
}

/* In milliseconds, as kmp_get_blocktime returns it, if the time is a whole number of them. */
PRINTER(blocktime)
{
    (void)row;
    (void)value;
    uint64_t time = ghcomp_foreign_load_relaxed(&ghcomp_wait_settings.free_ns[GHCOMP_WAIT_TEAM]);
    if (time == UINT64_MAX)
        fputs("INFINITE", out);
    else if (time % 1000000 == 0)
        fprintf(out, "%" PRIu64 "ms", time / 1000000);
    else
        fprintf(out, "%" PRIu64 "us", time / 1000);
}

PRINTER(reduction)
{
    if (given(row))
        ghcomp_env_print_word(row, value, out);
}

PRINTER(hw_subset)
{
    (void)value;
    if (given(row))
        print_text(ghcomp_settings.hw_subset_text, out);
}

PRINTER(kmp_branches)
{
    const struct ghcomp_kmp_pair *pair = value;
    if (given(row))
        fprintf(out, "%d,%d", pair->gather, pair->release);
}

/* Without a given value, prints libomp's name for the kind of barrier in force. */
PRINTER(kmp_patterns)
{
    static const char *const names[] = {"linear", "tree", "hyper", "hierarchical", "dist"};
    const struct ghcomp_kmp_pair *pair = value;
    if (given(row))
        fprintf(out, "%s,%s", names[pair->gather], names[pair->release]);
    else
        fputs(ghcomp_barrier_policy_kind() == GHCOMP_BARRIER_TREE ? "dist,dist" : "linear,linear", out);
}

static void print_line(FILE *out, const char *name, const struct ghcomp_setting *row)
{
    fprintf(out, "  [%s] %s = '", row->all ? "all" : "host", name);
    row->print(row, row->value, out);
    fputs("'\n", out);
}

/* The values for devices: from NAME_ALL, from NAME_DEV, then from each NAME_DEV_n. */
static void print_devices(FILE *out, const struct ghcomp_setting *row)
{
    for (int pass = 0; row->print_device != NULL && pass < 3; pass++)
        for (const struct ghcomp_device_setting *set = ghcomp_device_settings; set != NULL; set = set->next) {
            int kind = strcmp(set->device, "all") == 0 ? 0 : strcmp(set->device, "device") == 0 ? 1 : 2;
            if (set->row != row || kind != pass)
                continue;
            fprintf(out, "  [%s] %s = '", set->device, row->name);
            row->print_device(row, &set->value, out);
            fputs("'\n", out);
        }
}

/* `show` writes into memory first: one write keeps the block in one piece. */
static void display(const char *variable, void (*show)(FILE *out, bool verbose), bool verbose)
{
    char *text = NULL;
    size_t size = 0;
    int cancellation = ghcomp_os_defer_cancellation();
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        ghcomp_warn("%s: the settings cannot be shown, memory is short", variable);
        ghcomp_os_restore_cancellation(cancellation);
        return;
    }
    show(out, verbose);
    bool whole = !ferror(out);
    if (fclose(out) == 0 && whole)
        fwrite(text, 1, size, stderr);
    else
        ghcomp_warn("%s: the settings cannot be shown, memory is short", variable);
    free(text);
    ghcomp_os_restore_cancellation(cancellation);
}

static void show_standard(FILE *out, bool verbose)
{
    fprintf(out, "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n  _OPENMP = '%s'\n", openmp_version);
    for (int show = GHCOMP_SHOW_ALWAYS; show <= (verbose ? GHCOMP_SHOW_VERBOSE : GHCOMP_SHOW_ALWAYS); show++)
        for (const struct ghcomp_setting *row = ghcomp_setting_table; row < ghcomp_setting_table + GHCOMP_SETTINGS;
             row++) {
            if (row->shown == (enum ghcomp_setting_show)show) {
                print_line(out, row->name, row);
                print_devices(out, row);
            }
            if (show == GHCOMP_SHOW_VERBOSE && row->alias != NULL)
                print_line(out, row->alias, row);
        }
    fputs("OPENMP DISPLAY ENVIRONMENT END\n", out);
}

void ghcomp_env_display(bool verbose)
{
    display("OMP_DISPLAY_ENV", show_standard, verbose);
}

/* Prints the environment's texts, and the values in force, in libomp's form. */
static void show_kmp(FILE *out, bool verbose)
{
    (void)verbose;
    fputs("\nUser settings:\n\n", out);
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        if (strncmp(*entry, "OMP_", 4) == 0 || strncmp(*entry, "GOMP_", 5) == 0 || strncmp(*entry, "KMP_", 4) == 0 ||
            strncmp(*entry, "GHCOMP_", 7) == 0)
            fprintf(out, "   %s\n", ghcomp_shown(*entry).text);
    fputs("\nEffective settings:\n\n", out);
    for (const struct ghcomp_setting *row = ghcomp_setting_table; row < ghcomp_setting_table + GHCOMP_SETTINGS; row++) {
        fprintf(out, "   %s='", row->name);
        row->print(row, row->value, out);
        fputs("'\n", out);
    }
    fputc('\n', out);
}

void ghcomp_env_display_kmp(void)
{
    display("KMP_SETTINGS", show_kmp, true);
}

void ghcomp_env_display_version(void)
{
    static const char text[] = "ghc-openmp: version " GHCOMP_VERSION ", OpenMP 202111\n";
    ghcomp_put_text(text, sizeof text - 1);
}
