/* A barrier waits for tasks. Racy: the maker reads the task's word before it. */
#include "pair.h"

static int word, there;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp master
        {
#pragma omp task shared(word)
            {
                word = 1;
                raise_flag(&there);
            }
            await(&there);
            IF_RACY(sum += word;)
        }
#pragma omp barrier
        sum += word;
    }
    return check("the sum", sum, 2);
}
