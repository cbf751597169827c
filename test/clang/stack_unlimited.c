/* Where the process's stack is not limited, workers have 64 MB, as on libomp; the system would give them 2 MB. The
   program starts itself again without a limit. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../conformance/common.h"

extern int kmp_get_stacksize(void);
extern size_t kmp_get_stacksize_s(void);

static int use(size_t bytes)
{
    volatile char block[bytes];
    for (size_t at = 0; at < bytes; at += 4096)
        block[at] = 1;
    return block[bytes / 2 / 4096 * 4096];
}

int main(int argc, char **argv)
{
    (void)argc;
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
    if (limit.rlim_cur != RLIM_INFINITY) {
        if (limit.rlim_max != RLIM_INFINITY) {
            puts("the stack's hard limit is in the way");
            return 77;
        }
        limit.rlim_cur = RLIM_INFINITY;
        CHECK(setrlimit(RLIMIT_STACK, &limit) == 0);
        execv("/proc/self/exe", argv);
        return 1;
    }
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += use((size_t)48 << 20);
    CHECK(sum == 3);
    CHECK(kmp_get_stacksize() == 64 << 20 && kmp_get_stacksize_s() == (size_t)64 << 20);
    return 0;
}
