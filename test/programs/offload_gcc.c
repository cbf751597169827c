/* Routines for devices in a library by gcc, beside a program that clang has built for offload: the devices of
 * libomptarget are gcc's, too. A target region of gcc's has no code for them, so the host runs it. Returns the number
 * of the first check that fails, or 0. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Newer than GCC 12's omp.h. */
int omp_target_memcpy_async(void *, const void *, size_t, size_t, size_t, int, int, int, omp_depend_t *);
void *omp_get_mapped_ptr(const void *, int);
void *omp_target_memset(void *, int, size_t, int);
const char *omp_get_uid_from_device(int);
int omp_get_device_from_uid(const char *);

enum { N = 100, SIDE = 4 };
#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition))                                                                                             \
            return __LINE__;                                                                                          \
    } while (0)

static int numbers(int devices)
{
    CHECK(omp_get_num_devices() == devices && omp_get_initial_device() == devices);
    CHECK(omp_get_device_num() == devices && omp_is_initial_device());
    CHECK(omp_get_default_device() >= 0 && omp_get_default_device() < devices);
    CHECK(strcmp(omp_get_uid_from_device(devices), omp_get_uid_from_device(-1)) == 0);
    CHECK(omp_get_device_from_uid(omp_get_uid_from_device(devices)) == -1);
    CHECK(omp_pause_resource(omp_pause_soft, 0) != 0 && omp_pause_resource(omp_pause_soft, devices) == 0);
    return 0;
}

static int memory(int devices, int device)
{
    int from[N], to[N], *there = omp_target_alloc(sizeof from, device), *other;
    CHECK(there != NULL && (other = omp_target_alloc(sizeof from, device)) != NULL);
    for (int i = 0; i < N; i++)
        from[i] = i;
    CHECK(omp_target_memcpy(there, from, sizeof from, 0, 0, device, devices) == 0);
    CHECK(omp_target_memcpy(other, there, sizeof from, 0, 0, device, device) == 0);
    CHECK(omp_target_memcpy(to, other, sizeof from, 0, 0, -1, device) == 0 && memcmp(from, to, sizeof to) == 0);
    memset(to, 0, sizeof to);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_target_memcpy_async(to, there, sizeof to / 2, 0, 0, devices, device, 0, NULL);
        omp_target_memcpy_async(to, there, sizeof to / 2, sizeof to / 2, sizeof to / 2, devices, device, 0, NULL);
#pragma omp taskwait
    }
    CHECK(memcmp(from, to, sizeof to) == 0);
    size_t volume[2] = {SIDE, SIDE}, at[2] = {1, 1}, origin[2] = {0, 0}, whole[2] = {10, 10}, box[2] = {SIDE, SIDE};
    CHECK(omp_target_memcpy_rect(to, there, sizeof *to, 2, volume, origin, at, box, whole, devices, device) == 0);
    CHECK(to[0] == 11 && to[SIDE * SIDE - 1] == 44);
    CHECK(omp_target_memset(there, 0, sizeof from, device) == there);
    CHECK(omp_target_memcpy(to, there, sizeof to, 0, 0, devices, device) == 0 && to[5] == 0);
    omp_target_free(other, device);
    omp_target_free(there, device);
    void *host = omp_target_alloc(16, devices);
    CHECK(host != NULL && omp_get_mapped_ptr(host, devices) == host);
    omp_target_free(host, -1);
    return 0;
}

static int mapping(int devices, int device)
{
    int mine[N], *there = omp_target_alloc(sizeof mine, device);
    CHECK(!omp_target_is_present(mine, device) && omp_target_is_present(mine, devices));
    CHECK(omp_get_mapped_ptr(mine, device) == NULL && omp_get_mapped_ptr(mine, devices) == mine);
    CHECK(omp_target_associate_ptr(mine, there, sizeof mine, 0, device) == 0);
    CHECK(omp_target_is_present(mine, device) && omp_get_mapped_ptr(mine, device) == there);
    CHECK(omp_target_disassociate_ptr(mine, device) == 0 && !omp_target_is_present(mine, device));
    CHECK(omp_target_associate_ptr(mine, mine, sizeof mine, 0, devices) != 0);
    omp_target_free(there, device);
    return 0;
}

static int regions(int devices)
{
    int on_host = 0, x = 0;
#pragma omp target map(tofrom : on_host) device(0)
    on_host += omp_is_initial_device();
#pragma omp target map(tofrom : on_host) device(devices)
    on_host += omp_is_initial_device();
#pragma omp target map(tofrom : on_host)
    on_host += omp_is_initial_device();
    CHECK(on_host == 3);
#pragma omp target data map(tofrom : x) device(0)
#pragma omp target map(tofrom : x) device(0)
    x++;
    CHECK(x == 1);
    return 0;
}

int gcc_part(int devices)
{
    int wrong = numbers(devices);
    for (int device = 0; device < devices && wrong == 0; device += devices - 1)
        if ((wrong = memory(devices, device)) == 0)
            wrong = mapping(devices, device);
    return wrong != 0 ? wrong : regions(devices);
}
