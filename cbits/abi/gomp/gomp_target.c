/* GOMP_target*, GOMP_teams, GOMP_teams4, GOMP_offload_*: device constructs as GCC emits them. The host is the only
 * device for them. So a target region runs on the encountering thread (core/team/target.c), mapped data is the original
 * data, and the data constructs only check devices and handle dependences. Tests: test/conformance/target.
 *
 * The arrays hostaddrs, sizes and kinds have an element for each data item. A kind's low byte is the item's kind of
 * mapping; its high byte is the logarithm of the item's alignment. Of all kinds only firstprivate has an effect: the
 * region gets a copy, whose address replaces the original's in hostaddrs (an array that the compiled code fills in anew
 * at each encounter).
 *
 * `unused` and a missing `depend` are NULL. Kinds of one byte come from GCC 4.9, which had no firstprivate. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/observed/target.h"
#include "base/check.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/team/league.h"
#include "core/team/target.h"

/* The device argument: the program's device number, or one of these. */
enum { DEVICE_OPEN = -1, DEVICE_HOST_FALLBACK = -2 };

enum { FLAG_NOWAIT = 1, FLAG_EXIT_DATA = 2 };

enum { MAP_FIRSTPRIVATE = 0x0c, MAP_ATTACH = 0x50 };

/* Elements of `args`: value << 16 | what it is | whether the value is in the next element instead | for which
   device. */
enum {
    ARG_DEVICE = 0x7f,
    ARG_VALUE_FOLLOWS = 0x80,
    ARG_WHAT = 0xff00,
    ARG_NUM_TEAMS = 0x0100,
    ARG_THREAD_LIMIT = 0x0200,
    ARG_VALUE_SHIFT = 16
};

static void check_device(int device)
{
    if (device != DEVICE_HOST_FALLBACK)
        ghcomp_target_check(device, device != DEVICE_OPEN);
}

/* --- target regions ----------------------------------------------------------------------------------------------- */

/* The value of the thread_limit or num_teams clause; 0: there is none, or only the device could compute it. */
static uint32_t argument(void **args, intptr_t what)
{
    while (args != NULL && *args != NULL) {
        intptr_t word = (intptr_t)*args++;
        intptr_t value = word & ARG_VALUE_FOLLOWS ? (intptr_t)*args++ : word >> ARG_VALUE_SHIFT;
        if ((word & ARG_DEVICE) == 0 && (word & ARG_WHAT) == what)
            return value <= 0 ? 0 : value > INT_MAX ? INT_MAX : (uint32_t)value;
    }
    return 0;
}

static bool is_kind(const struct items *items, size_t i, unsigned kind)
{
    return i < items->count && (items->kinds[i] & 0xff) == kind;
}

static size_t align_up(size_t offset, const struct items *items, size_t i)
{
    size_t align = (size_t)1 << (items->kinds[i] >> 8);
    return (offset + align - 1) & ~(align - 1);
}

/* The number of bytes that the copies of the firstprivate items need at most, wherever they begin. */
static size_t copies_size(const struct items *items)
{
    size_t bytes = 0, largest = 1;
    for (size_t i = 0; i < items->count; i++)
        if (is_kind(items, i, MAP_FIRSTPRIVATE)) {
            bytes = align_up(bytes, items, i) + items->sizes[i];
            size_t align = (size_t)1 << (items->kinds[i] >> 8);
            largest = align > largest ? align : largest;
        }
    return bytes == 0 ? 0 : bytes + largest - 1;
}

static void copy_firstprivate(const struct items *items, char *room)
{
    size_t at = (size_t)room;
    for (size_t i = 0; i < items->count; i++) {
        if (!is_kind(items, i, MAP_FIRSTPRIVATE) || items->hostaddrs[i] == NULL)
            continue;
        at = align_up(at, items, i);
        memcpy((void *)at, items->hostaddrs[i], items->sizes[i]);
        items->hostaddrs[i] = (void *)at;
        at += items->sizes[i];
        /* If an attach item follows, this item is the data of a Fortran descriptor that was copied before: the attach
           item says which word of the descriptor must point to the copy. */
        if (is_kind(items, i + 1, MAP_ATTACH))
            (*(void ***)items->hostaddrs[i + 1])[items->sizes[i + 1]] = items->hostaddrs[i];
    }
}

/* The same, with reports to a tool; the construct's begin has been reported. */
static __attribute__((noinline, cold)) void run_observed(struct ghcomp_tool_target *target, void (*fn)(void *),
                                                         void *data, uint32_t limit, uint32_t teams)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_tool_submit_begin(self, target, teams);
    ghcomp_target_run(fn, data, limit);
    ghcomp_tool_submit_end(self, target, teams);
    ghcomp_tool_target_end(self, target);
}

void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                 unsigned char *kinds)
{
    GHCOMP_TOOL_SITE();
    (void)unused, (void)mapnum, (void)sizes, (void)kinds;
    check_device(device);
    if (ghcomp_tool_on()) {
        struct ghcomp_tool_target event;
        report_begin(&event, ompt_target, NULL);
        run_observed(&event, fn, hostaddrs, 0, 0);
    } else {
        ghcomp_target_run(fn, hostaddrs, 0);
    }
}

/* The data of a target task. */
struct deferred {
    void (*fn)(void *);
    uint32_t thread_limit, teams;
    const void *return_address; /* for a tool, with the items; NULL: there is none */
    struct items items;
    void *hostaddrs[];          /* followed by the copies of the firstprivate items, and a tool's copy of the arrays */
};

static __attribute__((noinline, cold)) void run_deferred_observed(struct deferred *deferred)
{
    struct ghcomp_tool_target event;
    ghcomp_tool_note(deferred->return_address, NULL, 0);
    report_begin(&event, ompt_target_nowait, &deferred->items);
    run_observed(&event, deferred->fn, deferred->hostaddrs, deferred->thread_limit, deferred->teams);
}

static void run_deferred(void *data)
{
    struct deferred *deferred = data;
    ghcomp_task_later_begins();
    if (ghcomp_tool_on() && deferred->return_address != NULL)
        run_deferred_observed(deferred);
    else
        ghcomp_target_run(deferred->fn, deferred->hostaddrs, deferred->thread_limit);
}

/* Reports the task's creation, and copies the data that events need when the task runs. */
static __attribute__((noinline, cold)) void defer_observed(struct ghcomp_member *self, struct ghcomp_task *task,
                                                           const struct items *items, char *room, void **depend)
{
    struct deferred *deferred = task->data;
    deferred->return_address = ghcomp_tool_thread_site(self);
    deferred->items = keep_items(items, room);
    if (depend != NULL)
        task->traits |= GHCOMP_TASK_DEPENDENT;
    ghcomp_task_report_create(self, task, ompt_task_target);
    if (depend != NULL)
        ghcomp_depend_report(task, depend);
}

/* nowait: makes the region a task, and copies the data that may not exist any more when it runs. */
static void defer(void (*fn)(void *), const struct items *items, void **depend, void **args)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_task_refused(self))
        return;
    bool tells = ghcomp_tool_on();
    size_t kept = tells ? kept_size(items) : 0;
    size_t bytes = sizeof(struct deferred) + items->count * sizeof(void *) + kept + copies_size(items);
    struct ghcomp_task *task = ghcomp_task_new(self, run_deferred, bytes, _Alignof(struct deferred), 0);
    struct deferred *deferred = task->data;
    deferred->fn = fn;
    deferred->thread_limit = argument(args, ARG_THREAD_LIMIT);
    deferred->teams = argument(args, ARG_NUM_TEAMS);
    deferred->return_address = NULL;
    if (tells)
        defer_observed(self, task, items, (char *)(deferred->hostaddrs + items->count), depend);
    copy_firstprivate(items, (char *)(deferred->hostaddrs + items->count) + kept);
    if (items->count > 0)
        memcpy(deferred->hostaddrs, items->hostaddrs, items->count * sizeof(void *));
    if (depend != NULL) {
        task->traits |= GHCOMP_TASK_IN_ORDER;
        ghcomp_task_depend(self, task, depend);
    }
    ghcomp_task_submit_later(self, task);
}

void GOMP_target_ext(int device, void (*fn)(void *), size_t mapnum, void **hostaddrs, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **args)
{
    GHCOMP_TOOL_SITE();
    check_device(device);
    const struct items items = {mapnum, hostaddrs, sizes, kinds};
    if (flags & FLAG_NOWAIT) {
        defer(fn, &items, depend, args);
        return;
    }
    struct ghcomp_tool_target event;
    bool tells = ghcomp_tool_on();
    if (tells)
        report_begin(&event, ompt_target, &items);
    size_t bytes = copies_size(&items);
    char small[1024], *large = bytes > sizeof small ? ghcomp_alloc(bytes) : NULL;
    if (bytes > 0)
        copy_firstprivate(&items, large != NULL ? large : small);
    if (depend != NULL)
        ghcomp_task_wait_depend(ghcomp_self(), depend);
    if (tells)
        run_observed(&event, fn, hostaddrs, argument(args, ARG_THREAD_LIMIT), argument(args, ARG_NUM_TEAMS));
    else
        ghcomp_target_run(fn, hostaddrs, argument(args, ARG_THREAD_LIMIT));
    free(large);
}

/* --- data constructs ---------------------------------------------------------------------------------------------- */

/* A construct that moves data, reported to a tool. Only its dependences have an effect. */
static __attribute__((noinline, cold)) void move_observed(ompt_target_t kind, const struct items *items, unsigned flags,
                                                          void **depend)
{
    struct ghcomp_tool_target event;
    report_begin(&event, flags & FLAG_NOWAIT ? nowait_form(kind) : kind, items);
    ghcomp_target_depend(flags & FLAG_NOWAIT, depend);
    ghcomp_tool_target_end(ghcomp_self(), &event);
}

static inline void move(ompt_target_t kind, const struct items *items, unsigned flags, void **depend)
{
    if (ghcomp_tool_on())
        move_observed(kind, items, flags, depend);
    else
        ghcomp_target_depend(flags & FLAG_NOWAIT, depend);
}

void GOMP_target_data(int device, const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                      unsigned char *kinds)
{
    GHCOMP_TOOL_SITE();
    (void)unused, (void)mapnum, (void)hostaddrs, (void)sizes, (void)kinds;
    check_device(device);
    move(ompt_target_enter_data, NULL, 0, NULL);
}

void GOMP_target_data_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds)
{
    GHCOMP_TOOL_SITE();
    const struct items items = {mapnum, hostaddrs, sizes, kinds};
    check_device(device);
    move(ompt_target_enter_data, &items, 0, NULL);
}

/* Only reported: the construct's beginning has mapped nothing, so there is nothing to copy back. */
void GOMP_target_end_data(void)
{
    GHCOMP_TOOL_SITE();
    move(ompt_target_exit_data, NULL, 0, NULL);
}

void GOMP_target_update(int device, const void *unused, size_t mapnum, void **hostaddrs, size_t *sizes,
                        unsigned char *kinds)
{
    GHCOMP_TOOL_SITE();
    (void)unused, (void)mapnum, (void)hostaddrs, (void)sizes, (void)kinds;
    check_device(device);
    move(ompt_target_update, NULL, 0, NULL);
}

void GOMP_target_update_ext(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds,
                            unsigned flags, void **depend)
{
    GHCOMP_TOOL_SITE();
    (void)mapnum, (void)hostaddrs, (void)sizes, (void)kinds;
    check_device(device);
    move(ompt_target_update, NULL, flags, depend);
}

void GOMP_target_enter_exit_data(int device, size_t mapnum, void **hostaddrs, size_t *sizes, unsigned short *kinds,
                                 unsigned flags, void **depend)
{
    GHCOMP_TOOL_SITE();
    const struct items items = {mapnum, hostaddrs, sizes, kinds};
    check_device(device);
    move(flags & FLAG_EXIT_DATA ? ompt_target_exit_data : ompt_target_enter_data, &items, flags, depend);
}

/* --- teams in a target region ------------------------------------------------------------------------------------- */

/* From GCC before 12: one team, whose code follows the call. */
void GOMP_teams(unsigned num_teams, unsigned limit)
{
    GHCOMP_TOOL_SITE();
    (void)num_teams; /* an upper limit */
    ghcomp_league_next(1, limit, true);
}

bool GOMP_teams4(unsigned num_teams_low, unsigned num_teams_high, unsigned limit, bool first)
{
    GHCOMP_TOOL_SITE();
    (void)num_teams_high;
    return ghcomp_league_next(num_teams_low, limit, first);
}

/* --- images for devices ------------------------------------------------------------------------------------------- */

/* A program with code for devices registers it when it is loaded. Here no device ever uses that code. It is checked
   nevertheless, because otherwise such an error would appear only with another runtime. */

enum { VERSION = 4 }; /* of the interface between compiler and runtime: GCC 16's */

static void check_version(unsigned version)
{
    unsigned library = version >> 16 & 0xffff;
    if (library > VERSION)
        ghcomp_fatal_compat("Library too old for offload (version %u < %u)", VERSION, library);
}

void GOMP_offload_register_ver(unsigned version, const void *host_table, int target_type, const void *target_data)
{
    (void)host_table, (void)target_type;
    check_version(version);
    if ((version >> 16 & 0xffff) < 2)
        return;
    ghcomp_target_require((uint32_t)*(const uintptr_t *)target_data);
}

void GOMP_offload_register(const void *host_table, int target_type, const void *target_data)
{
    GOMP_offload_register_ver(0, host_table, target_type, target_data);
}

void GOMP_offload_unregister_ver(unsigned version, const void *host_table, int target_type, const void *target_data)
{
    (void)host_table, (void)target_type, (void)target_data;
    check_version(version);
}

void GOMP_offload_unregister(const void *host_table, int target_type, const void *target_data)
{
    GOMP_offload_unregister_ver(0, host_table, target_type, target_data);
}

/* The device is the host, so a function's host address is valid there as it is. */
void *GOMP_target_map_indirect_ptr(void *ptr)
{
    return ptr;
}

GHCOMP_ABI_OBJECT(gomp_target);
