/* At the process's end the workers end, and run the destructors of their thread-local variables, as on libomp: what
   each has noted comes out, also of inner regions.
   hosts: posix ghc
   expect-stdout: \A(noted 10\n){8}\Z */
#include <omp.h>

#include <cstdio>
#include <cstdlib>
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

int main()
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        notes.count = 10;
#pragma omp parallel num_threads(4)
        notes.count = 10;
    }
    std::exit(0);
}
