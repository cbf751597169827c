/* A limit on stacks that main() sets before its first call is that of the workers, as on libomp, also where it is
   lower. The program starts itself again with a limit of 8 MB. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../conformance/common.h"

extern size_t kmp_get_stacksize_s(void);

enum { MB = 1 << 20 };

/* False: the hard limit is in the way. */
static bool limit_stacks(rlim_t bytes)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
    limit.rlim_cur = bytes;
    return (limit.rlim_max == RLIM_INFINITY || bytes <= limit.rlim_max) && setrlimit(RLIMIT_STACK, &limit) == 0;
}

static int use(size_t bytes)
{
    volatile char block[bytes];
    for (size_t at = 0; at < bytes; at += 4096)
        block[at] = 1;
    return block[bytes / 2 / 4096 * 4096];
}

/* A function of its own, because clang's code calls the runtime at the beginning of one with a region. */
static __attribute__((noinline)) int regions(size_t bytes)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += use(bytes);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc == 1) {
        if (!limit_stacks(48 * MB)) {
            puts("the stack's hard limit is in the way");
            return 77;
        }
        for (int i = 0; i < 2; i++) {
            pid_t child = fork();
            if (child == 0) {
                CHECK(limit_stacks(8 * MB));
                execl("/proc/self/exe", argv[0], i == 0 ? "48" : "2", (char *)NULL);
                _exit(1);
            }
            int status;
            CHECK(waitpid(child, &status, 0) == child && status == 0);
        }
        return 0;
    }
    size_t limit = (size_t)atoi(argv[1]) * MB;
    CHECK(limit_stacks(limit));
    CHECK(regions(limit / 4 * 3) == 3);
    CHECK(kmp_get_stacksize_s() == limit);
    return 0;
}
