/* proc_bind with teams of all sizes, up to two threads for each place and one more, one after the other in both
 * directions: where OpenMP 5.2 (10.1.3) puts each thread, which partition it gets, and its mask; then regions in such
 * teams.
 */
#define _GNU_SOURCE
#include "machine.h"

static int places;

static struct seen {
    int place, partition[MOST], length;
} seen[2 * MOST + 1];

/* The calling member's place, and that it is bound to it. */
static void look(struct seen *me)
{
    cpu_set_t mask, cpus;
    me->place = omp_get_place_num();
    CHECK(me->place >= 0 && me->place < places, "member %d is at place %d", omp_get_thread_num(), me->place);
    me->length = omp_get_partition_num_places();
    CHECK(me->length >= 1 && me->length <= places, "a partition of %d", me->length);
    omp_get_partition_place_nums(me->partition);
    int inside = 0;
    for (int i = 0; i < me->length; i++)
        inside += me->partition[i] == me->place;
    CHECK(inside == 1, "member %d is outside of its partition", omp_get_thread_num());
    cpus_of_place(me->place, &cpus);
    CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &cpus),
          "member %d of %d at place %d has a mask of %d CPUs", omp_get_thread_num(), omp_get_num_threads(), me->place,
          CPU_COUNT(&mask));
    CHECK(CPU_ISSET(sched_getcpu(), &cpus), "member %d runs elsewhere", omp_get_thread_num());
}

/* More threads than places: as many at each, or one more. */
static void check_even(int threads, const char *policy)
{
    int at[MOST] = {0};
    for (int i = 0; i < threads; i++)
        at[seen[i].place]++;
    for (int place = 0; place < places; place++)
        CHECK(at[place] == threads / places || at[place] == (threads + places - 1) / places,
              "%s: %d of %d threads are at place %d of %d", policy, at[place], threads, place, places);
}

static void check_primary(int threads)
{
    for (int i = 0; i < threads; i++)
        CHECK(seen[i].place == seen[0].place && seen[i].length == places, "primary: member %d of %d is at %d", i,
              threads, seen[i].place);
}

static void check_close(int threads)
{
    for (int i = 0; i < threads; i++)
        CHECK(seen[i].length == places, "close: member %d of %d has a partition of %d", i, threads, seen[i].length);
    if (threads > places)
        check_even(threads, "close");
    else
        for (int i = 0; i < threads; i++)
            CHECK(seen[i].place == (seen[0].place + i) % places, "close: member %d of %d is at %d", i, threads,
                  seen[i].place);
}

static void check_spread(int threads)
{
    int owner[MOST];
    if (threads > places) {
        check_even(threads, "spread");
        for (int i = 0; i < threads; i++)
            CHECK(seen[i].length == 1, "spread: member %d of %d has a partition of %d", i, threads, seen[i].length);
        return;
    }
    memset(owner, -1, sizeof owner);
    for (int i = 0; i < threads; i++) {
        struct seen *me = &seen[i];
        CHECK(me->length == places / threads || me->length == (places + threads - 1) / threads,
              "spread: member %d of %d has a partition of %d", i, threads, me->length);
        CHECK(i == 0 || me->place == me->partition[0], "spread: member %d of %d is at %d", i, threads, me->place);
        for (int k = 0; k < me->length; k++) {
            CHECK(k == 0 || me->partition[k] == me->partition[k - 1] + 1, "spread: member %d has gaps", i);
            CHECK(owner[me->partition[k]] == -1, "spread: members %d and %d have place %d", i, owner[me->partition[k]],
                  me->partition[k]);
            owner[me->partition[k]] = i;
        }
        /* The next member has the next places. */
        struct seen *next = &seen[(i + 1) % threads];
        CHECK(next->partition[0] == (me->partition[me->length - 1] + 1) % places, "spread: after member %d of %d", i,
              threads);
    }
}

static void teams(int threads)
{
#pragma omp parallel num_threads(threads) proc_bind(primary)
    look(&seen[omp_get_thread_num()]);
    check_primary(threads);
#pragma omp parallel num_threads(threads) proc_bind(close)
    look(&seen[omp_get_thread_num()]);
    check_close(threads);
#pragma omp parallel num_threads(threads) proc_bind(spread)
    look(&seen[omp_get_thread_num()]);
    check_spread(threads);
}

/* A team that is spread, and one in each member's partition. */
static void nested(int outer, int inner)
{
    int wrong = 0;
#pragma omp parallel num_threads(outer) proc_bind(spread) reduction(+ : wrong)
    {
        struct seen mine;
        look(&mine);
        int first = mine.partition[0], length = mine.length, from = mine.place;
#pragma omp parallel num_threads(inner) proc_bind(close) reduction(+ : wrong)
        {
            struct seen me;
            look(&me);
            wrong += me.length != length || me.partition[0] != first;
            if (inner <= length)
                wrong += me.place != first + (from - first + omp_get_thread_num()) % length;
        }
    }
    CHECK(wrong == 0, "%d of the members of %d teams of %d", wrong, outer, inner);
}

int main(void)
{
    places = omp_get_num_places();
    CHECK(places >= 1 && places <= MOST, "%d places", places);
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    int step = places > 16 ? 7 : 1;
    for (int threads = 1; threads <= 2 * places + 1; threads += step)
        teams(threads);
    for (int threads = places; threads >= 1; threads -= step)
        teams(threads);
    for (int outer = 1; outer <= places && outer <= 8; outer++)
        nested(outer, outer <= 4 ? 3 : 2);
    return 0;
}
