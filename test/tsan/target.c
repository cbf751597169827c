/* A target region with nowait is a task: taskwait waits for it. Racy: no thread waits. */
#include "pair.h"

static int word, there;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(word)
        {
#pragma omp target map(tofrom : word)
            word = 1;
            raise_flag(&there);
        }
        await(&there);
        IF_CORRECT(_Pragma("omp taskwait"))
        word++;
    }
    return check("the word", word, 2);
}
