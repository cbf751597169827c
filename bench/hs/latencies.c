/* There are 32 buckets to an octave: below 64 ns one for each nanosecond, above that each 1/32 of the octave's start
   wide. */
#include <stdio.h>
#include <stdlib.h>

#include "latencies.h"

enum { PER_OCTAVE = 32, OCTAVES = 36, BUCKETS = OCTAVES * PER_OCTAVE + 2 * PER_OCTAVE };

struct latencies {
    long count[BUCKETS];
};

static int shift_of(uint64_t ns)
{
    return ns < 2 * PER_OCTAVE ? 0 : 63 - __builtin_clzll(ns) - 5;
}

/* Latencies of half an hour and more share the last bucket. */
static int bucket_of(uint64_t ns)
{
    int shift = shift_of(ns);
    return shift > OCTAVES ? BUCKETS - 1 : shift * PER_OCTAVE + (int)(ns >> shift);
}

/* The middle of a bucket. */
static double middle_of(int bucket)
{
    if (bucket < 2 * PER_OCTAVE)
        return bucket;
    int shift = bucket / PER_OCTAVE - 1;
    return ((double)(bucket - shift * PER_OCTAVE) + 0.5) * (double)(1ull << shift);
}

struct latencies *latencies_new(void)
{
    struct latencies *l = calloc(1, sizeof *l);
    if (l == NULL) {
        fprintf(stderr, "bench: no memory for a histogram\n");
        _Exit(1);
    }
    return l;
}

void latencies_free(struct latencies *l)
{
    free(l);
}

void latencies_add(struct latencies *l, uint64_t ns)
{
    l->count[bucket_of(ns)]++;
}

void latencies_merge(struct latencies *into, const struct latencies *from)
{
    for (int i = 0; i < BUCKETS; i++)
        into->count[i] += from->count[i];
}

long latencies_count(const struct latencies *l)
{
    long n = 0;
    for (int i = 0; i < BUCKETS; i++)
        n += l->count[i];
    return n;
}

double latencies_percentile(const struct latencies *l, double part)
{
    double wanted = part * (double)latencies_count(l);
    long seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
        seen += l->count[i];
        if (seen > 0 && (double)seen >= wanted)
            return middle_of(i);
    }
    return 0;
}
