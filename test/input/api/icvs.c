/* Routines of omp.h that take numbers, with 0, negative ones, INT_MIN and INT_MAX: each has the effect that it has in
 * libgomp, and a region afterwards has the right team. The Fortran entry points do the same through pointers, and clip
 * integers of eight bytes.
 * limit: 60 */
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "../../conformance/common.h"

enum { COUNT = 5 };
static const int numbers[COUNT] = {0, -1, INT_MIN, INT_MAX, 7};

#define FORTRAN(name)                   \
    extern void name##_(const int32_t *); \
    extern void name##_8_(const int64_t *);
FORTRAN(omp_set_num_threads)
FORTRAN(omp_set_max_active_levels)
FORTRAN(omp_set_num_teams)
FORTRAN(omp_set_teams_thread_limit)
FORTRAN(omp_set_default_device)
FORTRAN(omp_set_dynamic)
FORTRAN(omp_set_nested)
extern int32_t omp_get_ancestor_thread_num_(const int32_t *), omp_get_ancestor_thread_num_8_(const int64_t *);
extern int32_t omp_get_team_size_(const int32_t *), omp_get_team_size_8_(const int64_t *);
extern void omp_set_schedule_(const int32_t *, const int32_t *), omp_set_schedule_8_(const int32_t *, const int64_t *);
extern int32_t omp_get_place_num_procs_(const int32_t *), omp_get_place_num_procs_8_(const int64_t *);
extern void omp_get_place_proc_ids_(const int32_t *, int32_t *), omp_get_place_proc_ids_8_(const int64_t *, int64_t *);
extern int32_t omp_pause_resource_(const int32_t *, const int32_t *), omp_pause_resource_all_(const int32_t *);

/* Calls one form of a routine with a number. */
#define CALL(form, name, number)                                   \
    do {                                                           \
        int32_t small = (number);                                  \
        int64_t large = small == INT_MAX ? INT64_MAX : small == INT_MIN ? INT64_MIN : small; \
        if ((form) == 0)                                           \
            name(number);                                          \
        else if ((form) == 1)                                      \
            name##_(&small);                                       \
        else                                                       \
            name##_8_(&large);                                     \
    } while (0)

static void check_region(void)
{
    int members = 0, bad = 0;
#pragma omp parallel num_threads(3) reduction(+ : members) reduction(+ : bad)
    {
        members++;
        bad += omp_get_num_threads() != 3;
        bad += omp_get_ancestor_thread_num(1) != omp_get_thread_num() || omp_get_ancestor_thread_num(0) != 0;
        for (int i = 0; i < COUNT; i++)
            if (numbers[i] != 0)
                bad += omp_get_ancestor_thread_num(numbers[i]) != -1 || omp_get_team_size(numbers[i]) != -1;
    }
    CHECK(members == 3 && bad == 0);
}

static void setters(int form)
{
    for (int i = 0; i < COUNT; i++) {
        int number = numbers[i];
        CALL(form, omp_set_num_threads, number);
        CHECK(omp_get_max_threads() == (number > 0 ? number : 1));
        omp_set_num_threads(2);

        omp_set_max_active_levels(3);
        CALL(form, omp_set_max_active_levels, number);
        int most = omp_get_supported_active_levels();
        CHECK(omp_get_max_active_levels() == (number < 0 ? 3 : number < most ? number : most));
        omp_set_max_active_levels(1);

        omp_set_num_teams(4);
        CALL(form, omp_set_num_teams, number);
        CHECK(omp_get_max_teams() == (number < 0 ? 4 : number));
        omp_set_num_teams(0);

        omp_set_teams_thread_limit(4);
        CALL(form, omp_set_teams_thread_limit, number);
        CHECK(omp_get_teams_thread_limit() == (number < 0 ? 4 : number));
        omp_set_teams_thread_limit(0);

        CALL(form, omp_set_dynamic, number);
        CHECK(omp_get_dynamic() == (number != 0));
        omp_set_dynamic(0);
        check_region();
    }
}

static void schedules(int form)
{
    static const int kinds[] = {0, -1, 5, 100, INT_MAX, INT_MIN, (int)0x80000005u};
    omp_sched_t kind;
    int chunk;
    for (int k = 0; k < 7; k++) {
        int32_t wrong = kinds[k], four = 4;
        int64_t four8 = 4;
        omp_set_schedule(omp_sched_guided, 9);
        if (form == 0)
            omp_set_schedule((omp_sched_t)wrong, 4);
        else if (form == 1)
            omp_set_schedule_(&wrong, &four);
        else
            omp_set_schedule_8_(&wrong, &four8);
        omp_get_schedule(&kind, &chunk);
        CHECK(kind == omp_sched_guided && chunk == 9);
    }
    for (int i = 0; i < COUNT; i++) {
        int32_t dynamic = omp_sched_dynamic, size = numbers[i];
        int64_t size8 = size == INT_MIN ? INT64_MIN : size == INT_MAX ? INT64_MAX : size;
        if (form == 0)
            omp_set_schedule(omp_sched_dynamic, size);
        else if (form == 1)
            omp_set_schedule_(&dynamic, &size);
        else
            omp_set_schedule_8_(&dynamic, &size8);
        omp_get_schedule(&kind, &chunk);
        CHECK(kind == omp_sched_dynamic && chunk == (size > 0 ? size : 1));
        long sum = 0;
#pragma omp parallel for num_threads(3) schedule(runtime) reduction(+ : sum)
        for (int j = 0; j < 1000; j++)
            sum += j;
        CHECK(sum == 499500);
    }
}

int main(void)
{
    for (int form = 0; form < 3; form++) {
        setters(form);
        schedules(form);
    }
    for (int i = 0; i < COUNT; i++) {
        int32_t small = numbers[i], host = omp_get_initial_device();
        int64_t large = small == INT_MIN ? INT64_MIN : small == INT_MAX ? INT64_MAX : small, large_ids[4] = {-7};
        int ids[4] = {-7};
        CHECK(omp_get_ancestor_thread_num(small) == (small == 0 ? 0 : -1) &&
              omp_get_ancestor_thread_num_(&small) == (small == 0 ? 0 : -1) &&
              omp_get_ancestor_thread_num_8_(&large) == (small == 0 ? 0 : -1));
        CHECK(omp_get_team_size(small) == (small == 0 ? 1 : -1) &&
              omp_get_team_size_(&small) == (small == 0 ? 1 : -1) &&
              omp_get_team_size_8_(&large) == (small == 0 ? 1 : -1));
        /* Without places. */
        CHECK(omp_get_place_num_procs(small) == 0 && omp_get_place_num_procs_(&small) == 0 &&
              omp_get_place_num_procs_8_(&large) == 0);
        omp_get_place_proc_ids(small, ids);
        omp_get_place_proc_ids_(&small, ids);
        omp_get_place_proc_ids_8_(&large, large_ids);
        CHECK(ids[0] == -7 && large_ids[0] == -7);
        /* A kind that does not exist: libgomp pauses all the same, ours does not. Both go on. */
        omp_pause_resource((omp_pause_resource_t)small, host);
        omp_pause_resource_(&small, &host);
        omp_pause_resource_all((omp_pause_resource_t)small);
        omp_pause_resource_all_(&small);
        /* A device that does not exist. */
        if (small != 0 && small != -1)
            CHECK(omp_pause_resource(omp_pause_soft, small) != 0);
        omp_set_default_device(small);
        CHECK(omp_get_default_device() == small || small < 0);
        omp_set_default_device(0);
    }
    check_region();
    return 0;
}
