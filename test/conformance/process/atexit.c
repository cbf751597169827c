/* Regions in an atexit handler and in a destructor, after regions of the program and without any before.
   expect-stdout: handler 4 destructor 4
   symbols: GOMP_parallel */
#include <omp.h>
#include <unistd.h>

#include "../common.h"

static int count(void)
{
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    sum += 1;
    return sum;
}

static void handler(void)
{
    printf("handler %d ", count());
    fflush(stdout);
}

__attribute__((destructor)) static void destructor(void)
{
    char text[40];
    int length = snprintf(text, sizeof text, "destructor %d\n", count());
    if (write(STDOUT_FILENO, text, (size_t)length) != length)
        _exit(1);
}

int main(void)
{
    omp_set_dynamic(0);
    atexit(handler);
    CHECK(count() == 4);
    return 0;
}
