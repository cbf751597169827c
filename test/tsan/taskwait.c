/* The maker waits for its task. Racy: it does not. */
#include "pair.h"

static int word, there, go;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {

#pragma omp task shared(word)
        {
            word = 1;
            raise_flag(&there);
        }
        await(&there);
        IF_CORRECT(_Pragma("omp taskwait"))
        word++;
    }
    return check("the word", word, 2);
}
