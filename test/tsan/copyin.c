/* Copies begin with the value of the master's. Racy: the master changes its own while the others copy it by hand. */
#include "pair.h"

static int word, here;
#pragma omp threadprivate(word)

int main(void)
{
    int sum = 0, *masters = &word;
    word = 1;
#pragma omp parallel num_threads(2) reduction(+ : sum) copyin(word)
    {
        IF_RACY(meet(&here, 2);)
        IF_RACY(if (omp_get_thread_num() == 1) word = *masters; else word = 2;)
        sum += word;
    }
    return check("the sum", sum, 2);
}
