/* Tasks that only read have no order. Racy: both write nevertheless. */
#include "pair.h"

static int word, there, go;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {

#pragma omp task shared(word) depend(in : go)
        {
            IF_RACY(word = 1;)
            raise_flag(&there);
        }
        await(&there);
#pragma omp task shared(word) depend(in : go) if (0)
        word = 2;
    }
    return check("the word", word, 2);
}
