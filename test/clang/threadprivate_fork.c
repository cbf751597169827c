/* Threadprivate variables without thread-local storage in the child of fork(): the calling thread has its copies, and
 * the others begin as new threads do, with none that a thread of the parent had.
 *
 * symbols: __kmpc_threadprivate_cached
 * ghcomp-only: LLVM 19's libomp gives them the copies of the parent's threads
 * cflags: -fnoopenmp-use-tls
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"
#include "../child.h"

enum { THREADS = 4 };

static int mine = 7;
static char wide[3000] = "initial";
#pragma omp threadprivate(mine, wide)

static void set_all(int base)
{
#pragma omp parallel num_threads(THREADS)
    {
        mine = base + omp_get_thread_num();
        snprintf(wide, sizeof wide, "thread %d", mine);
    }
}

static void check_all(int base)
{
#pragma omp parallel num_threads(THREADS)
    {
        char expected[30];
        snprintf(expected, sizeof expected, "thread %d", base + omp_get_thread_num());
        CHECK(mine == base + omp_get_thread_num() && strcmp(wide, expected) == 0);
    }
}

static void begins_anew(void)
{
    CHECK(mine == 100 && strcmp(wide, "thread 100") == 0);
#pragma omp parallel num_threads(THREADS)
    if (omp_get_thread_num() != 0)
        CHECK(mine == 7 && strcmp(wide, "initial") == 0);
    set_all(200);
    check_all(200);
}

int main(void)
{
    omp_set_dynamic(0);
    set_all(100);
    in_child(begins_anew);
    check_all(100);
    return 0;
}
