/* The program of the mixed pairs: regions, loops, locks and threadprivate variables across the boundary between code by
 * two compilers, and one pool for both. See mixed.sh. */
#include <omp.h>

#include "../conformance/common.h"

extern int library_threads;
long library_sum(int count, int threads);
int library_thread(void), library_team(void), library_level(void), library_get(void);
void library_loop(int count, int *hits);
void library_locked(void *lock, long *count);
void library_set(int value);
void library_region(int threads, void (*each)(void *), void *data);

enum { THREADS = 3, COUNT = 300, TURNS = 200 };

static void same_team(void)
{
    int hits[COUNT] = {0};
#pragma omp parallel num_threads(THREADS)
    {
        CHECK(library_thread() == omp_get_thread_num() && library_team() == THREADS && library_level() == 1);
        for (int turn = 0; turn < TURNS; turn++) {
            library_loop(COUNT, hits);
#pragma omp for schedule(dynamic, 7)
            for (int i = 0; i < COUNT; i++)
                hits[i]++;
        }
    }
    CHECK(library_threads == THREADS);
    for (int i = 0; i < COUNT; i++)
        CHECK(hits[i] == 2 * TURNS);
}

static void nested(void)
{
    long sums = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : sums)
    sums += library_sum(COUNT, 2);
    CHECK(sums == 2L * COUNT * (COUNT - 1) / 2);
}

static omp_lock_t lock;
static long locked;

static void count_locked(void *data)
{
    (void)data;
    for (int i = 0; i < TURNS; i++) {
        omp_set_lock(&lock);
        locked++;
        omp_unset_lock(&lock);
        library_locked(&lock, &locked);
    }
}

static void locks(void)
{
    omp_init_lock(&lock);
    library_region(THREADS, count_locked, NULL);
    CHECK(locked == 2L * THREADS * TURNS);
    omp_destroy_lock(&lock);
}

static void threadprivate(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        CHECK(library_get() == 3);
        library_set(10 + omp_get_thread_num());
    }
#pragma omp parallel num_threads(THREADS)
    CHECK(library_get() == 10 + omp_get_thread_num());
}

int main(void)
{
    /* Regions of both kinds of code alternate, and the process has no more threads than the largest one. */
    int before = os_threads();
    for (int turn = 0; turn < TURNS; turn++) {
        long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(THREADS)
        for (int i = 0; i < COUNT; i++)
            sum += i;
        CHECK(sum == library_sum(COUNT, THREADS));
    }
    CHECK(os_threads() >= THREADS && os_threads_at_most(before + THREADS - 1));
    threadprivate();
    same_team();
    nested();
    locks();
    return 0;
}
