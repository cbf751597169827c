/* What a thread does before it fulfils the event happens before what follows a wait for the task. Racy: it writes
   afterwards. */
#include "pair.h"

static int word, made, ran, done;
static omp_event_handle_t shared_event;

int main(void)
{
    int seen = 0;
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
            omp_event_handle_t event;
#pragma omp task detach(event)
            raise_flag(&ran);
            shared_event = event;
            __atomic_store_n(&made, 1, __ATOMIC_RELEASE);
            IF_RACY(await(&done);)
#pragma omp taskwait
            seen = word;
        } else if (omp_get_thread_num() == 1) {
            while (!__atomic_load_n(&made, __ATOMIC_ACQUIRE))
                sched_yield();
            await(&ran);
            IF_CORRECT(word = 1;)
            omp_fulfill_event(shared_event);
            IF_RACY(word = 1;)
            raise_flag(&done);
        }
    }
    return check("what the fulfilling thread wrote", seen, 1);
}
