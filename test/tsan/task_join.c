/* The end of a region waits for tasks. Racy: the maker reads before it. */
#include "pair.h"

static int word, there;

int main(void)
{
    int seen = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        {
#pragma omp task shared(word)
            {
                word = 1;
                raise_flag(&there);
            }
            await(&there);
            IF_RACY(seen = word;)
        }
    }
    seen = word;
    return check("the word", seen, 1);
}
