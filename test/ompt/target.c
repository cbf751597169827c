/* Target constructs on the host and routines for its memory: regions that wait and that do not, data constructs, what
 * they map, copies. clang's code calls the runtime for the routines alone. */
#include "record.h"

enum { LENGTH = 16 };

/* Newer than GCC 12's omp.h. */
int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, omp_depend_t *);

static void at_finalize(void)
{
}

#ifndef __clang__
static bool has_mapped(const void *address, size_t bytes, unsigned flags)
{
    for (unsigned i = 0; i < mapped.count; i++)
        if (mapped.address[i] == address && mapped.bytes[i] == bytes && mapped.flags[i] == flags)
            return true;
    return false;
}

static void expect(int kind, unsigned maps)
{
    CHECK(COUNT(TARGET_BEGIN + kind) == 1 && COUNT(TARGET_END + kind) == 1 && COUNT(TARGET_MAP) == maps);
    counts[TARGET_BEGIN + kind] = counts[TARGET_END + kind] = counts[TARGET_MAP] = 0;
}

/* Not in the region itself, which has a copy of the variable from before it. */
static void expect_inside(int inside)
{
    uint64_t device;
    ompt_id_t target_id, operation;
    CHECK(get_target_info(&device, &target_id, &operation) == inside);
}

static void regions(void)
{
    int in[LENGTH] = {0}, out[LENGTH], both[LENGTH] = {0}, copy = 5, sum = 0;
#pragma omp target map(to : in) map(from : out) map(tofrom : both) firstprivate(copy)
    for (int i = 0; i < LENGTH; i++) {
        expect_inside(1);
        out[i] = in[i] + copy;
        both[i]++;
    }
    expect(ompt_target, 1);
    CHECK(mapped.count == 3 && COUNT(SUBMIT_BEGIN) == 1 && COUNT(SUBMIT_END) == 1);
    CHECK(has_mapped(in, sizeof in, ompt_target_map_flag_to));
    CHECK(has_mapped(out, sizeof out, ompt_target_map_flag_from));
    CHECK(has_mapped(both, sizeof both, ompt_target_map_flag_to | ompt_target_map_flag_from));
    expect_inside(0);

#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait depend(inout : sum) map(always, tofrom : sum) firstprivate(copy)
        sum += copy;
#pragma omp target nowait depend(inout : sum) map(always, tofrom : sum) firstprivate(copy)
        sum += 2 * copy;
#pragma omp target depend(in : sum) map(to : sum) map(from : copy)
        copy = sum;
    }
    CHECK(copy == 15);
    CHECK(COUNT(TARGET_BEGIN + ompt_target_nowait) == 2 && COUNT(TARGET_END + ompt_target_nowait) == 2);
    CHECK(COUNT(TARGET_BEGIN + ompt_target) == 1 && COUNT(TARGET_MAP) == 3 && COUNT(SUBMIT_END) == 4);
    counts[TARGET_BEGIN + ompt_target] = counts[TARGET_END + ompt_target] = counts[TARGET_MAP] = 0;
}

static void data(void)
{
    int array[LENGTH] = {0};
#pragma omp target data map(tofrom : array)
    expect(ompt_target_enter_data, 1);
    expect(ompt_target_exit_data, 0);
    CHECK(has_mapped(array, sizeof array, ompt_target_map_flag_to | ompt_target_map_flag_from));
#pragma omp target enter data map(alloc : array)
    expect(ompt_target_enter_data, 1);
    CHECK(has_mapped(array, sizeof array, ompt_target_map_flag_alloc));
#pragma omp target update to(array)
    expect(ompt_target_update, 0);
#pragma omp target exit data map(release : array)
    expect(ompt_target_exit_data, 1);
    CHECK(has_mapped(array, sizeof array, ompt_target_map_flag_release));
#pragma omp target exit data map(delete : array) nowait depend(inout : array)
    expect(ompt_target_exit_data_nowait, 1);
    CHECK(has_mapped(array, sizeof array, ompt_target_map_flag_delete));
#pragma omp taskwait
}
#endif

static void operation(int kind, unsigned times)
{
    CHECK(COUNT(DATA_OP_BEGIN + kind) == times && COUNT(DATA_OP_END + kind) == times);
}

static void routines(void)
{
    int device = omp_get_initial_device();
    char *from = omp_target_alloc(LENGTH, device), *to = omp_target_alloc(LENGTH, device);
    size_t volume = LENGTH / 2, offset = 1, dimension = LENGTH;
    CHECK(from != NULL && to != NULL);
    memset(from, 'x', LENGTH);
    operation(ompt_target_data_alloc, 2);
    CHECK(omp_target_memcpy(to, from, LENGTH, 0, 0, device, device) == 0 && memcmp(to, from, LENGTH) == 0);
    operation(ompt_target_data_transfer_to_device, 1);
    CHECK(omp_target_memcpy_rect(to, from, 1, 1, &volume, &offset, &offset, &dimension, &dimension, device, device) ==
          0);
    operation(ompt_target_data_transfer_to_device, 2);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        memset(to, 'y', LENGTH);
        CHECK(omp_target_memcpy_async(to, from, LENGTH, 0, 0, device, device, 0, NULL) == 0);
#pragma omp taskwait
        CHECK(memcmp(to, from, LENGTH) == 0);
    }
    operation(ompt_target_data_transfer_to_device_async, 1);
    omp_target_free(to, device);
    omp_target_free(from, device);
    operation(ompt_target_data_delete, 2);
}

int main(void)
{
#ifndef __clang__
    regions();
    data();
#endif
    routines();
    return 0;
}
