/* A picture of the Mandelbrot set by taskloop: a task for each line. Lines through the set take a hundred times as long
 * as those beside it.
 */
#include "bench.h"

enum { WIDTH = 128, HEIGHT = 96, STEPS = 200 };

/* Steps of all points of a line until they escape. */
static long line(int y)
{
    long sum = 0;
    double im = -1.2 + 2.4 * y / HEIGHT;
    for (int x = 0; x < WIDTH; x++) {
        double re = -2.2 + 3.2 * x / WIDTH, a = 0, b = 0;
        int steps = 0;
        for (; steps < STEPS && a * a + b * b < 4; steps++) {
            double next = a * a - b * b + re;
            b = 2 * a * b + im;
            a = next;
        }
        sum += steps;
    }
    return sum;
}

double run_fractal(long *n)
{
    static long alone[HEIGHT];
    long lines[HEIGHT], bad = 0;
    if (alone[0] == 0)
        for (int y = 0; y < HEIGHT; y++)
            alone[y] = line(y);
    double start = begin();
    for (long i = 0; i < *n; i++) {
        for (int y = 0; y < HEIGHT; y++)
            lines[y] = -1;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) shared(lines)
        for (int y = 0; y < HEIGHT; y++)
            lines[y] = line(y);
        for (int y = 0; y < HEIGHT; y++)
            bad += lines[y] != alone[y];
    }
    double took = end(start);
    expect("number of wrong lines", bad, 0);
    return took;
}
