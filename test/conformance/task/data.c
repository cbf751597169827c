/* The data that a task copies: large data, data whose type needs more alignment than malloc gives, arrays of variable
   length (which GCC copies by a function of its own), private copies on many stacks at once.
   symbols: GOMP_task */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

enum { LARGE = 60000 };

struct large {
    unsigned char bytes[LARGE];
};
struct line {
    int value;
} __attribute__((aligned(64)));
struct page {
    int value;
    char rest[100];
} __attribute__((aligned(1024)));

static int executed;

static int aligned(const void *p, unsigned to)
{
    /* Opaque to the compiler, which otherwise knows that the type is aligned. */
    uintptr_t bits;
    __asm__("" : "=r"(bits) : "0"(p));
    return bits % to == 0;
}

static void done(void)
{
    __atomic_fetch_add(&executed, 1, __ATOMIC_RELAXED);
}

static void create(int seed)
{
    struct large large;
    struct line line = {seed};
    struct page page = {seed + 1, "some text"};
    long double wide = seed;
    char small = (char)seed;
    int n = 1 + seed % 50;
    int variable[n];
    double square[n][3];
    memset(large.bytes, seed, LARGE);
    for (int i = 0; i < n; i++) {
        variable[i] = seed + i;
        square[i][2] = seed * i;
    }
#pragma omp task firstprivate(large)
    {
        for (int i = 0; i < LARGE; i += 997)
            CHECK(large.bytes[i] == (unsigned char)seed);
        memset(large.bytes, 255, LARGE);
        done();
    }
#pragma omp task firstprivate(line, small)
    {
        CHECK(aligned(&line, 64) && line.value == seed && small == (char)seed);
        done();
    }
#pragma omp task firstprivate(page, wide)
    {
        CHECK(aligned(&page, 1024) && page.value == seed + 1 && strcmp(page.rest, "some text") == 0);
        CHECK(aligned(&wide, 16) && wide == seed);
        done();
    }
#pragma omp task firstprivate(variable, square)
    {
        for (int i = 0; i < n; i++) {
            CHECK(variable[i] == seed + i && square[i][2] == seed * i);
            variable[i] = 0;
        }
        done();
    }
#pragma omp task firstprivate(page, variable) if (seed % 2)
    {
        CHECK(aligned(&page, 1024) && page.value == seed + 1 && variable[n - 1] == seed + n - 1);
        done();
    }
    /* They have been copied when the construct is left. */
    memset(&large, 0, sizeof large);
    memset(&page, 0, sizeof page);
    memset(variable, 0, sizeof variable);
    memset(square, 0, sizeof square);
    line.value = 0;
    wide = 0;
}

int main(void)
{
    omp_set_dynamic(0);
    create(3);
    CHECK(executed == 5);
    for (int threads = 1; threads <= 8; threads *= 2) {
        executed = 0;
#pragma omp parallel num_threads(threads)
        for (int i = 0; i < 40; i++)
            create(1 + i * 7 + omp_get_thread_num());
        CHECK(executed == threads * 200);
    }
    return 0;
}
