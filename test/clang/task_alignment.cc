/* Private variables of tasks with an alignment of up to a cache line are aligned, since compiled code moves them by
   instructions that need it: small ones and large ones, in tasks of all kinds and in taskloops, whose tasks are copied,
   or made one by one where a class has a destructor or the last value is kept.
   symbols: __kmpc_omp_task_alloc __kmpc_omp_task __kmpc_taskloop __kmpc_omp_task_begin_if0 */
#include <omp.h>

#include <cstdint>
#include <cstdlib>

#include "../conformance/common.h"

template <int alignment, int bytes> struct Plain {
    alignas(alignment) char content[bytes];
};

template <int alignment, int bytes> struct Destroyed : Plain<alignment, bytes> {
    Destroyed() {}
    Destroyed(const Destroyed &) : Plain<alignment, bytes>() {}
    ~Destroyed() { content_is_aligned(); }
    void content_is_aligned() { CHECK(reinterpret_cast<uintptr_t>(this) % alignment == 0); }
};

static int ran;

template <int alignment> static void seen(const void *variable)
{
    CHECK(reinterpret_cast<uintptr_t>(variable) % alignment == 0);
#pragma omp atomic
    ran++;
}

template <int alignment, typename Type> static void tasks()
{
    Type value;
    int x = 0, more = 1;
    for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(value)
        seen<alignment>(&value);
#pragma omp task firstprivate(value, i, more)
        seen<alignment>(&value);
#pragma omp task firstprivate(value) private(more) untied
        seen<alignment>(&value);
#pragma omp task firstprivate(value) if (0)
        seen<alignment>(&value);
#pragma omp task firstprivate(value) final(1)
        seen<alignment>(&value);
#pragma omp task firstprivate(value) depend(inout : x) shared(x)
        seen<alignment>(&value);
#pragma omp task private(value)
        seen<alignment>(&value);
#pragma omp taskloop firstprivate(value) num_tasks(3)
        for (int k = 0; k < 6; k++)
            seen<alignment>(&value);
#pragma omp taskloop lastprivate(value) grainsize(2)
        for (int k = 0; k < 6; k++)
            seen<alignment>(&value);
    }
#pragma omp taskwait
}

template <int alignment> static void all()
{
    tasks<alignment, Plain<alignment, alignment> >();
    tasks<alignment, Plain<alignment, 3 * alignment> >();
    tasks<alignment, Plain<alignment, 2048> >();
    tasks<alignment, Plain<alignment, 20000> >();
    tasks<alignment, Destroyed<alignment, alignment> >();
    tasks<alignment, Destroyed<alignment, 4096> >();
}

int main()
{
    enum { EACH = 20 * (7 + 2 * 6), TYPES = 3 * 6 };
    for (int threads = 1; threads <= 4; threads++) {
        ran = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            all<16>();
            all<32>();
            all<64>();
        }
        CHECK(ran == EACH * TYPES);
    }
    return 0;
}
