/* The spans of --trace: each thread's in blocks of its own, at most SPANS_MOST of all; further ones are counted and
 * dropped. */
#include "spans.h"
#include "settings.h"

bool profile_tracing;

static _Atomic uint32_t blocks;    /* add_relaxed */

void profile_span_keep(struct thread *thread, enum span_kind kind, uint32_t site, uint64_t begin, uint64_t end)
{
    struct spans *spans = ghcomp_load_relaxed(&thread->spans);
    if (spans == NULL || ghcomp_load_relaxed(&spans->count) == SPANS) {
        const uint32_t most = SPANS_MOST / SPANS;
        if (ghcomp_load_relaxed(&blocks) >= most || ghcomp_add_relaxed(&blocks, 1) >= most) {
            profile_add(&thread->dropped, 1);
            return;
        }
        struct spans *fresh = profile_alloc(sizeof *fresh);
        fresh->next = spans;
        ghcomp_store_release(&thread->spans, fresh);
        spans = fresh;
    }
    uint64_t count = ghcomp_load_relaxed(&spans->count);
    spans->span[count] = (struct span){begin, end, kind, site};
    ghcomp_store_release(&spans->count, count + 1);
}

void profile_spans_child(void)
{
    for (struct thread *thread = profile_threads(); thread != NULL; thread = thread->next) {
        ghcomp_store_relaxed(&thread->dropped, 0);
        for (struct spans *spans = ghcomp_load_acquire(&thread->spans); spans != NULL; spans = spans->next)
            ghcomp_store_relaxed(&spans->count, 0);
    }
}
