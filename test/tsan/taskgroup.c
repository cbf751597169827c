/* A taskgroup waits for grandchildren. Racy: there is no taskgroup. */
#include "pair.h"

static int word, there, go;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {

        IF_CORRECT(_Pragma("omp taskgroup"))
        {
#pragma omp task shared(word)
            {
#pragma omp task shared(word)
                {
                    word = 1;
                    raise_flag(&there);
                }
            }
            await(&there);
        }
        word++;
    }
    return check("the word", word, 2);
}
