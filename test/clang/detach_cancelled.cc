/* Detachable tasks in a taskgroup that has been cancelled. One with a false if clause runs, since compiled code calls
   it, and the taskgroup waits for its event. One whose data has a destructor does not run, is destroyed, and is
   complete.
   ghcomp-only: on libomp a discarded task waits for its event, which its function would have fulfilled
   env: OMP_CANCELLATION=true
   symbols: __kmpc_task_allow_completion_event __kmpc_omp_task_begin_if0 */
#include <omp.h>
#include <unistd.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

static int destroyed;

struct Data {
    int number;
    Data() : number(1) {}
    Data(const Data &other) : number(other.number) {}
    ~Data() { count_up(&destroyed); }
};

static void undeferred()
{
    int ran = 0, fulfilled = 0;
    omp_event_handle_t event;
    int started = 0;
#pragma omp parallel num_threads(2) shared(ran, fulfilled, event, started)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp taskgroup
            {
#pragma omp task if (0)
                {
#pragma omp cancel taskgroup
                }
                omp_event_handle_t mine;
#pragma omp task if (0) detach(mine) shared(ran, event, started)
                {
                    ran = 1;
                    event = mine;
                    open_gate(&started);
                }
            }
            CHECK(ran == 0 || look(&fulfilled) == 1);
            open_gate(&started);
        } else {
            wait_for(&started);
            usleep(20000);
            open_gate(&fulfilled);
            if (ran)
                omp_fulfill_event(event);
        }
    }
    CHECK(ran == 1);
}

static void with_a_destructor(int threads)
{
    int ran = 0, x = 0;
    (void)x;
    destroyed = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        Data data;
#pragma omp taskgroup
        {
#pragma omp task depend(out : x)
            {
#pragma omp cancel taskgroup
            }
            for (int i = 0; i < 10; i++) {
                omp_event_handle_t event;
#pragma omp task firstprivate(data) detach(event) depend(in : x) shared(ran)
                {
                    count_up(&ran);
                    omp_fulfill_event(event);
                }
            }
        }
        CHECK(look(&destroyed) == 10);
    }
    CHECK(ran == 0);
}

int main()
{
    omp_set_dynamic(0);
    for (int i = 0; i < 5; i++) {
        undeferred();
        for (int threads = 1; threads <= 4; threads++)
            with_a_destructor(threads);
    }
    return 0;
}
