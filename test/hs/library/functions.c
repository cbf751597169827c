/* C functions that the library's tests call. */
#define _GNU_SOURCE /* gettid */
#include <omp.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* The size of a team opened here. */
int function_team_size(void)
{
    int size = 0;
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    return size;
}

/* Calls the function within the unnamed critical section. */
void function_in_critical(void (*function)(void))
{
#pragma omp critical
    function();
}

/* Runs until *stop is not 0 (returns 1), or for `milliseconds` (returns 0). */
int function_occupy(const volatile int *stop, volatile int *runs, int milliseconds)
{
    double begin = omp_get_wtime();
    *runs = 1;
    while (omp_get_wtime() - begin < milliseconds * 1e-3)
        if (*stop)
            return 1;
    return 0;
}

/* Returns when *flag is not 0. */
void function_await(const volatile int *flag)
{
    while (!*flag)
        sched_yield();
}

/* The number of threads that a region opened here would get, and the operating system's number of this thread. */
int function_max_threads(void)
{
    return omp_get_max_threads();
}

int function_thread_id(void)
{
    return (int)gettid();
}

int function_thread_lives(int thread)
{
    return tgkill(getpid(), thread, 0) == 0;
}

/* Sets the number of threads for regions of this thread; returns this thread's number. */
int function_set_num_threads(int n)
{
    omp_set_num_threads(n);
    return function_thread_id();
}

/* A level-1 region with a level-2 region in it: the largest number of threads of the inner regions. */
int function_nested_size(void)
{
    int most = 0;
#pragma omp parallel num_threads(2) reduction(max : most)
#pragma omp parallel num_threads(2) reduction(max : most)
    most = omp_get_num_threads();
    return most;
}

/* A gate that holds the thread that comes to it: a thread that is held in a foreign call runs no Haskell meanwhile. */
struct function_gate {
    sem_t open;
    _Atomic int thread; /* release by the thread at the gate, acquire by its readers; 0 before */
};

struct function_gate *function_gate_new(void)
{
    struct function_gate *gate = malloc(sizeof *gate);
    sem_init(&gate->open, 0, 0);
    atomic_init(&gate->thread, 0);
    return gate;
}

/* Stores which thread it is, and waits until the gate is opened. */
void function_gate_hold(struct function_gate *gate)
{
    atomic_store_explicit(&gate->thread, function_thread_id(), memory_order_release);
    sem_wait(&gate->open);
}

/* The thread that is at the gate, 0 when none has come yet. */
int function_gate_held(struct function_gate *gate)
{
    return atomic_load_explicit(&gate->thread, memory_order_acquire);
}

void function_gate_open(struct function_gate *gate)
{
    sem_post(&gate->open);
}

/* Calls back from each thread of a region of 2 threads, each in a region of 3. */
void function_nested_calls(void (*body)(void))
{
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
    body();
}

/* Waits until `calls` calls have come here, for a fifth of a second at most; whether they have. An unsafe call of it
   keeps its Capability, so that only other Capabilities can make the other calls. The RTS by itself looks for work for
   them when nothing has happened for 0.3 seconds. */
int function_meet(_Atomic int *came, int calls)
{
    double begin = omp_get_wtime();
    atomic_fetch_add(came, 1);
    while (atomic_load(came) < calls) {
        if (omp_get_wtime() - begin > 0.2)
            return 0;
        sched_yield();
    }
    return 1;
}

/* The place that each thread of a region of n threads is bound to. */
void function_places(int n, int *places)
{
#pragma omp parallel num_threads(n)
    places[omp_get_thread_num()] = omp_get_place_num();
}

/* Adds x to each of n numbers, in the calling thread. */
void function_add(int *numbers, int n, int x)
{
    for (int i = 0; i < n; i++) numbers[i] += x;
}

/* The same by a team of the runtime. */
void function_add_team(int *numbers, int n, int x)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) numbers[i] += x;
}

/* A task that writes what is there, by its depend clause, and is complete when function_fulfil has got the event. */
void *function_detached(char *there)
{
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : *there)
    *there = 1;
    return (void *)event;
}

void function_fulfil(void *event)
{
    omp_fulfill_event((omp_event_handle_t)event);
}
