/* Writes the profile as JSON. docs/reference/profile.md describes the fields; a change that breaks readers raises
   `version`. */
#include "report.h"
#include "settings.h"

#include <unistd.h>

static void string(struct text *text, const char *name, const char *value)
{
    text_add(text, "\"%s\": ", name);
    if (value != NULL)
        text_quoted(text, value);
    else
        text_add(text, "null");
    text_add(text, ", ");
}

static void whole(struct text *text, const char *name, uint64_t value)
{
    text_add(text, "\"%s\": %llu, ", name, (unsigned long long)value);
}

static void end(struct text *text, const char *with)
{
    text->length -= 2; /* the last comma */
    text_add(text, "%s", with);
}

static void place(struct text *text, const struct row *row)
{
    string(text, "file", row->where.file);
    if (row->where.file != NULL)
        whole(text, "line", row->where.line);
    else
        text_add(text, "\"line\": null, ");
    string(text, "function", row->where.function);
    string(text, "object", row->where.object);
    whole(text, "offset", row->where.offset);
}

static void region(struct text *text, const struct row *row)
{
    string(text, "construct", report_detail(&row->site));
    whole(text, "times", row->n[TIMES]);
    whole(text, "measured", row->measured);
    whole(text, "time_ns", row->n[TIME]);
    whole(text, "longest_ns", row->n[LONGEST]);
    whole(text, "largest_team", row->n[LARGEST]);
    whole(text, "members", row->n[MEMBERS]);
    whole(text, "busy_ns", row->n[BUSY]);
    whole(text, "barrier_ns", row->n[BARRIER_WAIT]);
    whole(text, "taskwait_ns", row->n[TASK_WAIT]);
    whole(text, "lock_ns", row->n[LOCK_WAIT]);
    whole(text, "end_ns", row->n[END_WAIT]);
    char imbalance[32];
    text_decimal(imbalance, sizeof imbalance, row->imbalance, 4);
    text_add(text, "\"imbalance\": %s, ", imbalance);
}

static void loop(struct text *text, const struct row *row)
{
    string(text, "schedule", report_detail(&row->site));
    whole(text, "times", row->n[TIMES]);
    whole(text, "time_ns", row->n[TIME]);
    whole(text, "longest_ns", row->n[LONGEST]);
    whole(text, "chunks", row->n[CHUNKS]);
    whole(text, "iterations", row->n[ITERATIONS]);
}

static void task(struct text *text, const struct row *row)
{
    whole(text, "created", row->n[CREATED]);
    whole(text, "completed", row->n[TIMES]);
    whole(text, "cancelled", row->n[CANCELLED]);
    whole(text, "measured", row->measured);
    whole(text, "time_ns", row->n[TIME]);
    whole(text, "mean_ns", row->n[TIMES] != 0 ? row->n[TIME] / row->n[TIMES] : 0);
    whole(text, "median_ns", row->median);
    whole(text, "longest_ns", row->n[LONGEST]);
}

static void lock(struct text *text, const struct row *row)
{
    string(text, "kind", report_detail(&row->site));
    whole(text, "times", row->n[TIMES]);
    whole(text, "waited", row->waited);
    whole(text, "wait_ns", row->n[TIME]);
    whole(text, "median_ns", row->median);
    whole(text, "longest_ns", row->n[LONGEST]);
}

static void thread(struct text *text, const struct thread_row *row)
{
    whole(text, "number", row->number);
    string(text, "kind", row->worker ? "worker" : "initial");
    whole(text, "starts", row->starts);
    whole(text, "life_ns", row->life);
    whole(text, "serial_ns", row->serial);
    whole(text, "busy_ns", row->busy);
    whole(text, "barrier_ns", row->barrier);
    whole(text, "taskwait_ns", row->taskwait);
    whole(text, "lock_ns", row->lock);
    whole(text, "idle_ns", row->idle);
}

void json_make(struct text *text, const struct report *report)
{
    static const struct {
        const char *name;
        void (*write)(struct text *, const struct row *);
    } kinds[SITE_KINDS] = {[SITE_REGION] = {"regions", region}, [SITE_LOOP] = {"loops", loop},
                           [SITE_TASK] = {"tasks", task}, [SITE_LOCK] = {"locks", lock}};
    text_add(text, "{\"format\": \"ghcomp profile\", \"version\": 1, ");
    string(text, "program", report->program);
    whole(text, "process", (uint64_t)getpid());
    string(text, "runtime", profile_settings.runtime);
    whole(text, "wall_ns", report->wall);
    whole(text, "in_regions_ns", report->in_regions);
    whole(text, "spans_dropped", report->dropped);
    end(text, ",\n\"threads\": [");
    for (uint32_t i = 0; i < report->thread_count; i++) {
        text_add(text, i == 0 ? "\n  {" : ",\n  {");
        thread(text, &report->threads[i]);
        end(text, "}");
    }
    for (int kind = 0; kind < SITE_KINDS; kind++) {
        text_add(text, "],\n\"%s\": [", kinds[kind].name);
        for (uint32_t i = 0; i < report->count[kind]; i++) {
            text_add(text, i == 0 ? "\n  {" : ",\n  {");
            kinds[kind].write(text, &report->rows[kind][i]);
            place(text, &report->rows[kind][i]);
            end(text, "}");
        }
    }
    text_add(text, "]}\n");
}
