/* The memory routines, where they mean the same in every libgomp: the host's memory, and a device that is not there.
   symbols: omp_target_alloc omp_target_free omp_target_is_present omp_target_memcpy omp_target_memcpy_rect
   symbols: omp_target_associate_ptr omp_target_disassociate_ptr */
#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <stdint.h>

#include "../common.h"

enum { NOWHERE = 5 };

static void copies(int host)
{
    char from[16] = "0123456789abcde", to[16] = "";
    CHECK(omp_target_memcpy(to, from, 4, 1, 10, host, host) == 0);
    CHECK(memcmp(to, "\0abcd\0", 6) == 0);
    CHECK(omp_target_memcpy(to, from, 4, 0, 0, NOWHERE, host) == EINVAL);
    CHECK(omp_target_memcpy(to, from, 4, 0, 0, host, NOWHERE) == EINVAL);
    CHECK(omp_target_memcpy(to, from, 4, 0, 0, host, -2) == EINVAL);
    CHECK(to[0] == '\0');
}

/* A box of 2 x 3 x 2 out of 4 x 5 x 6 at (1, 2, 3) to (0, 1, 1) of 3 x 4 x 3. */
static void boxes(int host)
{
    static int from[4][5][6], to[3][4][3];
    for (int i = 0; i < 4 * 5 * 6; i++)
        ((int *)from)[i] = 1000 + i;
    const size_t volume[] = {2, 3, 2}, at_to[] = {0, 1, 1}, at_from[] = {1, 2, 3}, to_is[] = {3, 4, 3};
    const size_t from_is[] = {4, 5, 6}, none[] = {0, 3, 2}, huge[] = {2, SIZE_MAX / 2, 3};
    CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 3, volume, at_to, at_from, to_is, from_is, host, host) == 0);
    int copied = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 3; k++) {
                int inside = i < 2 && j >= 1 && k >= 1;
                CHECK(to[i][j][k] == (inside ? from[i + 1][j + 1][k + 2] : 0));
                copied += inside;
            }
    CHECK(copied == 12);

    char row[8] = "abcdefg", copy[8] = "";
    const size_t three[] = {3}, one[] = {1}, two[] = {2}, eight[] = {8};
    CHECK(omp_target_memcpy_rect(copy, row, 1, 1, three, two, one, eight, eight, host, host) == 0);
    CHECK(memcmp(copy, "\0\0bcd\0\0\0", 8) == 0);

    memset(to, 0, sizeof to);
    CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 3, none, at_to, at_from, to_is, from_is, host, host) == 0);
    /* Too large for any memory: refused before a byte is written. */
    CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 3, volume, at_to, at_from, huge, from_is, host, host) == EINVAL);
    CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 3, volume, at_to, at_from, to_is, huge, host, host) == EINVAL);
    CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 3, volume, huge, at_from, to_is, from_is, host, host) == EINVAL);
    for (int i = 0; i < 3 * 4 * 3; i++)
        CHECK(((int *)to)[i] == 0);

    CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, host) == INT_MAX);
    CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, NOWHERE) == INT_MAX);
    CHECK(omp_target_memcpy_rect(copy, row, 1, 1, three, two, one, eight, eight, NOWHERE, host) == EINVAL);
    CHECK(omp_target_memcpy_rect(copy, row, 1, 1, three, two, one, eight, eight, host, NOWHERE) == EINVAL);
}

int main(void)
{
    int host = omp_get_initial_device(), value = 3;
    int *memory = omp_target_alloc(100 * sizeof *memory, host);
    CHECK(memory != NULL);
    memory[99] = 1;
#pragma omp target is_device_ptr(memory)
    CHECK(memory[99]++ == 1);
    CHECK(memory[99] == 2);
    CHECK(omp_target_is_present(memory, host) && omp_target_is_present(&value, host));
    CHECK(!omp_target_is_present(&value, NOWHERE));
    omp_target_free(memory, NOWHERE); /* nothing happens: it is not that device's */
    CHECK(memory[99] == 2);
    omp_target_free(memory, host);
    omp_target_free(NULL, host);
    omp_target_free(NULL, NOWHERE);
    CHECK(omp_target_alloc(100, NOWHERE) == NULL && omp_target_alloc(100, -2) == NULL);

    CHECK(omp_target_associate_ptr(&value, &value, sizeof value, 0, host) == EINVAL);
    CHECK(omp_target_associate_ptr(&value, &value, sizeof value, 0, NOWHERE) == EINVAL);
    CHECK(omp_target_disassociate_ptr(&value, host) == EINVAL);
    CHECK(omp_target_disassociate_ptr(&value, NOWHERE) == EINVAL);

    copies(host);
    boxes(host);
#pragma omp target
    {
        copies(host);
        boxes(host);
    }
    return 0;
}
