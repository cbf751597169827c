/* The interface of kernels.c for the modules of bench/hs. */
#pragma once

#include <stdint.h>

enum { BENCH_MAX_THREADS = 256 };

long bench_hits(long each);
void bench_region(int m);
void bench_barriers(long n, int m);
long bench_critical(long n, int m);
double bench_sum_sin(long n, int m);
double bench_sum_sin_alone(long n);
double bench_logistic(long n, int m);
double bench_logistic_alone(long n);
uint64_t bench_work(long n, int m);
uint64_t bench_work_alone(long n);
void bench_chunks(long n, long *counts, int m);
void bench_tasks(long tasks, long each, uint64_t *out, int m);
void bench_tasks_alone(long tasks, long each, uint64_t *out);
void bench_dgemm(long n, const double *a, const double *b, double *c, int m);
void bench_dgemm_alone(long n, const double *a, const double *b, double *c);
void bench_heat(long n, long steps, double *one, double *other, int m);
void bench_heat_alone(long n, long steps, double *one, double *other);
void bench_transform(const double *values, double *out, long n);
long bench_next(long i);
