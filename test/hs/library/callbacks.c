/* C code that calls Haskell: every function of ghcomp.h that takes a callback, on OpenMP teams and on threads that
   OpenMP does not know. CallbackTest.hs calls it. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "ghcomp.h"

/* The order is that of CallbackTest's Way. */
enum way { CALL, RANGE, ARRAY, EACH, BATCH, FUNPTR, MAP, FOLD, FOLD_INT, RECORDS, RECORDS_NO_RESULT };

struct argument {
    int number;
    double factor;
};
struct result {
    char pad;
    double product;
};

/* The work of all threads: the indices 0 .. count - 1, a contiguous part for each thread, except for EACH. */
struct job {
    enum way way;
    int threads;
    intptr_t count;
    void *callback;
    size_t room;              /* of a batch */
    double *numbers;          /* MAP: in place */
    struct argument *arguments;
    struct result *results;
    atomic_long next;         /* EACH: the first index that no thread has taken */
    double total[64];         /* FOLD, by thread */
    intptr_t total_int[64];
    int returned[64];
    pthread_barrier_t start;
};

struct member {
    struct job *job;
    int thread;
};

static int take(void *state, intptr_t *argument)
{
    struct job *job = state;
    *argument = atomic_fetch_add(&job->next, 1);
    return *argument < job->count;
}

static int run_part(struct job *job, int thread)
{
    intptr_t first = job->count * thread / job->threads, past = job->count * (thread + 1) / job->threads;
    size_t count = (size_t)(past - first);
    int failed = 0;
    switch (job->way) {
    case CALL:
        for (intptr_t i = first; i < past; i++)
            failed |= ghcomp_callback_call(job->callback, i);
        return failed;
    case RANGE:
        return ghcomp_callback_range(job->callback, first, past);
    case ARRAY: {
        intptr_t *arguments = malloc((count + 1) * sizeof *arguments);
        for (size_t i = 0; i < count; i++)
            arguments[i] = first + (intptr_t)i;
        failed = ghcomp_callback_array(job->callback, arguments, count);
        free(arguments);
        return failed;
    }
    case EACH:
        return ghcomp_callback_each(job->callback, take, job);
    case BATCH: {
        ghcomp_callback_batch batch;
        intptr_t *memory = malloc((job->room + 1) * sizeof *memory);
        ghcomp_callback_batch_init(&batch, job->callback, memory, job->room);
        for (intptr_t i = first; i < past; i++)
            failed |= ghcomp_callback_batch_add(&batch, i);
        failed |= ghcomp_callback_batch_flush(&batch);
        free(memory);
        return failed;
    }
    case FUNPTR: {
        intptr_t (*function)(intptr_t) = (intptr_t (*)(intptr_t))job->callback;
        for (intptr_t i = first; i < past; i++)
            failed |= function(i) != 2 * i + 1;
        return failed;
    }
    case MAP:
        return ghcomp_callback_map(job->callback, job->numbers + first, job->numbers + first, count);
    case FOLD:
        return ghcomp_callback_fold(job->callback, first, past, &job->total[thread]);
    case FOLD_INT:
        return ghcomp_callback_fold_int(job->callback, first, past, &job->total_int[thread]);
    case RECORDS:
        return ghcomp_callback_records(job->callback, job->arguments + first, sizeof *job->arguments,
                                       &job->results[first].product, sizeof *job->results, count);
    case RECORDS_NO_RESULT:
        return ghcomp_callback_records(job->callback, job->arguments + first, sizeof *job->arguments, NULL, 0, count);
    }
    return -1;
}

static void *member(void *argument)
{
    struct member *self = argument;
    struct job *job = self->job;
    pthread_barrier_wait(&job->start); /* all are there: callbacks may wait for each other */
    job->returned[self->thread] = run_part(job, self->thread);
    return NULL;
}

static void on_pthreads(struct job *job)
{
    pthread_t threads[64];
    struct member members[64];
    pthread_barrier_init(&job->start, NULL, (unsigned)job->threads);
    for (int i = 0; i < job->threads; i++) {
        members[i] = (struct member){job, i};
        if (pthread_create(&threads[i], NULL, member, &members[i]) != 0)
            abort();
    }
    for (int i = 0; i < job->threads; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&job->start);
}

static void on_a_team(struct job *job)
{
    omp_set_max_active_levels(3); /* callbacks open regions */
#pragma omp parallel num_threads(job->threads)
    {
        if (omp_get_num_threads() != job->threads)
            abort();
        int thread = omp_get_thread_num();
        job->returned[thread] = run_part(job, thread);
    }
}

/* Runs the job; returns the number of threads whose calls reported a failure. `total`: what FOLD and FOLD_INT made of
   0. */
int callbacks_run(int way, int openmp, int threads, intptr_t count, size_t room, void *callback, double *total)
{
    struct job *job = calloc(1, sizeof *job);
    int failed = 0;
    job->way = (enum way)way;
    job->threads = threads;
    job->count = count;
    job->callback = callback;
    job->room = room;
    intptr_t stored = way >= MAP && way != FOLD && way != FOLD_INT ? count : 0; /* the others may have large counts */
    job->numbers = malloc(((size_t)stored + 1) * sizeof *job->numbers);
    job->arguments = calloc((size_t)stored + 1, sizeof *job->arguments);
    job->results = calloc((size_t)stored + 1, sizeof *job->results);
    for (intptr_t i = 0; i < stored; i++) {
        job->numbers[i] = (double)i;
        job->arguments[i] = (struct argument){(int)i, 0.5};
    }
    (openmp ? on_a_team : on_pthreads)(job);

    *total = 0;
    for (int i = 0; i < threads; i++) {
        failed += job->returned[i] != 0;
        *total += job->total[i] + (double)job->total_int[i];
    }
    for (intptr_t i = 0; i < stored; i++) {
        if (job->way == MAP)
            *total += job->numbers[i];
        else if (job->way == RECORDS)
            *total += job->results[i].product;
    }
    free(job->numbers);
    free(job->arguments);
    free(job->results);
    free(job);
    return failed;
}
