/* Tasks reduce. Racy: they add to the shared word. */
#include "pair.h"

static int word, here;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        IF_CORRECT(_Pragma("omp taskgroup task_reduction(+ : word)"))
        for (int i = 0; i < 2; i++) {
            IF_CORRECT(_Pragma("omp task in_reduction(+ : word)"))
            IF_RACY(_Pragma("omp task shared(word)"))
            {
                meet(&here, 2);
                word += 1;
            }
        }
    }
    return check("the sum", word, 2);
}
