/* A task that reads after one that writes. Racy: the second names no dependence. */
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
        IF_CORRECT(_Pragma("omp task shared(word) depend(in : go) if (0)"))
        IF_RACY(_Pragma("omp task shared(word) if (0)"))
        word++;
    }
    return check("the word", word, 2);
}
