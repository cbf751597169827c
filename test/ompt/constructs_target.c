/* The events that target constructs and routines of device memory report to a tool, on the host (constructs.h). clang's
 * code calls the runtime for the routines alone: its constructs are there to show that they report nothing. */
#include "constructs.h"

enum { LENGTH = 16 };

/* Newer than GCC 12's omp.h. */
int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, omp_depend_t *);
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *,
                                 const size_t *, const size_t *, int, int, int, omp_depend_t *);

static int array[LENGTH];

/* --- constructs --------------------------------------------------------------------------------------------------- */

static void target_region(void)
{
#pragma omp target map(tofrom : array)
    array[0]++;
}

static void target_nowait(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single nowait
    {
#pragma omp target nowait map(tofrom : array)
        array[0]++;
#pragma omp taskwait
    }
}

static void target_teams(void)
{
#pragma omp target teams num_teams(2) thread_limit(1) map(tofrom : array)
    array[0]++;
}

static void target_data(void)
{
#pragma omp target data map(tofrom : array)
    array[0]++;
}

static void target_enter_exit(void)
{
#pragma omp target enter data map(to : array)
#pragma omp target exit data map(from : array)
}

static void target_enter_exit_nowait(void)
{
#pragma omp target enter data map(to : array) nowait
#pragma omp taskwait
#pragma omp target exit data map(from : array) nowait
#pragma omp taskwait
}

static void target_update(void)
{
#pragma omp target update to(array)
}

static void target_update_nowait(void)
{
#pragma omp target update to(array) nowait
#pragma omp taskwait
}

/* --- routines ----------------------------------------------------------------------------------------------------- */

static void memory(void)
{
    void *block = omp_target_alloc(LENGTH, omp_get_initial_device());
    CHECK(block != NULL);
    omp_target_free(block, omp_get_initial_device());
}

static char from[LENGTH], to[LENGTH];
static const size_t volume = LENGTH / 2, offset = 1, dimension = LENGTH;

static void copy(void)
{
    int device = omp_get_initial_device();
    CHECK(omp_target_memcpy(to, from, LENGTH, 0, 0, device, device) == 0);
}

static void copy_rect(void)
{
    int device = omp_get_initial_device();
    CHECK(omp_target_memcpy_rect(to, from, 1, 1, &volume, &offset, &offset, &dimension, &dimension, device, device) ==
          0);
}

static void copy_async(void)
{
    int device = omp_get_initial_device();
    CHECK(omp_target_memcpy_async(to, from, LENGTH, 0, 0, device, device, 0, NULL) == 0);
#pragma omp taskwait
}

static void copy_rect_async(void)
{
    int device = omp_get_initial_device();
    CHECK(omp_target_memcpy_rect_async(to, from, 1, 1, &volume, &offset, &offset, &dimension, &dimension, device,
                                       device, 0, NULL) == 0);
#pragma omp taskwait
}

#define ROW(name, function) {name, function}
static const struct construct all[] = {
    ROW("target", target_region),
    ROW("target nowait", target_nowait),
    ROW("target teams", target_teams),
    ROW("target data", target_data),
    ROW("target enter data, target exit data", target_enter_exit),
    ROW("target enter data nowait, target exit data nowait", target_enter_exit_nowait),
    ROW("target update", target_update),
    ROW("target update nowait", target_update_nowait),
    ROW("omp_target_alloc, omp_target_free", memory),
    ROW("omp_target_memcpy", copy),
    ROW("omp_target_memcpy_rect", copy_rect),
    ROW("omp_target_memcpy_async", copy_async),
    ROW("omp_target_memcpy_rect_async", copy_rect_async),
};

int main(void)
{
    tell_all(all, sizeof all / sizeof all[0]);
    return 0;
}
