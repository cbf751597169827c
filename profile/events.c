/* The runtime's events of threads, regions, loops, tasks, barriers and locks, each on the thread whose event it is.
 *
 * A thread's time is charged to its activity until the event (charge). When a thread leaves a task for another one, the
 * task's time and activity (it waits in a barrier, say) are saved in the word that the runtime keeps for the tool with
 * each task, and restored from there; so a task needs no memory of the profiler's. A region inside of a region saves
 * them on its thread's stack of frames. */
#include "events.h"
#include "clock.h"
#include "sample.h"
#include "settings.h"
#include "spans.h"
#include "threads.h"

/* How often that time counts as the thread's: as often as its region, which stands for others that are filtered. */
static __attribute__((noinline)) uint64_t weight_of(struct thread *thread, struct frame *at, uint64_t ticks)
{
    if (at->weight == WEIGHT_UNKNOWN) {
        const struct region *region = thread->parallel != NULL ? thread->parallel->ptr : NULL;
        at->weight = region != NULL ? region->weight : 0;
    }
    return at->weight > 1 && profile_is_large(SITE_REGION, ticks) ? 1 : at->weight;
}

static void charge(struct thread *thread, uint64_t now)
{
    uint64_t ticks = now > thread->last ? now - thread->last : 0;
    thread->last = now;
    struct frame *at = thread->at;
    if (at->activity == CODE)
        at->own += ticks;
    if (at->activity < CHARGED) {
        profile_add(&at->slot->spent[at->activity], ticks);
        profile_add(&thread->spent[at->activity],
                    ghcomp_likely(at->weight == 1) ? ticks : ticks * weight_of(thread, at, ticks));
        thread->dirty = true;
    }
}

/* --- a task's word ------------------------------------------------------------------------------------------------ */

/* 12 bits: the site of an explicit task, else SITE_NONE; 4 bits: its exponent (sample.c); 3 bits: its thread's activity
   in it; 45 bits: ticks. The first two identify the task. */
enum { WORD_EXPONENT = 12, WORD_ACTIVITY = 16, WORD_TICKS = 19 };
_Static_assert(SITES == 1 << WORD_EXPONENT && SAMPLE_EXPONENTS == 1 << (WORD_ACTIVITY - WORD_EXPONENT) &&
               OUTSIDE < 1 << (WORD_TICKS - WORD_ACTIVITY), "a task's word holds its site, exponent and activity");

static uint64_t word(uint64_t what, enum activity activity, uint64_t ticks)
{
    const uint64_t most = UINT64_MAX >> WORD_TICKS;
    return (ticks < most ? ticks : most) << WORD_TICKS | (uint64_t)activity << WORD_ACTIVITY | what;
}

static uint64_t word_what(const ompt_data_t *task)
{
    return task->value & ((1 << WORD_ACTIVITY) - 1);
}

static uint32_t word_site(const ompt_data_t *task)
{
    return (uint32_t)(task->value & (SITES - 1));
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static void thread_begin(ompt_thread_t kind, ompt_data_t *data)
{
    profile_thread_begin(kind);
    data->ptr = profile_thread();
}

static void thread_end(ompt_data_t *data)
{
    data->ptr = NULL;
    charge(profile_thread(), profile_now());
    profile_thread_end();
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                           int flags, const void *address)
{
    (void)task, (void)frame;
    struct thread *thread = profile_thread();
    uint64_t now = profile_now();
    charge(thread, now);
    thread->at->activity = OUTSIDE;
    struct region *region = profile_region_take(thread, requested);
    const struct known *known = profile_site(thread, SITE_REGION, address, (flags & ompt_parallel_league) != 0);
    if (region->site != known->site)
        region->site = known->site;
    uint32_t exponent = thread->region_exponent, weight = thread->depth == 0 ? 1u << exponent : thread->at->weight;
    if (region->weight != weight)
        region->weight = weight;
    thread->region_exponent = 0;
    region->exponent = exponent;
    region->stat = known->stat;
    region->begin = now;
    parallel->ptr = region;
}

/* Adds the times of the region's members, and the rest as their wait at its end. */
static void sum_up(struct region *region, struct counts *stat, uint64_t now, uint64_t weight)
{
    uint32_t size = ghcomp_load_relaxed(&region->size);
    uint64_t busiest = 0;
    profile_raise(&stat->n[LARGEST], size);
    size = size < region->slots ? size : region->slots;
    profile_add(&stat->n[MEMBERS], size * weight);
    for (uint32_t i = 0; i < size; i++) {
        const struct slot *slot = &region->slot[i];
        uint64_t begin = ghcomp_load_relaxed(&slot->begin), end = ghcomp_load_relaxed(&slot->end);
        end = end != 0 && end < now ? end : now;
        uint64_t rest = end > begin ? end - begin : 0;
        static const enum column columns[CHARGED] = {[CODE] = BUSY, [IN_BARRIER] = BARRIER_WAIT,
                                                     [IN_TASKWAIT] = TASK_WAIT, [IN_LOCK] = LOCK_WAIT};
        _Pragma("GCC unroll 4")
        for (int activity = 0; activity < CHARGED; activity++) {
            uint64_t spent = ghcomp_load_relaxed(&slot->spent[activity]);
            if (spent == 0)
                continue;
            spent = spent < rest ? spent : rest; /* the processors' counters are not the same to the tick */
            rest -= spent;
            profile_add(&stat->n[columns[activity]], spent * weight);
            if (activity == CODE && spent > busiest)
                busiest = spent;
        }
        profile_add(&stat->n[END_WAIT], rest * weight);
    }
    profile_add(&stat->n[BUSIEST], busiest * size * weight);
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *address)
{
    (void)task, (void)flags, (void)address;
    struct thread *thread = profile_thread();
    struct region *region = parallel->ptr;
    if (region == NULL)
        return;
    parallel->ptr = NULL;
    /* If the thread was a member, the time of the end of the region's last barrier, which has been read already. */
    uint64_t now = thread->at->activity == OUTSIDE && thread->last > region->begin ? thread->last : profile_now();
    uint64_t ticks = now > region->begin ? now - region->begin : 0;
    struct counts *stat = region->stat;
    uint64_t weight = profile_measured(stat, region->site, SITE_REGION, ticks, region->exponent);
    if (region->generation == profile_generation)
        sum_up(region, stat, now, weight);
    profile_span(thread, SPAN_REGION, region->site, region->begin, now);
    profile_region_give(thread, region);
    thread->last = now;
    thread->at->activity = CODE;
    thread->at->own += ticks; /* the region counts as time of the code around it */
    profile_add(&thread->at->slot->spent[CODE], ticks);
    thread->dirty = true;
    if (thread->depth != 0)
        return;
    profile_add(&thread->outermost, ticks * weight);
    if (ghcomp_unlikely(weight != 1))
        profile_add(&thread->twice, ticks * (weight - 1)); /* charge has counted them as the code around them */
}

/* A member's slot in a region. */
static struct slot *slot_in(struct thread *thread, struct region *region, uint32_t index)
{
    return index < region->slots ? &region->slot[index] : &thread->surplus;
}

/* Copies what the thread has spent in the outermost region to its slot there, before the member answers at the region's
   end: the runtime's join orders these stores before sum_up's loads. The thread that opened the region has just written
   what this reads of it, so implicit_begin prefetches that. */
static void publish(struct thread *thread)
{
    struct region *region = thread->dirty && thread->parallel != NULL ? thread->parallel->ptr : NULL;
    thread->dirty = false;
    if (region == NULL)
        return;
    struct slot *slot = thread->published = slot_in(thread, region, thread->index);
    ghcomp_store_relaxed(&slot->begin, ghcomp_load_relaxed(&thread->mine.begin));
    ghcomp_store_relaxed(&slot->end, ghcomp_load_relaxed(&thread->mine.end));
    _Pragma("GCC unroll 4")
    for (int activity = 0; activity < CHARGED; activity++)
        ghcomp_store_relaxed(&slot->spent[activity], ghcomp_load_relaxed(&thread->mine.spent[activity]));
}

/* The thread has an event in a filtered region. Its time there counts as that of the regions that stand for this one,
   and the region counts as time of the code around it. */
static void begin_filtered(struct thread *thread)
{
    if (thread->depth == 0)
        thread->parallel = NULL;
    if (ghcomp_unlikely(++thread->depth >= thread->frames_there))
        profile_frames_grow(thread);
    else
        thread->at++;
    *thread->at = (struct frame){.slot = &thread->surplus, .part = thread->last, .filtered = true};
}

static __attribute__((noinline)) void implicit_begin(struct thread *thread, ompt_data_t *parallel, uint32_t size,
                                                     uint32_t index, int flags)
{
    bool needed = index == 0 || (flags & ompt_task_initial) || thread->depth != 0 || profile_tracing;
    struct region *region = needed ? parallel->ptr : NULL;
    if (needed && region == NULL) {
        if (flags & ompt_task_implicit)
            begin_filtered(thread);
        return; /* else it is the initial task of a thread */
    }
    /* Member 0 has just read the clock, when it opened the region. */
    bool opened = index == 0 && thread->at->activity == OUTSIDE && thread->last == region->begin;
    uint64_t now = opened ? region->begin : profile_now();
    bool direct = thread->depth != 0 || (opened && size == 1); /* no other member waits for its slot */
    struct slot *slot = direct ? slot_in(thread, region, index) : &thread->mine;
    if (thread->depth == 0)
        thread->parallel = direct ? NULL : parallel;
    if (!direct) {
        thread->index = index;
        thread->dirty = true;
        __builtin_prefetch(parallel);
        __builtin_prefetch(thread->published, 1);
    }
    if (index == 0)
        ghcomp_store_relaxed(&region->size, size);
    ghcomp_store_relaxed(&slot->begin, now);
    ghcomp_store_relaxed(&slot->end, 0);
    _Pragma("GCC unroll 4")
    for (int activity = 0; activity < CHARGED; activity++)
        ghcomp_store_relaxed(&slot->spent[activity], 0);
    if (ghcomp_unlikely(++thread->depth >= thread->frames_there))
        profile_frames_grow(thread);
    else
        thread->at++;
    struct frame *at = thread->at;
    at->slot = slot;
    at->loop = NULL;
    at->own = 0;
    at->activity = CODE;
    at->weight = region != NULL ? region->weight : WEIGHT_UNKNOWN;
    at->opened = opened;
    at->filtered = false;
    at->others = opened ? (size < region->slots ? size : region->slots) - 1 : 0;
    at->region_site = region != NULL ? region->site : SITE_NONE; /* for the trace */
    thread->last = at->part = at->segment = now;
}

static __attribute__((noinline)) void implicit_end(struct thread *thread)
{
    struct frame *at = thread->at;
    if (ghcomp_unlikely(at->filtered)) {
        thread->last = at->part;
        thread->depth--;
        thread->at = at - 1;
        return;
    }
    uint64_t now = at->activity == OUTSIDE ? thread->last : profile_now(); /* the time of the barrier's end */
    charge(thread, now);
    if (at->activity == CODE) { /* after a barrier the region may be over, and its slots another one's */
        ghcomp_store_relaxed(&at->slot->end, now);
        thread->dirty = true;
    }
    if (thread->depth == 1)
        publish(thread);
    thread->depth--;
    thread->at = at - 1;
    if (ghcomp_unlikely(profile_tracing) && thread->worker && thread->depth == 0 && thread->at->activity == OUTSIDE)
        profile_span(thread, SPAN_PART, at->region_site, at->part, profile_settings.late_joins ? at->segment : now);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                          unsigned index, int flags)
{
    (void)task;
    struct thread *thread = profile_thread();
    if (endpoint == ompt_scope_end) {
        if (thread->depth != 0)
            implicit_end(thread);
    } else if (parallel != NULL) {
        implicit_begin(thread, parallel, size, index, flags);
    }
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static enum activity wait_of(ompt_sync_region_t kind)
{
    switch (kind) {
    case ompt_sync_region_taskwait:
    case ompt_sync_region_taskgroup:
        return IN_TASKWAIT;
    case ompt_sync_region_barrier_implicit_parallel:
    case ompt_sync_region_barrier_teams:
        return JOIN;
    case ompt_sync_region_barrier_implicit: /* of runtimes that do not distinguish them */
        return profile_settings.late_joins ? JOIN : IN_BARRIER;
    default:
        return IN_BARRIER;
    }
}

static void span_of_wait(struct thread *thread, uint64_t now)
{
    static const enum span_kind kinds[] = {[IN_BARRIER] = SPAN_BARRIER, [IN_TASKWAIT] = SPAN_TASKWAIT,
                                           [IN_LOCK] = SPAN_LOCK, [JOIN] = SPAN_BARRIER};
    if (thread->at->activity == CODE || thread->at->activity == OUTSIDE)
        return;
    if (thread->at->activity == JOIN && profile_settings.late_joins)
        return;
    profile_span(thread, kinds[thread->at->activity], SITE_NONE, thread->last, now);
}

/* Prefetches the slots of the region's other members, which sum_up reads soon. */
static void fetch_slots(const struct thread *thread)
{
    enum { MOST = 8 };
    const struct slot *own = thread->depth == 1 ? thread->published : thread->at->slot;
    for (uint32_t i = 1; i <= thread->at->others && i <= MOST; i++)
        __builtin_prefetch(&own[i]);
}

static void sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                             ompt_data_t *task, const void *address)
{
    (void)task, (void)address;
    struct thread *thread = profile_thread();
    /* Only the thread that opened a region needs the event of its end; the others wait for the next one. */
    if (endpoint == ompt_scope_end && parallel == NULL && thread->at->activity == JOIN && !thread->at->opened &&
        !profile_tracing) {
        thread->at->activity = OUTSIDE;
        return;
    }
    uint64_t now = profile_now();
    if (endpoint == ompt_scope_begin) {
        charge(thread, now);
        thread->at->activity = wait_of(kind);
        if (thread->at->activity == JOIN) {
            thread->at->segment = now;
            if (thread->depth == 1)
                publish(thread);
        }
        return;
    }
    if (thread->at->opened && thread->at->activity == JOIN)
        fetch_slots(thread);
    span_of_wait(thread, now);
    charge(thread, now);
    /* This runtime ends a wait also for each task that it runs; then the region still exists. */
    thread->at->activity = wait_of(kind) == JOIN && (parallel == NULL || profile_settings.late_joins) ? OUTSIDE : CODE;
}

/* --- loops -------------------------------------------------------------------------------------------------------- */

static void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                 uint64_t count, const void *address)
{
    (void)parallel, (void)task;
    struct thread *thread = profile_thread();
    if (kind == ompt_work_single_executor || kind == ompt_work_single_other || kind == ompt_work_workshare)
        return;
    if (endpoint == ompt_scope_begin) {
        struct counts *stat = profile_site(thread, SITE_LOOP, address, (int)kind)->stat;
        profile_add(&stat->n[TIMES], 1);
        profile_raise(&stat->n[ITERATIONS], count);
        if (kind == ompt_work_taskloop)
            return; /* its chunks are tasks */
        thread->at->loop = stat;
        thread->at->loop_begin = profile_now();
    } else if (endpoint == ompt_scope_end && kind != ompt_work_taskloop && thread->at->loop != NULL) {
        uint64_t now = profile_now(), ticks = now > thread->at->loop_begin ? now - thread->at->loop_begin : 0;
        profile_add(&thread->at->loop->n[TIME], ticks);
        profile_raise(&thread->at->loop->n[LONGEST], ticks);
        thread->at->loop = NULL;
    }
}

static void dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
    (void)parallel, (void)task, (void)instance;
    struct thread *thread = profile_thread();
    if (thread->at->loop != NULL && kind != ompt_dispatch_taskloop_chunk)
        profile_add(&thread->at->loop->n[CHUNKS], 1);
}

/* --- tasks -------------------------------------------------------------------------------------------------------- */

static void task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                        int has_dependences, const void *address)
{
    (void)task, (void)frame, (void)has_dependences;
    if (!(flags & ompt_task_explicit))
        return;
    struct thread *thread = profile_thread();
    const struct known *known = profile_site(thread, SITE_TASK, address, 0);
    profile_add(&known->stat->n[CREATED], 1);
    created->value = word(known->site | (uint64_t)thread->exponent << WORD_EXPONENT, CODE, 0);
    thread->exponent = 0;
}

static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    if (prior == NULL || status == ompt_task_early_fulfill || status == ompt_task_late_fulfill ||
        status == ompt_taskwait_complete)
        return;
    struct thread *thread = profile_thread();
    uint64_t now = profile_now();
    uint32_t site = word_site(prior);
    span_of_wait(thread, now);
    charge(thread, now);
    if (site != SITE_NONE && status != ompt_task_cancel)
        profile_span(thread, SPAN_TASK, site, thread->at->segment, now);
    if (status == ompt_task_cancel && site != SITE_NONE)
        profile_add(&profile_counts(thread, site)->n[CANCELLED], 1);
    else if ((status == ompt_task_complete || status == ompt_task_detach) && site != SITE_NONE)
        profile_measured(profile_counts(thread, site), site, SITE_TASK, thread->at->own,
                         (uint32_t)(word_what(prior) >> WORD_EXPONENT));
    else
        prior->value = word(word_what(prior), thread->at->activity, thread->at->own);
    if (next == NULL)
        return;
    thread->at->activity = (enum activity)(next->value >> WORD_ACTIVITY & ((1 << (WORD_TICKS - WORD_ACTIVITY)) - 1));
    thread->at->own = next->value >> WORD_TICKS;
    thread->at->segment = now;
    if (thread->at->activity == JOIN && thread->depth == 1)
        publish(thread); /* on libomp the wait has no other end while the region exists */
}

/* --- locks -------------------------------------------------------------------------------------------------------- */

static void mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *address)
{
    (void)hint, (void)impl, (void)id, (void)address;
    if (kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock)
        return; /* there is no wait, and no event of its success */
    struct thread *thread = profile_thread();
    if (thread->at->activity != CODE)
        return;
    charge(thread, profile_now());
    thread->at->activity = IN_LOCK;
}

static void mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *address)
{
    (void)id;
    struct thread *thread = profile_thread();
    uint64_t ticks = 0;
    if (thread->at->activity == IN_LOCK) {
        uint64_t now = profile_now();
        ticks = now > thread->last ? now - thread->last : 0;
        span_of_wait(thread, now);
        charge(thread, now);
        thread->at->activity = CODE;
    }
    profile_count(profile_site(thread, SITE_LOCK, address, (int)kind)->stat, ticks, 1);
}

/* ------------------------------------------------------------------------------------------------------------------ */

void profile_set_callbacks(ompt_function_lookup_t lookup)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    ghcomp_set_task_filter_t filter = (ghcomp_set_task_filter_t)lookup("ghcomp_set_task_filter");
    ghcomp_set_region_filter_t region_filter = (ghcomp_set_region_filter_t)lookup("ghcomp_set_region_filter");
    if (filter != NULL && !profile_tracing)
        filter(profile_task_filter);
    if (region_filter != NULL && !profile_tracing)
        region_filter(profile_region_filter);
#define SET(name, function) set(ompt_callback_##name, (ompt_callback_t)function)
    SET(thread_begin, thread_begin);
    SET(thread_end, thread_end);
    SET(parallel_begin, parallel_begin);
    SET(parallel_end, parallel_end);
    SET(implicit_task, implicit_task);
    SET(sync_region_wait, sync_region_wait);
    SET(work, work);
    SET(dispatch, dispatch);
    SET(task_create, task_create);
    SET(task_schedule, task_schedule);
    SET(mutex_acquire, mutex_acquire);
    SET(mutex_acquired, mutex_acquired);
}
