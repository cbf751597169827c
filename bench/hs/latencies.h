/* A histogram of latencies: constant memory for any number of them, percentiles within 2 %.
 *
 * One thread at a time adds to a histogram; each caller has its own, and they are merged when the callers have ended.
 */
#pragma once

#include <stdint.h>

struct latencies;

/* An empty one; ends the process when there is no memory. */
struct latencies *latencies_new(void);
void latencies_free(struct latencies *l);

/* A latency, in nanoseconds. */
void latencies_add(struct latencies *l, uint64_t ns);
void latencies_merge(struct latencies *into, const struct latencies *from);

long latencies_count(const struct latencies *l);

/* The latency, in nanoseconds, that the given part (0.99) of all does not exceed; 0 when there are none. */
double latencies_percentile(const struct latencies *l, double part);
