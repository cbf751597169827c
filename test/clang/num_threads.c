/* The num_threads clause as a list, whose further numbers are for the levels below, and strict, by their entries.
 *
 * symbols: __kmpc_push_num_threads_list __kmpc_push_num_threads_strict __kmpc_push_num_threads_list_strict
 * ghcomp-only: libomp warns of a team that is too small with a text of its own
 * env: OMP_NUM_THREADS=2 OMP_MAX_ACTIVE_LEVELS=4 OMP_THREAD_LIMIT=16
 * expect-stderr: num_threads\(strict: 20\): the team has 16 threads: too many
 */
#include <omp.h>

#include "kmp.h"

void __kmpc_push_num_threads_list(place *, int32_t, uint32_t, int32_t *);
void __kmpc_push_num_threads_strict(place *, int32_t, int32_t, int32_t, const char *);
void __kmpc_push_num_threads_list_strict(place *, int32_t, uint32_t, int32_t *, int32_t, const char *);

enum { WARNING = 1, FATAL = 2 };

/* Sizes of three levels, as all their members see them. */
static void check_levels(int first, int second, int third)
{
    int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    {
        wrong += omp_get_num_threads() != first;
#pragma omp parallel reduction(+ : wrong)
        {
            wrong += omp_get_num_threads() != second;
#pragma omp parallel reduction(+ : wrong)
            wrong += omp_get_num_threads() != third;
        }
    }
    CHECK(wrong == 0);
}

int main(void)
{
    omp_set_dynamic(0);
    check_levels(2, 2, 2);
    {
        int32_t sizes[] = {3, 1, 2};
        __kmpc_push_num_threads_list(&here, thread_number(), 3, sizes);
        sizes[0] = sizes[1] = sizes[2] = 7; /* the clause was evaluated before */
        check_levels(3, 1, 2);
    }
    check_levels(2, 2, 2); /* it was for one region */
    int32_t two[] = {1, 3};
    __kmpc_push_num_threads_list(&here, thread_number(), 2, two);
    check_levels(1, 3, 3);
    CHECK(omp_get_max_threads() == 2);

    __kmpc_push_num_threads_strict(&here, thread_number(), 4, FATAL, "never said");
    CHECK(region_size() == 4);
    __kmpc_push_num_threads_strict(&here, thread_number(), 20, WARNING, "too many");
    CHECK(region_size() == 16);
    __kmpc_push_num_threads_list_strict(&here, thread_number(), 2, two, FATAL, "never said");
    check_levels(1, 3, 3);
    CHECK(region_size() == 2);
    /* A region of one thread because of its if clause takes the clauses, too. */
    __kmpc_push_num_threads_list_strict(&here, thread_number(), 2, two, FATAL, "never said");
#pragma omp parallel if (two[0] == 0)
    CHECK(omp_get_num_threads() == 1);
    CHECK(region_size() == 2);
    return 0;
}
