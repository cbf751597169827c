/* The spans of --trace. */
#pragma once

#include "threads.h"

enum span_kind { SPAN_REGION, SPAN_PART, SPAN_TASK, SPAN_BARRIER, SPAN_TASKWAIT, SPAN_LOCK, SPAN_KINDS };

struct span {
    uint64_t begin, end;
    uint32_t kind;                 /* enum span_kind */
    uint32_t site;                 /* or SITE_NONE */
};

enum { SPANS = 2048, SPANS_MOST = 1 << 20 };

struct spans {
    struct spans *next;
    counter count;                  /* store_release after the span, load_acquire */
    struct span span[SPANS];
};

extern bool profile_tracing GHCOMP_OWN; /* immutable after the start */
void profile_span_keep(struct thread *thread, enum span_kind kind, uint32_t site, uint64_t begin, uint64_t end);
void profile_spans_child(void);

static inline void profile_span(struct thread *thread, enum span_kind kind, uint32_t site, uint64_t begin, uint64_t end)
{
    if (ghcomp_unlikely(profile_tracing))
        profile_span_keep(thread, kind, site, begin, end);
}
