/* Each thread has its own copy. Racy: the word is shared. */
#include "pair.h"

static int word, here;
IF_CORRECT(_Pragma("omp threadprivate(word)"))

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        meet(&here, 2);
        word = 1;
        sum += *&word;
    }
    return check("the sum", sum + word, 3);
}
