/* Doacross loops from inside: a wait ends only when its sink was posted or the sink's chunk is complete; reuse of
   slots, blocks, guided tables, nests with more than 2^64 iterations. Runs under ASan+UBSan and TSan. */
#include "unit.h"

#include <string.h>

#include "core/worksharing/doacross.h"
#include "core/team/team.h"

enum { MOST = 4000, INNER = 5 };

static struct ghcomp_loop_kind kind;
static uint64_t counts[3];
static uint32_t dims;
static bool posts;
static int values[MOST][INNER]; /* ordered by the posts alone: TSan would report a wait that ends too early */

static void nest(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_doacross_enter(self, dims, counts, kind, NULL);
    while (ghcomp_loop_next(self)) {
        CHECK_EQUAL(self->team->size > 1 ? dims : 0, ghcomp_doacross_dims(self));
        bool alone = ghcomp_doacross_dims(self) == 0;
        for (uint64_t i = self->chunk_begin; i < self->chunk_end; i++)
            for (uint64_t j = 0; j < INNER; j++) {
                uint64_t here[3] = {i, j, 1}, above[3] = {i - 1, j + 1 < INNER ? j + 1 : j, 1};
                uint64_t far[3] = {i - 200, j, 1};
                if (!alone) {
                    /* The first row's sinks are outside the loop: there is nothing to wait for. */
                    ghcomp_doacross_wait(self, above);
                    if (i >= 200)
                        ghcomp_doacross_wait(self, far);
                }
                values[i][j] = i == 0 ? 1 : values[i - 1][above[1]] + 1;
                if (i >= 200)
                    CHECK_EQUAL(i - 199, values[i - 200][j]);
                if (!alone && posts)
                    ghcomp_doacross_post(self, here);
            }
    }
    CHECK_EQUAL(0, ghcomp_doacross_dims(self));
    ghcomp_loop_leave(self);
}

static void run(uint32_t threads, int sched, uint64_t chunk, uint64_t rows)
{
    memset(values, 0, sizeof values);
    kind = (struct ghcomp_loop_kind){sched, chunk, GHCOMP_LOOP_SINGLY};
    counts[0] = rows;
    ghcomp_team_parallel(nest, NULL, threads, 0);
    for (uint64_t i = 0; i < rows; i++)
        for (int j = 0; j < INNER; j++)
            CHECK_EQUAL(i + 1, values[i][j]);
}

int main(void)
{
    static const uint64_t chunks[] = {0, 1, 4, 300}, rows[] = {0, 1, 3, 60, 700};
    for (int shape = 0; shape < 3; shape++) {
        dims = shape == 0 ? 2 : 3;
        counts[1] = INNER;
        /* The last shape has too many iterations to number: rows wait for whole rows' prefixes. */
        counts[2] = shape == 2 ? UINT64_MAX / 2 : 2;
        for (int with = 0; with < 2; with++) {
            posts = with;
            for (uint32_t threads = 1; threads <= 5; threads += 2)
                for (int sched = GHCOMP_SCHED_STATIC; sched <= GHCOMP_SCHED_GUIDED; sched++)
                    for (size_t c = 0; c < 4; c++)
                        for (size_t r = 0; r < 5; r++)
                            if ((c + r + threads / 2 + (uint32_t)shape) % 3 == 0)
                                run(threads, sched, chunks[c], rows[r]);
        }
    }
    return 0;
}
