/* OMP_STACKSIZE at its bounds: the workers' stacks have at least the size that was asked for, from 16 KiB on; a value
 * that cannot be is named in one line, and the default is used; stacks that do not fit end the program in one line,
 * with status 1 and with the output that was buffered.
 *
 * hosts: posix ghc
 * cflags: -D_GNU_SOURCE
 */
#include <pthread.h>

#include "limits_cases.h"

/* The least size among the workers' stacks. */
static size_t least_stack(void)
{
    size_t least = (size_t)-1;
#pragma omp parallel num_threads(4) reduction(min : least)
    if (omp_get_thread_num() != 0) {
        pthread_attr_t attributes;
        CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
        CHECK(pthread_attr_getstacksize(&attributes, &least) == 0);
        pthread_attr_destroy(&attributes);
    }
    return least;
}

static void by_default(void)
{
    CHECK(least_stack() >= 128 << 10);
}

static void sixteen(void)
{
    size_t least = least_stack();
    CHECK(least >= 16 << 10 && least < 128 << 10);
    int sum = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) reduction(+ : sum)
#pragma omp parallel for schedule(dynamic) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 10; i++)
#pragma omp task shared(sum)
        sum += 0;
    CHECK(sum == 0);
}

/* Not a multiple of a page. (libgomp's stacks are a page smaller then.) */
static void odd(void)
{
    size_t least = least_stack();
    CHECK(least >= 20001 && least < 128 << 10);
}

static void gigabyte(void)
{
    CHECK(least_stack() >= 1u << 30);
}

static void does_not_fit(void)
{
    printf("buffered");
    least_stack();
    printf(" and more");
}

static const struct hostile_case cases[] = {
    {.name = "sixteen", .run = sixteen, .environment = "OMP_STACKSIZE=16k"},
    {.name = "sixteen", .run = sixteen, .environment = "OMP_STACKSIZE=16384b"},
    {.name = "odd", .run = odd, .environment = "OMP_STACKSIZE=20001B", .only_ours = 1},
    {.name = "gigabyte", .run = gigabyte, .environment = "OMP_STACKSIZE=1g"},
    {.name = "by_default", .run = by_default, .environment = "OMP_STACKSIZE=16383b", .err = "at least 16k"},
    {.name = "by_default", .run = by_default, .environment = "OMP_STACKSIZE=0", .err = "at least 16k"},
    {.name = "by_default", .run = by_default, .environment = "OMP_STACKSIZE=-1", .err = "at least 16k"},
    {.name = "by_default", .run = by_default, .environment = "OMP_STACKSIZE=16x", .err = "at least 16k"},
    /* 2^64 bytes and more do not fit into a size_t. */
    {.name = "by_default", .run = by_default, .environment = "OMP_STACKSIZE=18446744073709551615",
     .err = "at least 16k"},
    {.name = "by_default", .run = by_default, .environment = "OMP_STACKSIZE=17179869184G", .err = "at least 16k"},
    /* The greatest that do: no address space has as much. (libgomp's sum overflows, and its stacks are small.) */
    {.name = "does_not_fit", .run = does_not_fit, .environment = "OMP_STACKSIZE=18446744073709551615b", .status = 1,
     .only_ours = 1, .out = "buffered", .err = "Thread creation failed"},
    {.name = "does_not_fit", .run = does_not_fit, .environment = "OMP_STACKSIZE=18446744073709551600b", .status = 1,
     .only_ours = 1, .out = "buffered", .err = "Thread creation failed"},
    {.name = "does_not_fit", .run = does_not_fit, .environment = "OMP_STACKSIZE=17179869183G", .status = 1,
     .out = "buffered", .err = "Thread creation failed"},
    {.name = "does_not_fit", .run = does_not_fit, .environment = "OMP_STACKSIZE=200000G", .status = 1,
     .out = "buffered", .err = "Thread creation failed"},
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
