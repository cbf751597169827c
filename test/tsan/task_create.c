/* The task reads what its maker wrote before it made the task. Racy: the maker writes afterwards. */
#include "pair.h"

static int word, there, go;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {

        word = 1;
#pragma omp task shared(word)
        {
            raise_flag(&there);
            await(&go);
            word++;
        }
        await(&there);
        IF_RACY(word = 1;)
        raise_flag(&go);
    }
    return check("the word", word, 2);
}
