/* kmp_set_affinity where places are in use, as on libomp: the thread is on no place any more, and regions of the
 * calling task bind none of their members. A worker that has set its mask keeps it until its team has another size or
 * binding.
 *
 * symbols: kmp_set_affinity
 * env: OMP_PLACES=threads OMP_PROC_BIND=close
 * cflags: -D_GNU_SOURCE
 * hosts: posix ghc
 */
#include <omp.h>
#include <sched.h>

#include "kmp.h"

enum { MOST = 3 };

static struct {
    cpu_set_t mask;
    int place, bind;
} seen[MOST];
static cpu_set_t all, last; /* the CPUs of the process, and the one with the highest number */
static int places;

static void see(int member)
{
    CHECK(sched_getaffinity(0, sizeof(cpu_set_t), &seen[member].mask) == 0);
    seen[member].place = omp_get_place_num();
    seen[member].bind = omp_get_proc_bind();
}

static void region(int threads)
{
#pragma omp parallel num_threads(threads)
    see(omp_get_thread_num());
}

static void region_with_a_clause(int threads)
{
#pragma omp parallel num_threads(threads) proc_bind(spread)
    see(omp_get_thread_num());
}

static void set_last(void)
{
    kmp_affinity_mask_t mask;
    kmp_create_affinity_mask(&mask);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &last))
            CHECK(kmp_set_affinity_mask_proc(cpu, &mask) == 0);
    CHECK(kmp_set_affinity(&mask) == 0);
    kmp_destroy_affinity_mask(&mask);
}

static int is_bound(int member)
{
    return seen[member].place == member % places && CPU_COUNT(&seen[member].mask) == 1 &&
           seen[member].bind == omp_proc_bind_close;
}

static int is_loose(int member, const cpu_set_t *mask)
{
    return seen[member].place == -1 && CPU_EQUAL(&seen[member].mask, mask);
}

static void a_worker(void)
{
    region(2);
    CHECK(is_bound(0) && is_bound(1));
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        set_last();
        see(1);
        CHECK(omp_get_partition_num_places() == places);
    }
    CHECK(is_loose(1, &last) && seen[1].bind == omp_proc_bind_false);
    region(2);
    CHECK(is_bound(0) && is_loose(1, &last) && seen[1].bind == omp_proc_bind_close);
    region_with_a_clause(2);
    region(2);
    CHECK(is_bound(0) && is_bound(1));
}

static void the_master(void)
{
    set_last();
    see(0);
    CHECK(is_loose(0, &last) && seen[0].bind == omp_proc_bind_false && omp_get_partition_num_places() == places);
    for (int round = 0; round < 4; round++) {
        if (round % 2)
            region_with_a_clause(2);
        else
            region(2);
        CHECK(is_loose(0, &last) && seen[0].bind == omp_proc_bind_false);
        CHECK(seen[1].place == 1 % places && CPU_COUNT(&seen[1].mask) == 1 && seen[1].bind == omp_proc_bind_false);
    }
    region(3);
    CHECK(is_loose(0, &last) && is_loose(2, &all));
    see(0);
    CHECK(is_loose(0, &last));
}

int main(void)
{
    omp_set_dynamic(0);
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            CPU_ZERO(&last);
            CPU_SET(cpu, &last);
        }
    places = omp_get_num_places();
    CHECK(places == CPU_COUNT(&all));
    a_worker();
    the_master();
    return 0;
}
