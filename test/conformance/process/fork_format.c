/* fork() while another thread reads affinity-format-var: the child can read and set it. The format is long, so that the
   other thread is nearly always in the routine.
   symbols: omp_get_affinity_format omp_set_affinity_format */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../common.h"
#include "../../child.h"

enum { LENGTH = 8 << 20, FORKS = 5 };

static char format[LENGTH + 1], copy[LENGTH + 1];
static int rounds, stop;

static void *reader(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        CHECK(omp_get_affinity_format(copy, sizeof copy) == LENGTH);
        __atomic_add_fetch(&rounds, 1, __ATOMIC_RELEASE);
    }
    return unused;
}

static void has_the_format(void)
{
    char start[8];
    CHECK(omp_get_affinity_format(start, sizeof start) == LENGTH && strncmp(start, "xxxxxxx", 7) == 0);
    omp_set_affinity_format("short");
    CHECK(omp_get_affinity_format(start, sizeof start) == 5 && strcmp(start, "short") == 0);
}

int main(void)
{
    pthread_t thread;
    memset(format, 'x', LENGTH);
    omp_set_affinity_format(format);
    CHECK(pthread_create(&thread, NULL, reader, NULL) == 0);
    for (int i = 0; i < FORKS; i++) {
        int before = __atomic_load_n(&rounds, __ATOMIC_ACQUIRE);
        while (__atomic_load_n(&rounds, __ATOMIC_ACQUIRE) <= before)
            usleep(100);
        in_child(has_the_format);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    CHECK(pthread_join(thread, NULL) == 0);
    return 0;
}
