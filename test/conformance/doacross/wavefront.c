/* ordered(n) with depend(source) and depend(sink): one, two and three loops, negative steps, collapse, static blocks,
   sinks outside the loop, and more chunks than the runtime tracks at once.
   limit: 60
   symbols: GOMP_loop_doacross_start GOMP_loop_doacross_dynamic_start GOMP_loop_doacross_static_start
   symbols: GOMP_loop_doacross_guided_start GOMP_doacross_post GOMP_doacross_wait */
#include <omp.h>

#include "../common.h"

enum { LENGTH = 5000, N = 12 };
static int line[LENGTH], plane[N][N], cube[N][N][N], seen[N * N];

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 7; threads += 3) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(dynamic, 1) ordered(1) nowait
            for (int i = 0; i < LENGTH; i++) {
#pragma omp ordered depend(sink : i - 3)
                line[i] = i < 3 ? i : line[i - 3] + 3;
#pragma omp ordered depend(source)
            }
#pragma omp for schedule(static) ordered(2)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i - 1, j + 1) depend(sink : i, j - 1)
                    plane[i][j] = 1 + (i ? plane[i - 1][j] : 0) + (i && j + 1 < N ? plane[i - 1][j + 1] : 0);
#pragma omp ordered depend(source)
                }
#pragma omp for schedule(guided) ordered(3)
            for (int i = N - 1; i >= 0; i--)
                for (int j = 0; j < N; j += 2)
                    for (int k = N - 1; k >= 0; k -= 3) {
#pragma omp ordered depend(sink : i + 1, j, k) depend(sink : i + 1, j - 2, k + 3)
                        cube[i][j][k] = 1 + (i + 1 < N ? cube[i + 1][j][k] : 0) +
                                        (i + 1 < N && j >= 2 && k + 3 < N ? cube[i + 1][j - 2][k + 3] : 0);
#pragma omp ordered depend(source)
                    }
#pragma omp for schedule(dynamic, 2) collapse(2) ordered(2)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) {
#pragma omp ordered depend(sink : i - 1, j)
                    seen[i * N + j] = i ? seen[(i - 1) * N + j] + 1 : 1;
#pragma omp ordered depend(source)
                }
        }
        for (int i = 0; i < LENGTH; i++)
            CHECK(line[i] == i);
        static int p[N][N], c[N][N][N];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                p[i][j] = 1 + (i ? p[i - 1][j] : 0) + (i && j + 1 < N ? p[i - 1][j + 1] : 0);
                CHECK(plane[i][j] == p[i][j] && seen[i * N + j] == i + 1);
            }
        for (int i = N - 1; i >= 0; i--)
            for (int j = 0; j < N; j += 2)
                for (int k = N - 1; k >= 0; k -= 3) {
                    c[i][j][k] = 1 + (i + 1 < N ? c[i + 1][j][k] : 0) +
                                 (i + 1 < N && j >= 2 && k + 3 < N ? c[i + 1][j - 2][k + 3] : 0);
                    CHECK(cube[i][j][k] == c[i][j][k]);
                }
        memset(line, 0, sizeof line);
        memset(plane, 0, sizeof plane);
        memset(cube, 0, sizeof cube);
        memset(seen, 0, sizeof seen);
    }
    return 0;
}
