/* dyn-var bounds a team whose size the program asked for by a num_threads clause, too: it gets no more threads than
   there are CPUs, whether the program or the environment has set dyn-var.
   hosts: posix ghc
   symbols: omp_set_dynamic GOMP_parallel */
#include <omp.h>

#include "../common.h"

static int team(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    sum += 1;
    return sum;
}

int main(void)
{
    int many = 4 * omp_get_num_procs() + 3;
    omp_set_dynamic(0);
    CHECK(team(many) == many);
    omp_set_dynamic(1);
    for (int i = 0; i < 5; i++) {
        int size = team(many);
        CHECK(1 <= size && size <= omp_get_num_procs());
    }
    omp_set_dynamic(0);
    CHECK(team(many) == many);
    return 0;
}
