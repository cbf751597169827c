/* OMP_PLACES by a name: each place is what the kernel says that its CPUs share, neighbours in the list share most, and
 * a thread of a team with one member for each place runs there.
 */
#define _GNU_SOURCE
#include "machine.h"

static cpu_set_t usable;
static const char *kind;

/* The place that has the CPU. */
static int place_of(int cpu)
{
    for (int place = 0; place < omp_get_num_places(); place++) {
        cpu_set_t cpus;
        cpus_of_place(place, &cpus);
        if (CPU_ISSET(cpu, &cpus))
            return place;
    }
    return -1;
}

/* Whether the places that have CPUs of the same `group` come one after the other. */
static void check_together(const char *group)
{
    for (int cpu = 0; cpu < MOST; cpu++) {
        if (!CPU_ISSET(cpu, &usable))
            continue;
        cpu_set_t all;
        char has[MOST] = {0};
        sharing(group, cpu, &all);
        CPU_AND(&all, &all, &usable);
        int first = MOST, last = -1, places = 0;
        for (int other = 0; other < MOST; other++)
            if (CPU_ISSET(other, &all)) {
                int place = place_of(other);
                places += !has[place];
                has[place] = 1;
                first = place < first ? place : first;
                last = place > last ? place : last;
            }
        CHECK(last - first + 1 == places, "%s: those with CPUs of the same of %s as CPU %d lie between %d and %d", kind,
              group, cpu, first, last);
    }
}

static void check_list(void)
{
    cpu_set_t seen;
    CPU_ZERO(&seen);
    for (int place = 0; place < omp_get_num_places(); place++) {
        cpu_set_t cpus, expected, both;
        cpus_of_place(place, &cpus);
        int first = 0;
        while (!CPU_ISSET(first, &cpus))
            first++;
        sharing(kind, first, &expected);
        CPU_AND(&expected, &expected, &usable);
        CHECK(CPU_EQUAL(&cpus, &expected), "%s: place %d has %d CPUs, CPU %d shares with %d", kind, place,
              CPU_COUNT(&cpus), first, CPU_COUNT(&expected));
        CPU_AND(&both, &seen, &cpus);
        CHECK(CPU_COUNT(&both) == 0, "%s: place %d has CPUs of another one", kind, place);
        CPU_OR(&seen, &seen, &cpus);
    }
    CHECK(CPU_EQUAL(&seen, &usable), "%s: the places have %d CPUs, the process %d", kind, CPU_COUNT(&seen),
          CPU_COUNT(&usable));
}

int main(void)
{
    kind = getenv("OMP_PLACES");
    CHECK(kind != NULL, "OMP_PLACES is not set");
    expected_cpus(&usable);
    check_list();
    check_together("cores");
    check_together("sockets");
    int places = omp_get_num_places(), members = 0;
#pragma omp parallel num_threads(places) proc_bind(close) reduction(+ : members)
    {
        cpu_set_t cpus, mask;
        members++;
        CHECK(omp_get_num_threads() == places, "%d threads for %d places", omp_get_num_threads(), places);
        CHECK(omp_get_place_num() == omp_get_thread_num(), "member %d is at place %d", omp_get_thread_num(),
              omp_get_place_num());
        cpus_of_place(omp_get_place_num(), &cpus);
        CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &cpus), "member %d has another mask",
              omp_get_thread_num());
        CHECK(CPU_ISSET(sched_getcpu(), &cpus), "member %d runs elsewhere", omp_get_thread_num());
    }
    CHECK(members == places, "%d members for %d places", members, places);
    return 0;
}
