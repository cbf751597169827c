/* cbits/haskell/chunk_pool.c: every index is given out once, whatever the schedule, the sizes and the members that come
   late or never; members that sleep until the pool is closed are woken. Runs under ASan+UBSan and TSan.

   A lost wake-up shows as a hang: the linker's --wrap=ghcomp_wait_park_for replaces the bounded sleep by an unbounded
   one. */
#include "haskell/chunk_pool.h"

#include <pthread.h>
#include <string.h>

#include "core/cpu/wait.h"
#include "host/os.h"
#include "unit.h"

enum { THREADS = 5, MOST_COUNT = 5000 };

static const enum ghcomp_sharing kinds[] = {GHCOMP_SHARING_STATIC, GHCOMP_SHARING_DYNAMIC, GHCOMP_SHARING_GUIDED};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct ghcomp_chunk_pool pool;

/* --- one thread that plays members, in any order ------------------------------------------------------------------ */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

/* The chunk is one that this kind of sharing gives. */
static void check_chunk(const struct ghcomp_member *self, uint64_t taken)
{
    uint64_t length = self->chunk_end - self->chunk_begin, left = pool.count - taken;
    CHECK(self->chunk_begin < self->chunk_end && self->chunk_end <= pool.count);
    if (pool.kind == GHCOMP_SHARING_STATIC) {
        CHECK(length == pool.count / pool.pieces || length == pool.count / pool.pieces + 1);
        return;
    }
    uint64_t want = pool.chunk;
    if (pool.kind == GHCOMP_SHARING_GUIDED && left / pool.size > want)
        want = left / pool.size;
    CHECK(self->chunk_begin == taken);
    CHECK(length == (want < left ? want : left));
}

/* Of the `size` members `first` and the `present - 1` after it take part. */
static void play(enum ghcomp_sharing kind, uint64_t count, uint64_t chunk, uint32_t size, uint32_t first,
                 uint32_t present)
{
    static bool seen[MOST_COUNT];
    uint32_t random = (uint32_t)count + size;
    uint64_t taken = 0;
    CHECK(count <= MOST_COUNT);
    memset(seen, 0, sizeof seen);
    ghcomp_chunk_pool_start(&pool, kind, count, chunk, size);
    CHECK(ghcomp_chunk_pool_closed(&pool) == (count == 0));
    for (bool own = true;; own = false) {
        struct ghcomp_member self = {.tid = (first + (own ? 0 : next_random(&random) % present)) % size};
        if (!ghcomp_chunk_pool_next(&pool, &self))
            break;
        check_chunk(&self, taken);
        for (uint64_t i = self.chunk_begin; i < self.chunk_end; i++) {
            CHECK(!seen[i]);
            seen[i] = true;
        }
        taken += self.chunk_end - self.chunk_begin;
        /* A member's first piece is its own in static sharing. */
        bool has_own = own && kind == GHCOMP_SHARING_STATIC && pool.pieces == size;
        CHECK(!has_own || self.tid > 0 || self.chunk_begin == 0);
        CHECK(!has_own || self.tid < size - 1 || self.chunk_end == count);
    }
    CHECK_EQUAL(count, taken);
    CHECK(ghcomp_chunk_pool_closed(&pool));
    for (uint32_t tid = 0; tid < size; tid++) {
        struct ghcomp_member late = {.tid = tid};
        CHECK(!ghcomp_chunk_pool_next(&pool, &late));
    }
}

static void all_sizes(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 7, 63, 64, 65, 255, 256, 257, 1000};
    static const uint64_t chunks[] = {0, 1, 2, 7, 1000, UINT64_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t size = sizes[s];
        const uint64_t counts[] = {0, 1, 2, 3, size - 1, size, size + 1, 2 * size, 100, 999};
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t h = 0; h < sizeof chunks / sizeof *chunks; h++)
                for (int k = 0; k < KINDS; k++) {
                    play(kinds[k], counts[c], chunks[h], size, 0, size);
                    play(kinds[k], counts[c], chunks[h], size, size - 1, 1);
                    play(kinds[k], counts[c], chunks[h], size, size / 2, (size + 1) / 2);
                }
    }
}

/* --- counts that fill the word ------------------------------------------------------------------------------------ */

struct span {
    uint64_t begin, end;
};

static int by_begin(const void *a, const void *b)
{
    const struct span *left = a, *right = b;
    return left->begin < right->begin ? -1 : left->begin > right->begin;
}

static void check_spans(enum ghcomp_sharing kind, uint64_t count, uint64_t chunk, uint32_t size)
{
    enum { MOST_SPANS = 200000 };
    static struct span spans[MOST_SPANS];
    size_t number = 0;
    ghcomp_chunk_pool_start(&pool, kind, count, chunk, size);
    for (uint32_t call = 0;; call++) {
        struct ghcomp_member self = {.tid = call % size};
        if (!ghcomp_chunk_pool_next(&pool, &self))
            break;
        CHECK(number < MOST_SPANS);
        spans[number++] = (struct span){self.chunk_begin, self.chunk_end};
    }
    qsort(spans, number, sizeof *spans, by_begin);
    uint64_t at = 0;
    for (size_t i = 0; i < number; i++) {
        CHECK(spans[i].begin == at && spans[i].end > at);
        at = spans[i].end;
    }
    CHECK(at == count);
    CHECK(ghcomp_chunk_pool_closed(&pool));
}

static void large_counts(void)
{
    static const uint64_t counts[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 255, UINT64_C(1) << 63,
                                      (UINT64_C(1) << 63) - 1, UINT64_C(1) << 48, (UINT64_C(1) << 48) - 1,
                                      (UINT64_C(1) << 32) + 1};
    static const uint32_t sizes[] = {1, 2, 3, 7, 64, 256, 300};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint64_t count = counts[c];
            check_spans(GHCOMP_SHARING_STATIC, count, 1, sizes[s]);
            check_spans(GHCOMP_SHARING_GUIDED, count, 1, sizes[s]);
            check_spans(GHCOMP_SHARING_GUIDED, count, count / 3, sizes[s]);
            const uint64_t chunks[] = {count / 1000 + 1, count / 2, count / 2 + 1, count - 1, count, UINT64_MAX};
            for (size_t h = 0; h < sizeof chunks / sizeof *chunks; h++)
                check_spans(GHCOMP_SHARING_DYNAMIC, count, chunks[h], sizes[s]);
        }
}

/* Members that run past the end do not make `taken` wrap around. */
static void many_run_past_the_end(uint64_t most)
{
    enum { RUNS = 65535 };
    struct ghcomp_member self = {.tid = 0};
    ghcomp_chunk_pool_start(&pool, GHCOMP_SHARING_DYNAMIC, most, most, RUNS);
    CHECK(ghcomp_chunk_pool_next(&pool, &self));
    CHECK(self.chunk_begin == 0 && self.chunk_end == most);
    for (int i = 0; i < RUNS; i++) {
        CHECK(!ghcomp_chunk_pool_next(&pool, &self));
        /* As for a member that looked before the pool was closed. */
        ghcomp_store_relaxed(&pool.closed, 0u);
    }
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

enum { TICKS_SHORT = GHCOMP_TICKS_PER_US, MOST_BATCH = 32, A_PART = 8 };

/* A member of a dynamic loop alone, whose chunks take so many ticks each. Checks that its chunks are those of the loop,
   in order. Returns the most chunks that it took at once; `last`: how many were left when it took several for the last
   time. */
static uint64_t batches(uint64_t count, uint64_t chunk, uint32_t size, uint64_t ticks, uint64_t *last)
{
    struct ghcomp_chunk_reserve reserve = {0};
    struct ghcomp_member self = {.tid = 0};
    uint64_t at = 0, begin, end, most = 0, now = 1000000;
    ghcomp_chunk_pool_start(&pool, GHCOMP_SHARING_DYNAMIC, count, chunk, size);
    while (ghcomp_chunk_pool_next_of(&pool, &self, &reserve, now)) {
        uint64_t taken = ghcomp_load_relaxed(&pool.taken), batch = 1;
        begin = self.chunk_begin;
        end = self.chunk_end;
        for (;; batch++) {
            now += ticks;
            CHECK_EQUAL(at, begin);
            CHECK_EQUAL(at + chunk < count ? at + chunk : count, end);
            at = end;
            if (!ghcomp_chunk_reserve_next(&reserve, &begin, &end))
                break;
        }
        CHECK_EQUAL(taken < count ? taken : count, at);
        most = batch > most ? batch : most;
        if (batch > 1)
            *last = count - (at - batch * chunk);
        CHECK(batch == 1 || batch * chunk * A_PART * size <= count - (at - batch * chunk));
    }
    CHECK_EQUAL(count, at);
    CHECK(ghcomp_chunk_pool_closed(&pool));
    return most;
}

static void short_chunks_come_in_batches(void)
{
    uint64_t last = 0;
    CHECK_EQUAL(MOST_BATCH, batches(5000, 1, 2, 1, &last));
    CHECK(last < 100);
    CHECK_EQUAL(MOST_BATCH, batches(50000, 7, 3, 10, &last));
    /* So many that a batch stays short. */
    uint64_t most = batches(5000, 1, 2, TICKS_SHORT / 8, &last);
    CHECK(most >= 8 && most <= 16);
    /* Alone: too long, too few, or too large to be added up. */
    CHECK_EQUAL(1, batches(5000, 1, 2, TICKS_SHORT, &last));
    CHECK_EQUAL(1, batches(31, 1, 2, 1, &last));
    CHECK_EQUAL(1, batches(UINT64_C(1) << 50, UINT64_C(1) << 44, 2, 1, &last));
    /* Two members, the second of which comes late: the first one's reserve is its own. */
    struct ghcomp_chunk_reserve first = {0}, second = {0};
    struct ghcomp_member self = {.tid = 0}, late = {.tid = 1};
    ghcomp_chunk_pool_start(&pool, GHCOMP_SHARING_DYNAMIC, 1000, 1, 2);
    CHECK(ghcomp_chunk_pool_next_of(&pool, &self, &first, 100) && self.chunk_begin == 0);
    CHECK(ghcomp_chunk_pool_next_of(&pool, &self, &first, 101) && self.chunk_begin == 1 && self.chunk_end == 2);
    CHECK(ghcomp_chunk_pool_next_of(&pool, &late, &second, 102) && late.chunk_begin == 3 && late.chunk_end == 4);
    CHECK(ghcomp_chunk_reserve_next(&first, &self.chunk_begin, &self.chunk_end) && self.chunk_begin == 2);
    CHECK(!ghcomp_chunk_reserve_next(&first, &self.chunk_begin, &self.chunk_end));
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

static _Atomic uint32_t began, done;
static _Atomic uint8_t times[MOST_COUNT];
static uint32_t present; /* of THREADS: the others come when the pool is closed */

static void *member_of_team(void *argument)
{
    struct ghcomp_member self = {.tid = (uint32_t)(uintptr_t)argument};
    ghcomp_add_acqrel(&began, 1u);
    while (ghcomp_load_acquire(&began) < THREADS)
        ghcomp_os_yield();
    while (self.tid >= present && !ghcomp_chunk_pool_closed(&pool))
        ghcomp_os_yield();
    uint32_t mine = 0;
    struct ghcomp_chunk_reserve reserve = {0};
    while (ghcomp_chunk_reserve_next(&reserve, &self.chunk_begin, &self.chunk_end) ||
           ghcomp_chunk_pool_next_of(&pool, &self, &reserve, ghcomp_cpu_ticks())) {
        for (uint64_t i = self.chunk_begin; i < self.chunk_end; i++)
            ghcomp_add_relaxed(&times[i], 1);
        if (mine++ % 16 == 0)
            ghcomp_os_yield();
        CHECK(self.tid < present);
    }
    ghcomp_add_relaxed(&done, mine);
    return NULL;
}

static void run_threads(void *(*entry)(void *))
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, entry, (void *)i));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}

static void race(enum ghcomp_sharing kind, uint64_t count, uint64_t chunk, uint32_t size)
{
    ghcomp_chunk_pool_start(&pool, kind, count, chunk, size);
    memset(times, 0, sizeof times);
    began = done = 0;
    run_threads(member_of_team);
    for (uint64_t i = 0; i < count; i++)
        CHECK_EQUAL(1, times[i]);
    if (kind == GHCOMP_SHARING_STATIC)
        CHECK_EQUAL(pool.pieces, done);
    if (kind == GHCOMP_SHARING_DYNAMIC)
        CHECK_EQUAL((count + chunk - 1) / chunk, done);
}

static void races(void)
{
    for (int round = 0; round < 20; round++)
        for (int k = 0; k < KINDS; k++) {
            present = 1 + (uint32_t)round % THREADS;
            race(kinds[k], MOST_COUNT, 1, THREADS);
            race(kinds[k], MOST_COUNT - 1, 7, 200);
            race(kinds[k], MOST_COUNT, 1, 2000);
        }
}

/* --- sleeping until the pool is closed ---------------------------------------------------------------------------- */

enum { ROUNDS = 1500 };
static _Atomic uint32_t slept;
static bool without_limit;

void __real_ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);
void __wrap_ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);
void __wrap_ghcomp_wait_park_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    if (!without_limit) {
        __real_ghcomp_wait_park_for(word, value, nanoseconds);
        return;
    }
    ghcomp_add_relaxed(&slept, 1u);
    ghcomp_wait_park(word, value);
}

static _Atomic uint32_t round_now, out;

/* Thread 0 closes the pool, or finds nothing left, which closes it; the others sleep. */
static void *sleeper_or_closer(void *argument)
{
    struct ghcomp_member self = {.tid = (uint32_t)(uintptr_t)argument};
    for (uint32_t round = 1, rounds = (uint32_t)unit_rounds(ROUNDS); round <= rounds; round++) {
        if (self.tid == 0) {
            ghcomp_chunk_pool_start(&pool, GHCOMP_SHARING_DYNAMIC, 1, 1, THREADS);
            ghcomp_store_relaxed(&out, 0u);
            ghcomp_store_release(&round_now, round);
            /* Before, among or after the sleepers go to sleep. */
            uint32_t before = round % 4 == 0 ? THREADS - 1 : round % THREADS;
            while (round % 4 != 1 && ghcomp_load_relaxed(&pool.sleepers) < before)
                ghcomp_os_yield();
            for (uint32_t i = 0; i < round % 64; i++)
                ghcomp_cpu_pause();
            if (round % 2 == 0) {
                ghcomp_chunk_pool_close(&pool);
                ghcomp_chunk_pool_close(&pool);
            } else {
                CHECK(ghcomp_chunk_pool_next(&pool, &self));
                CHECK(!ghcomp_chunk_pool_next(&pool, &self));
            }
            while (ghcomp_load_acquire(&out) < THREADS - 1)
                ghcomp_os_yield();
            CHECK_EQUAL(0, ghcomp_load_relaxed(&pool.sleepers));
        } else {
            while (ghcomp_load_acquire(&round_now) < round)
                ghcomp_os_yield();
            do /* at least once: it may be closed already */
                ghcomp_chunk_pool_sleep(&pool, 1);
            while (!ghcomp_chunk_pool_closed(&pool));
            CHECK(!ghcomp_chunk_pool_next(&pool, &self));
            ghcomp_add_acqrel(&out, 1u);
        }
    }
    return NULL;
}

static void no_wake_up_is_lost(void)
{
    without_limit = true;
    slept = 0;
    round_now = 0;
    run_threads(sleeper_or_closer);
    CHECK(slept > 0);
    without_limit = false;
}

/* The pool is never closed: the sleep ends by itself. */
static void the_sleep_has_an_end(void)
{
    enum { NANOSECONDS = 2000000 };
    ghcomp_chunk_pool_start(&pool, GHCOMP_SHARING_STATIC, 1, 1, 1);
    uint64_t begin = ghcomp_os_now();
    ghcomp_chunk_pool_sleep(&pool, NANOSECONDS);
    CHECK(ghcomp_os_now() - begin >= NANOSECONDS);
    CHECK(!ghcomp_chunk_pool_closed(&pool));
    CHECK_EQUAL(0, ghcomp_load_relaxed(&pool.sleepers));
}

int main(void)
{
    all_sizes();
    large_counts();
    short_chunks_come_in_batches();
    for (int bits = 46; bits <= 64; bits++)
        many_run_past_the_end(UINT64_MAX >> (64 - bits));
    races();
    no_wake_up_is_lost();
    the_sleep_has_an_end();
    return 0;
}
