/* A target region is run by a new initial thread: it sees nothing of the encountering task, and leaves no trace.
   symbols: GOMP_target_ext */
#include <omp.h>

#include "../common.h"

static int default_threads, default_levels;

static void check_fresh(int limit)
{
    CHECK(omp_get_level() == 0 && omp_get_active_level() == 0 && !omp_in_parallel());
    CHECK(omp_get_thread_num() == 0 && omp_get_num_threads() == 1);
    CHECK(omp_get_team_num() == 0 && omp_get_num_teams() == 1);
    CHECK(omp_is_initial_device() && !omp_in_final());
    CHECK(omp_get_max_threads() == default_threads && omp_get_max_active_levels() == default_levels);
    CHECK(!omp_get_dynamic() && omp_get_default_device() == 0);
    CHECK(limit == 0 || omp_get_thread_limit() == limit);
}

static void set_everything(void)
{
    omp_set_num_threads(7);
    omp_set_dynamic(1);
    omp_set_default_device(0);
    omp_set_schedule(omp_sched_guided, 9);
}

static int in_another(void)
{
    int inside = 0;
#pragma omp target map(tofrom : inside)
    {
        check_fresh(0);
#pragma omp parallel num_threads(2) reduction(+ : inside)
        inside++;
    }
    return inside;
}

int main(void)
{
    default_threads = omp_get_max_threads();
    default_levels = omp_get_max_active_levels();
    omp_sched_t kind, inner_kind;
    int chunk, inner_chunk;
    omp_get_schedule(&kind, &chunk);
    set_everything();
    int passed = 0;
#pragma omp target map(tofrom : passed)
    {
        check_fresh(0);
        omp_get_schedule(&inner_kind, &inner_chunk);
        CHECK(inner_kind == kind && inner_chunk == chunk);
        omp_set_num_threads(5);
        omp_set_schedule(omp_sched_static, 77);
        passed++;
    }
    CHECK(passed == 1 && omp_get_max_threads() == 7 && omp_get_dynamic());
    omp_get_schedule(&kind, &chunk);
    CHECK(kind == omp_sched_guided && chunk == 9);
    omp_set_dynamic(0);

    /* The next one does not see what this one set. */
#pragma omp target map(tofrom : passed)
    {
        check_fresh(0);
        passed++;
    }
#pragma omp target thread_limit(3) map(tofrom : passed)
    {
        check_fresh(3);
        int threads = 0;
#pragma omp parallel num_threads(8)
#pragma omp single
        threads = omp_get_num_threads();
        CHECK(threads == 3);
        passed++;
    }
    CHECK(passed == 3 && omp_get_thread_limit() > 8);

    /* From the members of a team, all at once, and back in the same place. */
    int regions = 0;
#pragma omp parallel num_threads(5)
    {
        int number = omp_get_thread_num();
        for (int i = 0; i < 20; i++) {
#pragma omp target map(tofrom : regions)
            {
                check_fresh(0);
#pragma omp parallel num_threads(3)
                {
                    CHECK(omp_get_level() == 1 && omp_get_num_threads() == 3);
                    CHECK(omp_get_ancestor_thread_num(0) == 0);
                    CHECK(omp_get_ancestor_thread_num(1) == omp_get_thread_num());
#pragma omp atomic
                    regions++;
                }
                CHECK(omp_get_level() == 0);
            }
            CHECK(omp_get_thread_num() == number && omp_get_num_threads() == 5 && omp_get_level() == 1);
        }
#pragma omp barrier
        CHECK(regions == 5 * 20 * 3);
    }

    /* In each other. */
    int depth = 0;
#pragma omp target map(tofrom : depth)
    {
        omp_set_num_threads(2);
#pragma omp parallel reduction(+ : depth)
        {
            CHECK(omp_get_num_threads() == 2);
            depth += in_another();
            CHECK(omp_get_level() == 1 && omp_get_num_threads() == 2);
        }
        CHECK(omp_get_max_threads() == 2);
    }
    CHECK(depth == 4);
    return 0;
}
