/* taskwait does not wait for grandchildren. Racy: one of them, on a third thread, writes the word. */
#include "pair.h"

static int word, here, there, go;

int main(void)
{
#pragma omp parallel num_threads(3)
    {
        meet(&here, 3);
#pragma omp single
        {
#pragma omp task shared(word)
            {
#pragma omp task shared(word)
                {
                    word = 1;
                    raise_flag(&there);
                }
                await(&there);
                IF_CORRECT(_Pragma("omp taskwait"))
                raise_flag(&go);
            }
            await(&go);
#pragma omp taskwait
            word++;
        }
    }
    return check("the word", word, 2);
}
