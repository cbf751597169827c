/* Threads, sites, and the numbers that threads keep of sites.
 *
 * A thread finds a site by its address in a cache of its own, without a lock; after a miss it looks the site up, or
 * adds it, in the table of all under a lock. Nothing is ever freed, so that the report may read at any time. */
#include "threads.h"
#include "clock.h"
#include "settings.h"
#include "spans.h"

#include <pthread.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    struct thread *_Atomic threads; /* store_release with the lock, load_acquire */
    struct thread *unused;         /* lock; of threads that have ended */
    uint32_t count;                /* lock; of threads */
    _Atomic uint32_t sites;        /* in use; store_release with the lock, load_acquire */
    uint32_t index[2 * SITES];     /* lock; a site's number at the hash of its address and kind, or after it */
    struct site site[SITES];       /* immutable below `sites` */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .sites = 1 + SITE_KINDS,
         .site = {{NULL, 0, 0}, {NULL, SITE_REGION, 0}, {NULL, SITE_LOOP, 0}, {NULL, SITE_TASK, 0},
                  {NULL, SITE_LOCK, 0}}};

__thread struct thread *profile_own_thread;

uint32_t profile_generation;

void *profile_alloc(size_t bytes)
{
    void *block = aligned_alloc(GHCOMP_CACHE_LINE, (bytes + GHCOMP_CACHE_LINE - 1) / GHCOMP_CACHE_LINE
                                                       * GHCOMP_CACHE_LINE);
    if (block == NULL) {
        profile_say("out of memory");
        _Exit(1);
    }
    return __builtin_memset(block, 0, bytes);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static struct thread *take(bool worker)
{
    pthread_mutex_lock(&all.lock);
    struct thread *thread = NULL;
    for (struct thread **at = &all.unused; *at != NULL; at = &(*at)->next_unused)
        if ((*at)->worker == worker) {
            thread = *at;
            *at = thread->next_unused;
            break;
        }
    if (thread == NULL) {
        thread = profile_alloc(sizeof *thread);
        thread->worker = worker;
        thread->number = all.count++;
        thread->next = ghcomp_load_relaxed(&all.threads);
        ghcomp_store_release(&all.threads, thread);
    }
    pthread_mutex_unlock(&all.lock);
    thread->depth = 0;
    if (thread->frames == NULL)
        profile_frames_grow(thread);
    thread->at = thread->frames;
    thread->at->slot = &thread->outside;
    thread->at->loop = NULL;
    thread->at->region_site = SITE_NONE;
    thread->at->weight = 1;
    thread->at->others = 0;
    thread->at->opened = false;
    thread->at->own = 0;
    thread->at->activity = worker ? OUTSIDE : CODE;
    thread->last = profile_now();
    ghcomp_store_relaxed(&thread->begun, thread->last);
    profile_add(&thread->starts, 1);
    return profile_own_thread = thread;
}

struct thread *profile_thread_make(void)
{
    return take(false);
}

void profile_thread_begin(ompt_thread_t kind)
{
    if (profile_own_thread == NULL)
        take(kind == ompt_thread_worker);
}

void profile_thread_end(void)
{
    struct thread *thread = profile_own_thread;
    if (thread == NULL)
        return;
    profile_own_thread = NULL;
    profile_add(&thread->life, profile_now() - ghcomp_load_relaxed(&thread->begun));
    ghcomp_store_relaxed(&thread->begun, 0);
    pthread_mutex_lock(&all.lock);
    thread->next_unused = all.unused;
    all.unused = thread;
    pthread_mutex_unlock(&all.lock);
}

struct thread *profile_threads(void)
{
    return ghcomp_load_acquire(&all.threads);
}

void profile_frames_grow(struct thread *thread)
{
    uint32_t there = thread->frames_there != 0 ? 2 * thread->frames_there : 8;
    struct frame *frames = profile_alloc(there * sizeof *frames);
    if (thread->frames != NULL)
        __builtin_memcpy(frames, thread->frames, thread->frames_there * sizeof *frames);
    free(thread->frames);
    thread->frames = frames;
    thread->frames_there = there;
    thread->at = &frames[thread->depth];
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

enum { SLOTS_MOST = 4096 };

struct region *profile_region_take(struct thread *thread, uint32_t members)
{
    struct region *region = thread->spare;
    members = members < 1 ? 1 : members > SLOTS_MOST ? SLOTS_MOST : members;
    if (region != NULL)
        thread->spare = region->next;
    if (region != NULL && region->slots < members) {
        free(region);
        region = NULL;
    }
    if (region == NULL) {
        region = profile_alloc(sizeof *region + members * sizeof *region->slot);
        region->slots = members;
    }
    ghcomp_store_relaxed(&region->size, 0);
    region->generation = profile_generation;
    return region;
}

/* --- sites -------------------------------------------------------------------------------------------------------- */

/* The site's number, new or not. */
static uint32_t find(enum site_kind kind, const void *address, int detail)
{
    pthread_mutex_lock(&all.lock);
    uint32_t at = profile_hash(address, kind) % (2 * SITES), number = 0, used = ghcomp_load_relaxed(&all.sites);
    for (; (number = all.index[at]) != 0; at = (at + 1) % (2 * SITES))
        if (all.site[number].address == address && all.site[number].kind == kind)
            break;
    if (number == 0 && used == SITES) {
        number = 1 + kind;
    } else if (number == 0) {
        number = all.index[at] = used;
        all.site[number] = (struct site){address, (uint8_t)kind, (uint8_t)detail};
        ghcomp_store_release(&all.sites, used + 1);
    }
    pthread_mutex_unlock(&all.lock);
    return number;
}

struct counts *profile_counts(struct thread *thread, uint32_t site)
{
    struct counts *stat = ghcomp_load_relaxed(&thread->stats[site]);
    if (ghcomp_likely(stat != NULL))
        return stat;
    stat = profile_alloc(sizeof *stat);
    if (all.site[site].kind == SITE_TASK || all.site[site].kind == SITE_LOCK)
        stat->histogram = profile_alloc(BUCKETS * sizeof *stat->histogram);
    ghcomp_store_release(&thread->stats[site], stat);
    return stat;
}

void profile_site_find(struct thread *thread, struct known *known, enum site_kind kind, const void *address,
                       int detail)
{
    uint32_t site = find(kind, address, detail);
    *known = (struct known){address, kind + 1u, site, profile_counts(thread, site)};
}

const struct site *profile_sites(uint32_t *count)
{
    *count = ghcomp_load_acquire(&all.sites);
    return all.site;
}

/* --- durations ---------------------------------------------------------------------------------------------------- */

/* Below four each has a bucket; above, the two bits behind the first one choose among four. */
static int bucket_of(uint64_t ticks)
{
    if (ticks < 4)
        return (int)ticks;
    int power = 63 - __builtin_clzll(ticks), bucket = 4 * (power - 1) + (int)((ticks >> (power - 2)) & 3);
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

uint64_t profile_bucket_from(int bucket)
{
    return bucket < 4 ? (uint64_t)bucket : (uint64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

void profile_count(struct counts *stat, uint64_t ticks, uint64_t weight)
{
    profile_add(&stat->n[TIMES], 1);
    profile_add(&stat->n[TIME], ticks * weight);
    profile_raise(&stat->n[LONGEST], ticks);
    if (stat->histogram != NULL)
        profile_add(&stat->histogram[bucket_of(ticks)], weight);
}

/* --- fork() ------------------------------------------------------------------------------------------------------- */

void profile_threads_fork(bool prepare)
{
    if (prepare)
        pthread_mutex_lock(&all.lock);
    else
        pthread_mutex_unlock(&all.lock);
}

static void clear(counter *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ghcomp_store_relaxed(&numbers[i], 0);
}

/* The child has one thread, and none of the others' numbers. An open region's generation shows that its other members
   are gone. */
void profile_threads_child(void)
{
    profile_generation++;
    for (struct thread *thread = profile_threads(); thread != NULL; thread = thread->next) {
        clear(thread->spent, CHARGED);
        clear(thread->outside.spent, CHARGED);
        clear(&thread->outermost, 1);
        clear(&thread->twice, 1);
        clear(&thread->life, 1);
        clear(&thread->begun, 1);
        clear(&thread->starts, 1);
        for (uint32_t site = 0; site < SITES; site++) {
            struct counts *stat = ghcomp_load_relaxed(&thread->stats[site]);
            if (stat == NULL)
                continue;
            clear(stat->n, COLUMNS);
            ghcomp_store_relaxed(&stat->credit, 0);
            if (stat->histogram != NULL)
                clear(stat->histogram, BUCKETS);
        }
        if (thread != profile_own_thread)
            continue;
        thread->last = profile_now();
        ghcomp_store_relaxed(&thread->begun, thread->last);
        ghcomp_store_relaxed(&thread->starts, 1);
    }
    profile_spans_child();
}
