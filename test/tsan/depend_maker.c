/* A dependent task orders the tasks after it, not its maker. Racy: the maker writes. */
#include "pair.h"

static int word, there, go;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {

#pragma omp task shared(word) depend(out : go)
        {
            word = 1;
            raise_flag(&there);
        }
        await(&there);
#pragma omp task shared(word) depend(in : go)
        (void)word;
        IF_CORRECT(_Pragma("omp taskwait"))
        word = 2;
    }
    return check("the word", word, 2);
}
