"""C and C++: what stands around the cases in a source file. The writers are c_regions.py, c_loops.py, c_tasks.py and
c_target.py; languages.py is the table of languages that has these two. Tested by self_test.py.
"""

import c_loops  # noqa: F401  # pylint: disable=unused-import
import c_regions  # noqa: F401  # pylint: disable=unused-import
import c_orders  # noqa: F401  # pylint: disable=unused-import
import c_target  # noqa: F401  # pylint: disable=unused-import
import c_tasks  # noqa: F401  # pylint: disable=unused-import
from c_base import WRITERS

PRELUDE = r"""
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;
typedef long long i64;
#define U(x) ((u64)(x))
static u64 A[8];
static void add(int k, u64 v)
{
#pragma omp atomic
    A[k] += v;
}
static u64 tp;
#pragma omp threadprivate(tp)
/* What a thread has met: the last number, the first of a kind, how many, and how often they fell. */
struct met { int last, first, count, falls; };
static void order_work(int much)
{
    volatile u64 x = 1;
    while (much-- > 0)
        x = x * 3 + 1;
}
__attribute__((unused)) static void order_meet(struct met *met, int i, int modulo, int rest, int much)
{
    met->falls += i <= met->last;
    met->last = i;
    met->count++;
    if (met->first == 9999 && i % modulo == rest)
        met->first = i;
    order_work(much);
}
struct pair { u64 s, x; };
struct big { u64 x[40]; };
struct aligned { u64 x[8]; } __attribute__((aligned(64)));
#pragma omp declare reduction(merge : struct pair : omp_out.s += omp_in.s, omp_out.x ^= omp_in.x) \
    initializer(omp_priv = {0, 0})
static int opaque_int(int x) { static volatile int zero; return x + zero; }
static unsigned opaque_unsigned(unsigned x) { static volatile unsigned zero; return x + zero; }
static i64 opaque_i64(i64 x) { static volatile i64 zero; return x + zero; }
static u64 opaque_u64(u64 x) { static volatile u64 zero; return x + zero; }
static inline void unused(void)
{
    (void)add, (void)opaque_int, (void)opaque_unsigned, (void)opaque_i64, (void)opaque_u64;
}
"""

PRELUDE_CXX = r"""
#include <vector>

static int live; /* objects of Sum that exist */
struct Sum {
    u64 v;
    Sum() : v(0) { count(1); }
    explicit Sum(u64 x) : v(x) { count(1); }
    Sum(const Sum &o) : v(o.v) { count(1); }
    Sum &operator=(const Sum &o) { v = o.v; return *this; }
    ~Sum() { v = 77; count(-1); }
    Sum &operator+=(const Sum &o) { v += o.v; return *this; }
    static void count(int d)
    {
#pragma omp atomic
        live += d;
    }
};
#pragma omp declare reduction(+ : Sum : omp_out += omp_in)
struct Thrown { u64 v; };
"""

MAIN = r"""
int main(int argc, char **argv)
{
    int from = argc > 1 ? atoi(argv[1]) : 0, to = argc > 2 ? atoi(argv[2]) : CASES - 1;
    for (int c = 0; c < CASES; c++) {
        if (cases[c].number < from || cases[c].number > to)
            continue;
        memset(A, 0, sizeof A);
        omp_set_max_active_levels(cases[c].max_active);
        /* Where there is no parallel region the runtime may defer tasks all the same, up to here. */
#pragma omp taskgroup
        cases[c].run();
        printf("%d", cases[c].number);
        for (int k = 0; k < 8; k++)
            printf(" %llx", A[k]);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
"""


def program(cases, language):
    """The whole text of a source file."""
    parts = [PRELUDE.strip("\n")]
    if language == "c++":
        parts.append(PRELUDE_CXX.strip("\n"))
    for case in cases:
        source, _ = case.texts(WRITERS, language)
        parts.append("\nstatic void case_%d(void)\n{\n%s\n}" % (case.number, "\n".join(source)))
    parts.append("\n#define CASES %d" % len(cases))
    parts.append("static const struct { int number, max_active; void (*run)(void); } cases[CASES] = {")
    parts += ["    {%d, %d, case_%d}," % (c.number, c.max_active, c.number) for c in cases]
    parts.append("};\n" + MAIN.strip("\n"))
    return "\n".join(parts) + "\n"
