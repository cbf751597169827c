/* A thread stays in its chunk for long after it has posted the chunk's last iteration, while the other one runs so far
   ahead that the chunk's slot is reused for a later chunk: when the thread ends its chunk at last, it must not take
   back the later chunk's posts, or waits hang.
   limit: 60
   symbols: GOMP_loop_doacross_dynamic_start GOMP_doacross_post GOMP_doacross_wait */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

/* The runtime keeps at most 32 chunks for each thread. */
enum { THREADS = 2, KEPT = 32 * THREADS, LONGEST = 3, MOST = 4 * KEPT * LONGEST };
static int line[MOST];

int main(void)
{
    omp_set_dynamic(0);
    for (int chunk = 1; chunk <= LONGEST; chunk++) {
        int ahead = 0, back = 0, late = -1, count = 4 * KEPT * chunk;
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, chunk) ordered(1)
        for (int i = 0; i < count; i++) {
            int me = omp_get_thread_num();
            if (look(&late) == me && i >= chunk)
                open_gate(&back);
#pragma omp ordered depend(sink : i - 1)
            line[i] = i == 0 ? chunk : line[i - 1] + 1;
            if (i == chunk - 1) /* the first chunk's last iteration */
                __atomic_store_n(&late, me, __ATOMIC_RELEASE);
#pragma omp ordered depend(source)
            if (i == chunk - 1)
                wait_for(&ahead);
            if (i == chunk * (KEPT + 2) - 1) { /* the first chunk after those that are kept has ended */
                open_gate(&ahead);
                wait_for(&back); /* until the other thread has ended its own, and has taken another one */
            }
        }
        for (int i = 0; i < count; i++)
            CHECK(line[i] == chunk + i);
    }
    return 0;
}
