/* Firstprivate items are copies: small and large, aligned as their types ask, and the originals stay as they are.
   symbols: GOMP_target_ext */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

typedef struct {
    _Alignas(64) char bytes[70];
} wide;

static void check_alignment(const void *p, uintptr_t to)
{
    CHECK((uintptr_t)p % to == 0);
}

int main(void)
{
    int number = 5;
    long long pair[2] = {6, 7};
    char odd[3] = {1, 2, 3};
    double large[5000];
    wide box;
    memset(&box, 42, sizeof box);
    for (int i = 0; i < 5000; i++)
        large[i] = i;
    int result = 0;
#pragma omp parallel num_threads(3) reduction(+ : result)
#pragma omp target firstprivate(number, pair, odd, large, box) map(tofrom : result)
    {
        check_alignment(&box, 64);
        check_alignment(pair, _Alignof(long long));
        check_alignment(large, _Alignof(double));
        CHECK(number == 5 && pair[0] == 6 && pair[1] == 7 && odd[0] == 1 && odd[2] == 3);
        for (int i = 0; i < 5000; i++)
            CHECK(large[i] == i);
        for (size_t i = 0; i < sizeof box.bytes; i++)
            CHECK(box.bytes[i] == 42);
        number = 1000;
        pair[1] = -1;
        odd[1] = 99;
        memset(large, 0, sizeof large);
        memset(&box, 0, sizeof box);
        result++;
    }
    CHECK(result == 3);
    CHECK(number == 5 && pair[1] == 7 && odd[1] == 2 && large[4999] == 4999 && box.bytes[69] == 42);
    return 0;
}
