/* taskwait with a dependence waits for the tasks that it names. Racy: for another address. */
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
        IF_CORRECT(_Pragma("omp taskwait depend(in : go)"))
        IF_RACY(_Pragma("omp taskwait depend(in : there)"))
        word++;
    }
    return check("the word", word, 2);
}
