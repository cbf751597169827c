/* The end of a taskloop waits for its tasks. Racy: nogroup. */
#include "pair.h"

static int word[8], here;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        IF_CORRECT(_Pragma("omp taskloop num_tasks(2) shared(word)"))
        IF_RACY(_Pragma("omp taskloop num_tasks(2) shared(word) nogroup"))
        for (int i = 0; i < 8; i++) {
            word[i] = 1;
            __atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
        }
        while (__atomic_load_n(&here, __ATOMIC_RELAXED) < IF_CORRECT(8) IF_RACY(4))
            sched_yield();
        for (int i = 0; i < 8; i++)
            sum += word[i];
    }
    return check("the sum", sum, 8);
}
