/* GCC 17's routines about dimensions: teams and leagues have one, and each further one is 1 wide; and about devices:
   the host is near, a missing one has no distance.
   ghcomp-only: libgomp 12 lacks these routines
   symbols: omp_get_num_teams_dim omp_get_team_num_dim omp_get_num_threads_dim omp_get_thread_num_dim
   symbols: omp_get_thread_limit_dim omp_get_supported_teams_dim omp_get_supported_threads_dim omp_get_device_distances
   symbols: omp_get_supported_active_team_dims omp_get_supported_active_team_dims_
   symbols: omp_get_supported_active_league_dims omp_get_supported_active_league_dims_ */
#include "trunk.h"

#include <limits.h>
#include <stdint.h>

typedef int of_one(int);
typedef int of_two(int, int);
typedef int32_t of_fortran(const int32_t *, const int32_t *);

static void *routine(const char *name)
{
    void *address = dlvsym(RTLD_DEFAULT, name, "OMP_6.1");
    CHECK(address != NULL);
    return address;
}

static of_one *num_teams, *team_num, *num_threads, *thread_num, *thread_limit;

static void in_a_team(void)
{
    static const int others[] = {1, 2, 3, -1, INT_MAX};
    CHECK(num_teams(0) == omp_get_num_teams() && team_num(0) == omp_get_team_num());
    CHECK(num_threads(0) == omp_get_num_threads() && thread_num(0) == omp_get_thread_num());
    CHECK(thread_limit(0) == omp_get_thread_limit());
    for (int i = 0; i < 5; i++) {
        CHECK(num_teams(others[i]) == 1 && num_threads(others[i]) == 1 && thread_limit(others[i]) == 1);
        CHECK(team_num(others[i]) == 0 && thread_num(others[i]) == 0);
    }
}

static void supports(const char *name)
{
    of_two *supported = (of_two *)routine(name);
    int host = omp_get_initial_device();
    CHECK(supported(host, 0) == INT_MAX && supported(-1, 0) == INT_MAX && supported(-5, 0) == INT_MAX);
    CHECK(supported(host, 1) == 1 && supported(-1, 2) == 1 && supported(host, -1) == 1);
    CHECK(supported(host + 1, 0) == -1 && supported(-4, 0) == -1 && supported(INT_MAX, 1) == -1);
}

static void has_one_active(const char *name, const char *in_fortran)
{
    int32_t host = -1, yes = 1;
    CHECK(((of_two *)routine(name))(-1, 0) == 1 && ((of_two *)routine(name))(0, 1) == 1);
    CHECK(((of_fortran *)routine(in_fortran))(&host, &yes) == 1);
}

int main(void)
{
    num_teams = (of_one *)routine("omp_get_num_teams_dim");
    team_num = (of_one *)routine("omp_get_team_num_dim");
    num_threads = (of_one *)routine("omp_get_num_threads_dim");
    thread_num = (of_one *)routine("omp_get_thread_num_dim");
    thread_limit = (of_one *)routine("omp_get_thread_limit_dim");
    in_a_team();
#pragma omp parallel num_threads(3)
    in_a_team();
#pragma omp teams num_teams(3) thread_limit(2)
    in_a_team();
    supports("omp_get_supported_teams_dim");
    supports("omp_get_supported_threads_dim");
    has_one_active("omp_get_supported_active_team_dims", "omp_get_supported_active_team_dims_");
    has_one_active("omp_get_supported_active_league_dims", "omp_get_supported_active_league_dims_");

    void (*distances)(int, const int *, int *) = (void (*)(int, const int *, int *))routine("omp_get_device_distances");
    int devices[] = {-1, omp_get_initial_device(), 7, -5, -4, INT_MAX, -1}, found[] = {9, 9, 9, 9, 9, 9, 9};
    distances(6, devices, found);
    CHECK(found[0] == 0 && found[1] == 0 && found[2] == -1 && found[3] == 0 && found[4] == -1 && found[5] == -1);
    CHECK(found[6] == 9);
    distances(0, NULL, NULL);
    distances(-1, NULL, NULL);
    return 0;
}
