/* Iterations wait for the one before. Racy: they do not wait. */
#include "pair.h"

static int word[20], here;

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (int i = 0; i < 20; i++) {
        if (i < 2)
            meet(&here, 2);
        IF_CORRECT(_Pragma("omp ordered depend(sink : i - 1)"))
        word[i] = i > 0 ? word[i - 1] + 1 : 1;
#pragma omp ordered depend(source)
    }
    return check("the last word", word[19], 20);
}
