/* The timeline in the Chrome trace event format, in the same shape as `ghcomp trace` gives an eventlog: one process,
 * OpenMP, a track for each thread, spans that nest. */
#include "report.h"
#include "clock.h"
#include "settings.h"
#include "spans.h"
#include "threads.h"

#include <stdlib.h>

enum { OPENMP_SIDE = 2 };          /* app/Ghcomp/Trace/Chrome.hs: Haskell is 1 */
enum { FULL = 1 << 16 };

static int outer_first(const void *left, const void *right)
{
    const struct span *one = left, *other = right;
    if (one->begin != other->begin)
        return one->begin < other->begin ? -1 : 1;
    if (one->end != other->end)
        return one->end > other->end ? -1 : 1;
    return (int)one->kind - (int)other->kind;
}

static struct span *all_of(struct thread *thread, size_t *count)
{
    size_t blocks = 0;
    for (struct spans *spans = ghcomp_load_acquire(&thread->spans); spans != NULL; spans = spans->next)
        blocks++;
    struct span *all = profile_alloc((blocks + 1) * SPANS * sizeof *all);
    *count = 0;
    struct spans *spans = ghcomp_load_acquire(&thread->spans);
    for (; spans != NULL && blocks-- > 0; spans = spans->next) {
        uint64_t there = ghcomp_load_acquire(&spans->count);
        for (uint64_t i = 0; i < there; i++)
            all[(*count)++] = spans->span[i];
    }
    qsort(all, *count, sizeof *all, outer_first);
    return all;
}

static void microseconds(struct text *text, const char *name, uint64_t ns)
{
    text_add(text, "\"%s\": %llu.%03u, ", name, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void about(struct text *text, unsigned track, const char *what, const char *name, const char *value)
{
    text_add(text, ",\n{\"name\": \"%s\", \"ph\": \"M\", \"pid\": %d, \"tid\": %u, \"args\": {\"%s\": %s}}", what,
             OPENMP_SIDE, track, name, value);
}

static void one(struct text *text, const struct report *report, const struct span *span, uint64_t begin, uint64_t end,
                unsigned track)
{
    static const char *const names[SPAN_KINDS] = {"region", "part", "task", "barrier", "taskwait", "lock"};
    text_add(text, ",\n{\"name\": \"%s\", \"cat\": \"openmp\", \"ph\": \"X\", ", names[span->kind]);
    microseconds(text, "ts", begin);
    microseconds(text, "dur", end - begin);
    text_add(text, "\"pid\": %d, \"tid\": %u", OPENMP_SIDE, track);
    const struct row *row = span->site != SITE_NONE ? report->by_site[span->site] : NULL;
    if (row != NULL) {
        char where[512];
        where_shown(&row->where, where, sizeof where);
        text_add(text, ", \"args\": {\"where\": ");
        text_quoted(text, where);
        text_add(text, "}");
    }
    text_add(text, "}");
}

static bool track_write(struct text *text, int fd, const struct report *report, struct thread *thread, uint64_t from)
{
    size_t count;
    struct span *all = all_of(thread, &count);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        /* Both ends are rounded, not the length: so spans that meet still do. */
        uint64_t begin = all[i].begin > from ? profile_ns(all[i].begin - from) : 0;
        uint64_t end = all[i].end > from ? profile_ns(all[i].end - from) : 0;
        one(text, report, &all[i], begin, end > begin ? end : begin, thread->number + 1);
        good = text->length < FULL || text_write(text, fd);
    }
    free(all);
    return good;
}

bool trace_write(int fd, const struct report *report)
{
    struct text text = {NULL, 0, 0};
    uint64_t from = UINT64_MAX;
    bool good = true;
    for (struct thread *thread = profile_threads(); thread != NULL; thread = thread->next)
        for (struct spans *spans = ghcomp_load_acquire(&thread->spans); spans != NULL; spans = spans->next)
            for (uint64_t i = 0, count = ghcomp_load_acquire(&spans->count); i < count; i++)
                from = spans->span[i].begin < from ? spans->span[i].begin : from;
    text_add(&text, "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"program\": ");
    text_quoted(&text, report->program);
    text_add(&text, ", \"runtime\": ");
    text_quoted(&text, profile_settings.runtime);
    text_add(&text, "}, \"traceEvents\": [\n{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, \"tid\": 0, "
                    "\"args\": {\"name\": \"OpenMP\"}}", OPENMP_SIDE);
    for (struct thread *thread = profile_threads(); thread != NULL && good; thread = thread->next) {
        struct text name = {NULL, 0, 0}, order = {NULL, 0, 0};
        text_add(&name, "\"%s %u\"", thread->worker ? "worker" : "initial thread", thread->number);
        text_add(&order, "%u", thread->number + 1);
        about(&text, thread->number + 1, "thread_name", "name", name.bytes);
        about(&text, thread->number + 1, "thread_sort_index", "sort_index", order.bytes);
        text_free(&name);
        text_free(&order);
        good = track_write(&text, fd, report, thread, from);
    }
    text_add(&text, "\n]}\n");
    good = good && text_write(&text, fd);
    text_free(&text);
    return good;
}
