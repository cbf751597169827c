/* Shared by the detach tests: events that are fulfilled by a thread that the runtime has never seen. */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../common.h"
#include "../gate.h"

static int slept;

static void *outsider(void *event)
{
    usleep(2000);
    count_up(&slept);
    omp_fulfill_event((omp_event_handle_t)event);
    return NULL;
}

static pthread_t hand_to_outsider(omp_event_handle_t event)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, outsider, (void *)event) == 0);
    return thread;
}
