/* Target constructs of gcc's code, reported to a tool (core/tool/tool.h): for gomp_target.c. Covered by
 * test/ompt/target.c. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/tool/tool.h"

/* The data items of a construct, as gomp_target.c describes them. */
struct items {
    size_t count;
    void **hostaddrs;
    size_t *sizes;
    unsigned short *kinds;
};

static inline ompt_target_t nowait_form(ompt_target_t kind)
{
    return (ompt_target_t)(kind + (ompt_target_nowait - ompt_target));
}

/* OpenMP's flags of an item's kind; 0: the item is not the program's (a pointer into another one), or is not mapped. */
static inline unsigned map_flags_of(unsigned kind)
{
    enum { TO = 1, FROM = 2, DELETE = 0x07, ALWAYS = 0x10, RELEASE = 0x17, IMPLICIT = 0x60, FORCE = 0x80 };
    bool implicit = (kind & IMPLICIT) == IMPLICIT;
    kind &= 0xff & ~(implicit ? (unsigned)IMPLICIT : 0);
    if (kind == DELETE || kind == RELEASE)
        return kind == DELETE ? ompt_target_map_flag_delete : ompt_target_map_flag_release;
    kind &= ~(unsigned)FORCE;
    if ((kind & ~(unsigned)(TO | FROM | ALWAYS)) != 0 || kind == ALWAYS)
        return 0;
    return (kind & TO ? ompt_target_map_flag_to : 0) | (kind & FROM ? ompt_target_map_flag_from : 0) |
           (kind & (TO | FROM) ? 0 : ompt_target_map_flag_alloc) | (kind & ALWAYS ? ompt_target_map_flag_always : 0) |
           (implicit ? ompt_target_map_flag_implicit : 0);
}

static __attribute__((noinline, cold)) void report_items(struct ghcomp_tool_target *target,
                                                         const struct items *items)
{
    size_t each = sizeof(void *) + sizeof(size_t) + sizeof(unsigned);
    char *room = ghcomp_alloc((items->count + 1) * each);
    struct ghcomp_tool_items reported = {.address = (void **)room};
    reported.bytes = (size_t *)(reported.address + items->count);
    reported.flags = (unsigned *)(reported.bytes + items->count);
    for (size_t i = 0; i < items->count; i++) {
        unsigned flags = map_flags_of(items->kinds[i]);
        if (flags == 0)
            continue;
        reported.address[reported.count] = items->hostaddrs[i];
        reported.bytes[reported.count] = items->sizes[i];
        reported.flags[reported.count++] = flags;
    }
    if (reported.count > 0)
        ghcomp_tool_target_map(target, &reported);
    free(room);
}

/* Reports the construct's begin. In a target task the construct belongs to the task's parent. `items`: what it maps, or
   NULL. */
static __attribute__((noinline, cold)) void report_begin(struct ghcomp_tool_target *target, ompt_target_t kind,
                                                         const struct items *items)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = kind == ompt_target_nowait ? ghcomp_load_relaxed(&self->task->parent) : self->task;
    ghcomp_tool_target_begin(self, target, kind, task);
    if (items != NULL)
        report_items(target, items);
}

/* The number of bytes for a copy of the arrays of a deferred construct, and the copy itself. */
static inline size_t kept_size(const struct items *items)
{
    size_t bytes = items->count * (sizeof(void *) + sizeof(size_t) + sizeof(unsigned short));
    return (bytes + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
}

static inline struct items keep_items(const struct items *items, char *room)
{
    struct items kept = {.count = items->count, .hostaddrs = (void **)room};
    kept.sizes = (size_t *)(kept.hostaddrs + items->count);
    kept.kinds = (unsigned short *)(kept.sizes + items->count);
    if (items->count > 0) {
        memcpy(kept.hostaddrs, items->hostaddrs, items->count * sizeof *kept.hostaddrs);
        memcpy(kept.sizes, items->sizes, items->count * sizeof *kept.sizes);
        memcpy(kept.kinds, items->kinds, items->count * sizeof *kept.kinds);
    }
    return kept;
}
