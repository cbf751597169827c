/* Levels of nesting: limits on active levels, the deprecated nested flag, and the ancestors of a thread.
   symbols: omp_get_level omp_get_active_level omp_get_ancestor_thread_num omp_get_team_size
   symbols: omp_get_max_active_levels omp_set_max_active_levels omp_get_supported_active_levels
   symbols: omp_get_nested omp_set_nested */
#include <limits.h>
#include <omp.h>

#include "../common.h"

static void limits(void)
{
    int most = omp_get_supported_active_levels();
    CHECK(most >= 3 && omp_get_max_active_levels() == 1 && !omp_get_nested());
    omp_set_max_active_levels(-1);
    CHECK(omp_get_max_active_levels() == 1);
    omp_set_max_active_levels(INT_MIN);
    CHECK(omp_get_max_active_levels() == 1);
    omp_set_max_active_levels(INT_MAX);
    CHECK(omp_get_max_active_levels() == most);
    omp_set_max_active_levels(0);
    CHECK(omp_get_max_active_levels() == 0 && !omp_get_nested());
    omp_set_nested(0);
#ifdef __clang__ /* libomp's */
    CHECK(omp_get_max_active_levels() == 1);
#else
    CHECK(omp_get_max_active_levels() == 0);
#endif
    omp_set_nested(1);
    CHECK(omp_get_max_active_levels() == most && omp_get_nested());
    omp_set_max_active_levels(4);
    CHECK(omp_get_nested());
    omp_set_nested(0);
    CHECK(omp_get_max_active_levels() == 1 && !omp_get_nested());
}

static int total(void)
{
    int count = 0;
#pragma omp parallel num_threads(2) reduction(+ : count)
    {
#pragma omp parallel num_threads(2) reduction(+ : count)
        {
#pragma omp parallel num_threads(2) reduction(+ : count)
            count++;
        }
    }
    return count;
}

/* By gcc's code it says whether one more region may have several threads. */
static void nested_here(void)
{
    omp_set_max_active_levels(2);
    CHECK(omp_get_nested());
#pragma omp parallel num_threads(2)
    {
        CHECK(omp_get_nested());
#pragma omp parallel num_threads(2)
#ifdef __clang__
        CHECK(omp_get_nested());
#else
        CHECK(!omp_get_nested());
#endif
    }
}

static void effect(void)
{
    for (int levels = 0; levels <= 4; levels++) {
        omp_set_max_active_levels(levels);
        CHECK(total() == 1 << (levels < 3 ? levels : 3));
    }
}

static void ancestors(void)
{
    CHECK(omp_get_level() == 0 && omp_get_active_level() == 0);
    CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
    CHECK(omp_get_ancestor_thread_num(1) == -1 && omp_get_team_size(1) == -1);
    omp_set_max_active_levels(3);
    int seen = 0;
#pragma omp parallel num_threads(3) reduction(+ : seen)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(1) reduction(+ : seen)
        {
#pragma omp parallel num_threads(2) reduction(+ : seen)
            {
                CHECK(omp_get_level() == 3 && omp_get_active_level() == 2);
                CHECK(omp_get_ancestor_thread_num(-1) == -1 && omp_get_team_size(-1) == -1);
                CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
                CHECK(omp_get_ancestor_thread_num(1) == outer && omp_get_team_size(1) == 3);
                CHECK(omp_get_ancestor_thread_num(2) == 0 && omp_get_team_size(2) == 1);
                CHECK(omp_get_ancestor_thread_num(3) == omp_get_thread_num() && omp_get_team_size(3) == 2);
                CHECK(omp_get_ancestor_thread_num(4) == -1 && omp_get_team_size(4) == -1);
                CHECK(omp_get_ancestor_thread_num(INT_MAX) == -1 && omp_get_team_size(INT_MIN) == -1);
                seen += 1 + 10 * outer;
            }
        }
    }
    CHECK(seen == 6 + 2 * 30);
}

int main(void)
{
    limits();
    nested_here();
    effect();
    ancestors();
    return 0;
}
