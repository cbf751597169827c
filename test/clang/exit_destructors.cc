/* At the process's end the workers end, and run the destructors of their thread-local variables, as on libomp: what
   each has noted comes out, also of inner regions.
   hosts: posix ghc
   expect-stdout: \A(noted 10\n){8}\Z */
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <unistd.h>

#include "../conformance/common.h"

struct Notes {
    int count;
    ~Notes()
    {
        if (count == 0)
            return;
        char line[40];
        int length = snprintf(line, sizeof line, "noted %d\n", count);
        CHECK(write(1, line, length) == length);
    }
};

static thread_local Notes notes;

/* All eight are there at once: a team that has ended leaves its threads to the other one. */
static void meet()
{
    static int there;
#pragma omp atomic update
    there++;
    for (int seen = 0; seen < 8; sched_yield()) {
#pragma omp atomic read
        seen = there;
    }
}

int main()
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        notes.count = 10;
#pragma omp parallel num_threads(4)
        {
            notes.count = 10;
            meet();
        }
    }
    std::exit(0);
}
