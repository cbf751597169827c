#!/bin/sh
# FFTW's OpenMP library: a threaded three-dimensional transform and back, planned for several numbers of threads.
. "$(dirname "$0")/common.sh"
needs "/usr/include/fftw3.h" libfftw3-dev

cat >"$work/fft.c" <<'END'
#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
    enum { N = 48, ALL = N * N * N };
    fftw_init_threads();
    fftw_complex *x = fftw_alloc_complex(ALL), *y = fftw_alloc_complex(ALL);
    for (int threads = 1; threads <= 6; threads++) {
        fftw_plan_with_nthreads(threads);
        fftw_plan forth = fftw_plan_dft_3d(N, N, N, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
        fftw_plan back = fftw_plan_dft_3d(N, N, N, y, x, FFTW_BACKWARD, FFTW_ESTIMATE);
        for (int i = 0; i < ALL; i++)
            x[i][0] = (i * 31) % 97, x[i][1] = (i * 17) % 89;
        fftw_execute(forth);
        fftw_execute(back);
        double worst = 0;
        for (int i = 0; i < ALL; i++)
            worst = fmax(worst, fabs(x[i][0] / ALL - (i * 31) % 97) + fabs(x[i][1] / ALL - (i * 17) % 89));
        printf("%d %s %.3f\n", threads, worst < 1e-9 ? "round trip" : "wrong", y[0][0]);
        fftw_destroy_plan(forth);
        fftw_destroy_plan(back);
    }
    fftw_cleanup_threads();
    return 0;
}
END
gcc -O2 -fopenmp "$work/fft.c" -o "$work/fft" -lfftw3_omp -lfftw3 -lm
loads_ours "$work/fft"
compare fft "$work/fft"
! grep -q wrong "$work/fft.ours"
