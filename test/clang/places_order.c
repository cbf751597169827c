/* Which thread gets which place in clang's code, where OpenMP leaves it open: as on libomp. OMP_PROC_BIND=true is
 * spread. All places are the CPU 0, so that the test needs only one.
 *
 * env: OMP_PROC_BIND=true OMP_PLACES={0},{0},{0},{0},{0},{0},{0} OMP_MAX_ACTIVE_LEVELS=2
 * hosts: posix ghc
 */
#include <omp.h>
#include <string.h>

#include "kmp.h"

enum { MOST = 16, PLACES = 7 };

/* "place/partition" of each thread of a team, with an inner team's behind it. */
static char outer[MOST][32], inner[MOST][64];

static void write_slot(char *text)
{
    int nums[PLACES];
    omp_get_partition_place_nums(nums);
    sprintf(text + strlen(text), "%d/%d-%d ", omp_get_place_num(), nums[0], nums[omp_get_partition_num_places() - 1]);
}

static void expect(int threads, int inner_threads, const char *expected)
{
    char text[2048] = "";
    memset(outer, 0, sizeof outer);
    memset(inner, 0, sizeof inner);
#pragma omp parallel num_threads(threads)
    {
        int self = omp_get_thread_num();
        write_slot(outer[self]);
#pragma omp parallel num_threads(inner_threads)
        {
#pragma omp for ordered schedule(static, 1)
            for (int i = 0; i < inner_threads; i++) {
#pragma omp ordered
                write_slot(inner[self]);
            }
        }
    }
    for (int i = 0; i < threads; i++) {
        strcat(text, outer[i]);
        if (inner_threads > 1)
            strcat(strcat(text, "( "), strcat(inner[i], ") "));
    }
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "%d and %d threads: %s\nexpected: %s\n", threads, inner_threads, text, expected);
        exit(1);
    }
}

int main(void)
{
    if (omp_get_num_places() != PLACES) {
        printf("the process may not use CPU 0\n");
        return 77;
    }
    CHECK(omp_get_proc_bind() == omp_proc_bind_spread);
    expect(3, 1, "0/0-1 2/2-4 5/5-6 ");
    expect(5, 1, "0/0-0 1/1-2 3/3-3 4/4-5 6/6-6 ");
    expect(10, 1, "0/0-0 0/0-0 1/1-1 2/2-2 2/2-2 3/3-3 4/4-4 4/4-4 5/5-5 6/6-6 ");
    expect(2, 3, "0/0-3 ( 0/0-1 2/2-2 3/3-3 ) 4/4-6 ( 4/4-4 5/5-5 6/6-6 ) ");
    expect(2, 5, "0/0-3 ( 0/0-0 0/0-0 1/1-1 2/2-2 3/3-3 ) 4/4-6 ( 4/4-4 4/4-4 5/5-5 5/5-5 6/6-6 ) ");
    return 0;
}
