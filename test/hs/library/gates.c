/* A gate: a C function that blocks until it is told to go on, and reports that it does (Gate.hs). */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int entered; /* lock: calls that have arrived */
    int open;    /* lock */
};

struct gate *gate_new(void)
{
    struct gate *gate = calloc(1, sizeof *gate);
    if (gate == NULL)
        abort();
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->changed, NULL);
    return gate;
}

/* Blocks until the gate is open; the number of calls that had arrived by then, this one included. */
int gate_pass(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    int number = ++gate->entered;
    while (!gate->open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    return number;
}

void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->open = 1;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

int gate_entered(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    int entered = gate->entered;
    pthread_mutex_unlock(&gate->lock);
    return entered;
}

/* To be called when no thread is in gate_pass any more. */
void gate_free(struct gate *gate)
{
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
    free(gate);
}

/* A region of `size` threads, each of which calls with its number; the team's size. */
int gate_region(int size, void (*call)(int))
{
    int threads = 0;
#pragma omp parallel num_threads(size)
    {
        call(omp_get_thread_num());
#pragma omp single
        threads = omp_get_num_threads();
    }
    return threads;
}
