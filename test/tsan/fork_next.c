/* What a worker does in one region happens before what another does in the next. Racy: both are in the same region. */
#include "pair.h"

static int word, there;

int main(void)
{
    IF_CORRECT(
    _Pragma("omp parallel num_threads(3)")
    if (omp_get_thread_num() == 1)
        word = 1;
    _Pragma("omp parallel num_threads(3)")
    if (omp_get_thread_num() == 2)
        word++;
    )
    IF_RACY(
    _Pragma("omp parallel num_threads(3)")
    {
        if (omp_get_thread_num() == 1) {
            word = 1;
            raise_flag(&there);
        }
        if (omp_get_thread_num() == 2) {
            await(&there);
            word++;
        }
    }
    )
    return check("the word", word, 2);
}
