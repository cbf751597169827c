/* On the host mapped data is the original: there is one value, before, in and after the constructs that map it.
   symbols: GOMP_target_data_ext GOMP_target_end_data GOMP_target_update_ext GOMP_target_enter_exit_data */
#include <omp.h>

#include "../common.h"

int main(void)
{
    int a[100], *p = malloc(10 * sizeof *p);
    for (int i = 0; i < 100; i++)
        a[i] = i;
    for (int i = 0; i < 10; i++)
        p[i] = -i;
    int *outside = a;
#pragma omp target data map(to : a) map(alloc : p[0 : 10]) use_device_addr(a)
    {
        CHECK(&a[0] == outside);
        a[3] = 33;
#pragma omp target data map(tofrom : a[10 : 20])
        {
#pragma omp target map(from : p[0 : 10])
            {
                CHECK(a[3] == 33 && p[9] == -9);
                a[4] = 44;
                p[1] = 11;
            }
        }
        CHECK(a[4] == 44 && p[1] == 11);
#pragma omp target update to(a) from(p[0 : 10])
        CHECK(a[4] == 44 && p[1] == 11);
    }
    CHECK(a[3] == 33 && a[4] == 44 && p[1] == 11);

#pragma omp target enter data map(to : a) map(alloc : p[0 : 10])
    a[5] = 55;
#pragma omp target
    CHECK(a[5] == 55);
#pragma omp target update to(a[5])
#pragma omp target exit data map(delete : a) map(from : p[0 : 10])
    CHECK(a[5] == 55 && p[1] == 11 && omp_target_is_present(a, 0));

    /* In the middle of a parallel region, by all its threads. */
#pragma omp parallel num_threads(4)
    {
#pragma omp target data map(tofrom : a)
        {
#pragma omp target update from(a)
            CHECK(omp_get_num_threads() == 4 && a[5] == 55);
        }
    }
    free(p);
    return 0;
}
