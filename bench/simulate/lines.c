/* Atomic operations: the functions of test/explore/shadow/base/atomic.h, and what they cost.
 *
 * Each cache line knows which CPUs have it. A CPU that does not have it fetches it, at the cost of a transfer; fetches
 * by several CPUs come one after the other, loads a quarter of a transfer apart. A store does not wait for the line
 * (the processor buffers it), a read-modify-write does. Values are those of memory, in the order in which operations
 * are executed: no store is late, and no order is weaker than another.
 *
 * A thread that polls reads lines, pauses, and reads them again. Where none of them has changed since its last pause
 * and it has changed none, all pauses until its next look at the clock are one operation, which a change of one of the
 * lines ends (cpu_end_pause). Plain accesses cost nothing. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "sim.h"

enum { BITS = 16, LINES = 1 << BITS, WORDS = (MOST_CPUS + 63) / 64, READS_APART = 4 };

struct line {
    uintptr_t number;
    uint64_t has[WORDS];   /* CPUs that have it */
    uint32_t owner;        /* the one that wrote it last */
    uint32_t version;
    uint64_t busy;         /* clock: until then it travels */
    struct fiber **watchers;
    uint32_t watching, room;
};
static struct line lines[LINES];

static struct line *line_of(const volatile void *word)
{
    uintptr_t number = (uintptr_t)word / GHCOMP_CACHE_LINE;
    size_t i = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS));
    for (size_t tries = 0; tries < LINES; tries++, i = (i + 1) % LINES) {
        if (lines[i].number == number)
            return &lines[i];
        if (lines[i].number == 0) {
            lines[i].number = number;
            lines[i].owner = MOST_CPUS;
            return &lines[i];
        }
    }
    fprintf(stderr, "simulate: too many cache lines; raise BITS in lines.c\n");
    exit(1);
}

static bool has(const struct line *line, uint32_t cpu)
{
    return line->has[cpu / 64] >> (cpu % 64) & 1;
}

static bool has_alone(const struct line *line, uint32_t cpu)
{
    for (uint32_t i = 0; i < WORDS; i++)
        if (line->has[i] != (i == cpu / 64 ? UINT64_C(1) << (cpu % 64) : 0))
            return false;
    return true;
}

static uint64_t transfer(const struct line *line, uint32_t cpu)
{
    bool far = line->owner < MOST_CPUS && line->owner / NEAR != cpu / NEAR;
    return line->owner == MOST_CPUS ? costs.hit : far ? costs.transfer * costs.far_factor : costs.transfer;
}

/* How long a fetch takes, the wait for others included; `apart`: a part of it keeps the line from the next one. */
static uint64_t fetch(struct line *line, uint32_t cpu, uint64_t apart)
{
    uint64_t begins = line->busy > now ? line->busy : now, takes = transfer(line, cpu);
    line->busy = begins + takes / apart;
    return begins + takes - now;
}

static void note_read(struct line *line)
{
    for (unsigned i = 0; i < me->reads; i++)
        if (me->read[i].line == line)
            return;
    if (me->reads == LINES_READ)
        me->changed = true; /* it reads too many to be at a poll */
    else
        me->read[me->reads++] = (__typeof__(me->read[0])){line, line->version};
}

/* This CPU alone has the line, whose content has changed. */
static void own(struct line *line)
{
    memset(line->has, 0, sizeof line->has);
    line->has[me->cpu / 64] = UINT64_C(1) << (me->cpu % 64);
    line->owner = me->cpu;
    line->version++;
    me->changed = true;
    for (uint32_t i = 0; i < line->watching; i++)
        cpu_end_pause(line->watchers[i]);
}

static uint64_t read_word(const volatile void *word, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)word, size);
    return value;
}

uint64_t explore_load(const volatile void *word, unsigned size, enum explore_order order, const char *file, int at)
{
    (void)order, (void)file, (void)at;
    if (me == NULL)
        return read_word(word, size);
    struct line *line = line_of(word);
    cpu_use(has(line, me->cpu) ? costs.hit : fetch(line, me->cpu, READS_APART));
    line->has[me->cpu / 64] |= UINT64_C(1) << (me->cpu % 64);
    note_read(line);
    return read_word(word, size);
}

void explore_store(volatile void *word, unsigned size, uint64_t value, enum explore_order order, const char *file,
                   int at)
{
    (void)order, (void)file, (void)at;
    memcpy((void *)word, &value, size);
    if (me == NULL)
        return;
    struct line *line = line_of(word);
    if (!has_alone(line, me->cpu))
        fetch(line, me->cpu, 1);
    own(line);
    cpu_use(costs.hit);
}

/* Before a read-modify-write: the CPU gets the line. */
static struct line *get(const volatile void *word)
{
    struct line *line = line_of(word);
    cpu_use(costs.change + (has_alone(line, me->cpu) ? 0 : fetch(line, me->cpu, 1)));
    return line;
}

static uint64_t truncated(uint64_t value, unsigned size)
{
    return size == 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

uint64_t explore_change(volatile void *word, unsigned size, enum explore_change change, uint64_t value,
                        enum explore_order order, const char *file, int at)
{
    (void)order, (void)file, (void)at;
    struct line *line = me != NULL ? get(word) : NULL;
    uint64_t before = read_word(word, size);
    uint64_t after[] = {[EXPLORE_XCHG] = value, [EXPLORE_ADD] = before + value, [EXPLORE_SUB] = before - value,
                        [EXPLORE_OR] = before | value, [EXPLORE_AND] = before & value};
    uint64_t result = truncated(after[change], size);
    memcpy((void *)word, &result, size);
    if (line != NULL)
        own(line);
    return before;
}

bool explore_cas(volatile void *word, unsigned size, uint64_t *expected, uint64_t value, enum explore_order order,
                 const char *file, int at)
{
    (void)order, (void)file, (void)at;
    struct line *line = me != NULL ? get(word) : NULL;
    uint64_t before = read_word(word, size);
    bool same = before == *expected;
    if (same)
        memcpy((void *)word, &value, size);
    if (line != NULL && same)
        own(line);
    else if (line != NULL)
        note_read(line);
    *expected = before;
    return same;
}

/* --- polling ------------------------------------------------------------------------------------------------------ */

void explore_pause(void)
{
    explore_pauses(1);
}

static void watch(struct line *line)
{
    if (line->watching == line->room) {
        line->room = line->room ? 2 * line->room : 4;
        line->watchers = realloc(line->watchers, line->room * sizeof *line->watchers);
        if (line->watchers == NULL)
            abort();
    }
    line->watchers[line->watching++] = me;
}

static void watch_no_more(struct line *line)
{
    uint32_t i = 0;
    while (line->watchers[i] != me)
        i++;
    line->watchers[i] = line->watchers[--line->watching];
}

/* Whether the thread has only looked at lines, and they are as it found them. */
static bool nothing_new(void)
{
    if (me->changed || me->reads == 0)
        return false;
    for (unsigned i = 0; i < me->reads; i++)
        if (me->read[i].line->version != me->read[i].version)
            return false;
    return true;
}

uint32_t explore_pauses(uint32_t most)
{
    if (me == NULL)
        return 1;
    uint64_t used = 0;
    if (!nothing_new()) {
        cpu_use(costs.pause);
    } else {
        for (unsigned i = 0; i < me->reads; i++)
            watch(me->read[i].line);
        used = cpu_pause(most * costs.pause) / costs.pause;
        for (unsigned i = 0; i < me->reads; i++)
            watch_no_more(me->read[i].line);
    }
    me->reads = 0;
    me->changed = false;
    return used < 1 ? 1 : used < most ? (uint32_t)used : most;
}

uint64_t explore_ticks(void)
{
    if (me != NULL)
        cpu_use(costs.clock / 2);
    return now * 3;
}
