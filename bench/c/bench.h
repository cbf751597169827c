/* Shared by the kernels: counters, checks, and the clock of a team. Defined in constructs.c. The only state of kernels
 * is what they fill in for each batch, or what one thread computes once to check against.
 */
#pragma once

#include <omp.h>

enum { MAX_THREADS = 4096 };

/* One thread's counter, alone on its cache line and on the line that the hardware fetches beside it. */
struct slot {
    long n;
} __attribute__((aligned(128)));

extern struct slot hits[MAX_THREADS];
extern int threads;

#define HIT() (hits[omp_get_thread_num()].n++)

double now_ns(void);
void expect(const char *what, long got, long want);
void clear_hits(void);
/* The counters of all threads add up to `want`. */
void expect_total(const char *what, long want);

/* Outside regions: the measured code is between them. Context switches of all threads are counted meanwhile. */
double begin(void);
double end(double start);

/* Inside a region: its first thread's time between two barriers of the team, and the context switches. */
double team_start(void);
void team_stop(double start, double *took);

/* A kernel does about *n operations, stores their number in *n, and returns how long they took. */
typedef double kernel(long *n);

/* tasks.c */
kernel run_tasks, run_task_fib, run_task_depend, run_task_data, run_taskloop, run_queens, run_sort;
/* Programs, each in a file of its own. */
kernel run_dgemm_256, run_dgemm_512, run_sine, run_stencil, run_stencil_regions, run_stencil_large, run_sparse_lu;
kernel run_tree, run_fractal;
