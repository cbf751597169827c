/* A task with an event is complete when that is fulfilled. Racy: no thread waits for the task. */
#include "pair.h"

static int word, there, go;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
    {

        omp_event_handle_t event;
#pragma omp task shared(word) detach(event)
        {
            word = 1;
            raise_flag(&there);
        }
        await(&there);
        omp_fulfill_event(event);
        IF_CORRECT(_Pragma("omp taskwait"))
        word++;
    }
    return check("the word", word, 2);
}
