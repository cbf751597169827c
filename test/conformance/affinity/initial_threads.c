/* With places every initial thread of the process is bound once it uses the runtime, and its teams with it.
 * (In a Haskell program it is without `noreset` bound in its regions only: test/hs/runtime/Main.hs.)
 *
 * ghcomp-only: libgomp binds them all to the first place, and leaves their partitions empty until then
 * env: OMP_PLACES=threads OMP_PROC_BIND=close KMP_AFFINITY=noreset
 * cflags: -D_GNU_SOURCE
 */
#include <pthread.h>

#include "affinity.h"

static void *initial(void *argument)
{
    int wrong = 0;
    CHECK(omp_get_partition_num_places() == omp_get_num_places());
    CHECK(on_its_place());
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    wrong += !on_its_place();
    CHECK(wrong == 0);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, initial, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    initial(NULL);
    return 0;
}
