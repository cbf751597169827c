/* Entries of sections that today's compilers call seldom or never: GOMP_parallel_sections_start, and
   GOMP_sections2_start with memory that the team shares.
   symbols: GOMP_parallel_sections_start GOMP_sections2_start GOMP_parallel_end */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

void GOMP_parallel_sections_start(void (*)(void *), void *, unsigned, unsigned);
void GOMP_parallel_end(void);
unsigned GOMP_sections_next(void);
unsigned GOMP_sections2_start(unsigned, uintptr_t *, void **);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);

enum { SECTIONS = 6, BYTES = 1000 };
static int hits[SECTIONS + 1];

static void body(void *data)
{
    int *threads = data;
    CHECK(omp_get_num_threads() == *threads);
    for (unsigned section = GOMP_sections_next(); section != 0; section = GOMP_sections_next()) {
        CHECK(section <= SECTIONS);
#pragma omp atomic
        hits[section]++;
    }
    GOMP_sections_end_nowait();
}

int main(void)
{
    static unsigned char *memory[9];
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads++) {
        memset(hits, 0, sizeof hits);
        GOMP_parallel_sections_start(body, &threads, (unsigned)threads, SECTIONS);
        body(&threads);
        GOMP_parallel_end();
        for (int i = 1; i <= SECTIONS; i++)
            CHECK(hits[i] == 1);

#pragma omp parallel num_threads(threads)
        for (int round = 0; round < 3; round++) {
            void *mem = (void *)(uintptr_t)BYTES;
            unsigned section = GOMP_sections2_start(SECTIONS, NULL, &mem);
            memory[omp_get_thread_num()] = mem;
            CHECK((uintptr_t)mem % 8 == 0);
            for (; section != 0; section = GOMP_sections_next()) {
                int *counters = mem;
                CHECK(counters[section] == 0);
                counters[section] = 1;
                ((unsigned char *)mem)[BYTES - 1 - section] = 1;
            }
            GOMP_sections_end();
            int sum = 0;
            for (int i = 0; i < BYTES; i++)
                sum += memory[0][i];
            CHECK(sum == 2 * SECTIONS);
            CHECK(memory[omp_get_thread_num()] == memory[0]);
#pragma omp barrier
        }
    }
    return 0;
}
