/* A runtime of the textbook kind, as libgomp.so.1: one mutex, and condition variables for what is waited for. It is the
 * baseline that bench/locks.py measures beside the others, to show what waiting without locks is worth.
 *
 * It has what the rows of bench/locks.py call: parallel regions of one level, barriers, critical sections, locks. A
 * region's master hands out the work under the mutex and wakes all workers; a worker that is in the team runs it and
 * counts itself out. Workers sleep whenever they wait, and the last thread to arrive at a barrier wakes the others.
 * Static loops need nothing of a runtime but the barrier.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* lock pool.mutex: everything but `critical` */
static struct {
    pthread_mutex_t mutex, critical;
    pthread_cond_t work, done, all_there;
    void (*function)(void *);
    void *data;
    unsigned team, workers, running; /* threads of the region; made so far; workers still in the region */
    unsigned arrived;                /* at the barrier */
    uint64_t region, barrier;        /* how many there were */
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .critical = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER, .all_there = PTHREAD_COND_INITIALIZER, .team = 1};

static __thread unsigned number; /* in the team */

static void *serve(void *argument)
{
    number = (unsigned)(uintptr_t)argument;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool.mutex);
    for (;;) {
        while (pool.region == seen)
            pthread_cond_wait(&pool.work, &pool.mutex);
        seen = pool.region;
        if (number >= pool.team)
            continue;
        pthread_mutex_unlock(&pool.mutex);
        pool.function(pool.data);
        pthread_mutex_lock(&pool.mutex);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.done);
    }
    return NULL;
}

static unsigned default_team(void)
{
    const char *asked = getenv("OMP_NUM_THREADS");
    long threads = asked != NULL ? strtol(asked, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
    return threads > 0 ? (unsigned)threads : 1;
}

/* lock pool.mutex */
static void make_workers(unsigned count)
{
    for (; pool.workers < count; pool.workers++) {
        pthread_t worker;
        if (pthread_create(&worker, NULL, serve, (void *)(uintptr_t)(pool.workers + 1)) != 0) {
            fprintf(stderr, "locked: cannot create a thread; use fewer\n");
            exit(1);
        }
    }
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_barrier(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
void omp_set_dynamic(int on);
void omp_set_num_threads(int threads);
void omp_set_max_active_levels(int levels);
void omp_init_lock(int *lock);
void omp_destroy_lock(int *lock);
void omp_set_lock(int *lock);
void omp_unset_lock(int *lock);

static unsigned team_asked; /* by omp_set_num_threads; 0: nothing */

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags; /* proc_bind */
    if (threads == 0)
        threads = team_asked != 0 ? team_asked : default_team();
    pthread_mutex_lock(&pool.mutex);
    make_workers(threads - 1);
    pool.function = function;
    pool.data = data;
    pool.team = threads;
    pool.running = threads - 1;
    pool.region++;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
    function(data);
    pthread_mutex_lock(&pool.mutex);
    while (pool.running > 0)
        pthread_cond_wait(&pool.done, &pool.mutex);
    pool.team = 1;
    pthread_mutex_unlock(&pool.mutex);
}

void GOMP_barrier(void)
{
    pthread_mutex_lock(&pool.mutex);
    uint64_t mine = pool.barrier;
    if (++pool.arrived == pool.team) {
        pool.arrived = 0;
        pool.barrier++;
        pthread_cond_broadcast(&pool.all_there);
    }
    while (pool.barrier == mine)
        pthread_cond_wait(&pool.all_there, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
}

void GOMP_critical_start(void)
{
    pthread_mutex_lock(&pool.critical);
}

void GOMP_critical_end(void)
{
    pthread_mutex_unlock(&pool.critical);
}

int omp_get_thread_num(void)
{
    return (int)number;
}

/* Of the thread's region: it does not change while the region runs. */
int omp_get_num_threads(void)
{
    return (int)pool.team;
}

void omp_set_num_threads(int threads)
{
    team_asked = threads > 0 ? (unsigned)threads : 0;
}

/* A team always has the size that was asked for. */
void omp_set_dynamic(int on)
{
    (void)on;
}

/* There is one level. */
void omp_set_max_active_levels(int levels)
{
    (void)levels;
}

/* A lock is an int, 1 while a thread has it; lock pool.critical. */
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;

void omp_init_lock(int *lock)
{
    *lock = 0;
}

void omp_destroy_lock(int *lock)
{
    (void)lock;
}

void omp_set_lock(int *lock)
{
    pthread_mutex_lock(&pool.critical);
    while (*lock)
        pthread_cond_wait(&released, &pool.critical);
    *lock = 1;
    pthread_mutex_unlock(&pool.critical);
}

void omp_unset_lock(int *lock)
{
    pthread_mutex_lock(&pool.critical);
    *lock = 0;
    pthread_cond_signal(&released);
    pthread_mutex_unlock(&pool.critical);
}
