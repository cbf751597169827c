/* GOMP_loop_ull_* for loops of `unsigned long long`. gomp_loop.c has the ends of these loops, too.
 * Tests: test/conformance/{for,ordered,doacross}.
 */
#include "abi/abi.h"

#define LOOP_INDEX unsigned long long
#define LOOP_ENTRY(name) GOMP_loop_ull_##name
#define LOOP_BOUNDS bool up, unsigned long long start, unsigned long long end, unsigned long long incr
#define LOOP_RANGE ghcomp_loop_range_unsigned(up, start, end, incr)
#define LOOP_CHUNK(size) (size)
#include "abi/gomp/loop_entries.h"

GHCOMP_ABI_OBJECT(gomp_loop_ull);
