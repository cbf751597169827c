/* The entries of GCC 4.9 to 11, called as its code calls them, and an image for devices registered, as a program's
   constructors do it.
   symbols: GOMP_target GOMP_target_data GOMP_target_end_data GOMP_target_update GOMP_teams
   symbols: GOMP_offload_register GOMP_offload_unregister GOMP_offload_register_ver GOMP_offload_unregister_ver */
#include <omp.h>

#include "../common.h"

void GOMP_target(int, void (*)(void *), const void *, size_t, void **, size_t *, unsigned char *);
void GOMP_target_data(int, const void *, size_t, void **, size_t *, unsigned char *);
void GOMP_target_end_data(void);
void GOMP_target_update(int, const void *, size_t, void **, size_t *, unsigned char *);
void GOMP_teams(unsigned, unsigned);
void GOMP_offload_register(const void *, int, const void *);
void GOMP_offload_unregister(const void *, int, const void *);
void GOMP_offload_register_ver(unsigned, const void *, int, const void *);
void GOMP_offload_unregister_ver(unsigned, const void *, int, const void *);

static int calls;

static void region(void *data)
{
    void **addresses = data;
    CHECK(omp_get_level() == 0 && omp_get_max_threads() != 77);
    CHECK(*(int *)addresses[0] == 12 && *(int *)addresses[1] == 13);
    *(int *)addresses[1] = 14;
    calls++;
}

static void with_teams(void *data)
{
    (void)data;
    GOMP_teams(3, 5);
    CHECK(omp_get_thread_limit() == 5 && omp_get_num_teams() == 1 && omp_get_team_num() == 0);
    omp_set_num_threads(66);
    calls++;
}

int main(void)
{
    int one = 12, two = 13;
    void *addresses[2] = {&one, &two};
    size_t sizes[2] = {sizeof one, sizeof two};
    unsigned char kinds[2] = {0x01, 0x03}; /* to, tofrom */
    omp_set_num_threads(77);

    const void *host_table[4] = {&one, &one, &two, &two};
    const void *image[2] = {&one, &two};
    GOMP_offload_register(host_table, 6, image);
    GOMP_offload_register_ver(1u << 16 | 1, host_table, 5, image);

    GOMP_target_data(-1, NULL, 2, addresses, sizes, kinds);
    GOMP_target(-1, region, NULL, 2, addresses, sizes, kinds);
    GOMP_target_update(-1, NULL, 2, addresses, sizes, kinds);
    GOMP_target_end_data();
    GOMP_target(-2, with_teams, NULL, 0, NULL, NULL, NULL);
    GOMP_target(3, with_teams, NULL, 0, NULL, NULL, NULL);
    CHECK(calls == 3 && one == 12 && two == 14 && omp_get_max_threads() == 77);

    GOMP_offload_unregister_ver(1u << 16 | 1, host_table, 5, image);
    GOMP_offload_unregister(host_table, 6, image);
    return 0;
}
