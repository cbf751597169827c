/* GOMP_taskloop and GOMP_taskloop_ull as compilers call them: which iterations each task has under every clause, for
   both types, directions and steps; the effect of if, nogroup, final and a constructor of the data; no iterations.
   symbols: GOMP_taskloop GOMP_taskloop_ull */
#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common.h"

typedef unsigned long long ull;

void GOMP_taskloop(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, unsigned long, int, long,
                   long, long);
void GOMP_taskloop_ull(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, unsigned long, int,
                       ull, ull, ull);

enum { FINAL = 2, UP = 256, GRAINSIZE = 512, IF = 1024, NOGROUP = 2048, REDUCTION = 4096, STRICT = 16384 };
enum { MOST_TASKS = 1000, ALIGN = 64 };

/* A task's data. */
struct data {
    union {
        long l[2];
        ull u[2];
    } bounds;
    uintptr_t *reductions;
    int mark, copied, thread;
    bool is_signed, in_order, final;
    long step;
} __attribute__((aligned(ALIGN)));

static struct {
    uint64_t first, count;
} seen[MOST_TASKS];
static int tasks, copies, constructed;

static void body(void *arg)
{
    struct data *data = arg;
    CHECK(data->mark == 12345);
    CHECK(data->copied == constructed);
    CHECK((uintptr_t)arg % ALIGN == 0);
    CHECK(omp_in_final() == data->final);
    int number;
#pragma omp atomic capture
    number = tasks++;
    CHECK(number < MOST_TASKS);
    uint64_t count = 0;
    if (data->is_signed) {
        seen[number].first = (uint64_t)data->bounds.l[0];
        for (long i = data->bounds.l[0]; data->step > 0 ? i < data->bounds.l[1] : i > data->bounds.l[1];
             i += data->step)
            count++;
    } else {
        seen[number].first = data->bounds.u[0];
        for (ull i = data->bounds.u[0]; data->step > 0 ? i < data->bounds.u[1] : i > data->bounds.u[1];
             i += (ull)data->step)
            count++;
    }
    seen[number].count = count;
    if (data->in_order)
        CHECK(omp_get_thread_num() == data->thread && (number == 0 || seen[number - 1].count != 0));
}

static void construct(void *to, void *from)
{
    *(struct data *)to = *(struct data *)from;
    ((struct data *)to)->copied = 1;
#pragma omp atomic
    copies++;
}

static void run(bool is_signed, unsigned flags, unsigned long amount, uint64_t start, uint64_t end, long step)
{
    tasks = copies = 0;
    struct data data = {.mark = 12345, .thread = omp_get_thread_num(), .is_signed = is_signed, .step = step,
                        .in_order = !(flags & IF), .final = (flags & FINAL) != 0};
    void (*copy)(void *, void *) = constructed ? construct : NULL;
    if (is_signed)
        GOMP_taskloop(body, &data, copy, sizeof data, ALIGN, flags, amount, 0, (long)start, (long)end, step);
    else
        GOMP_taskloop_ull(body, &data, copy, sizeof data, ALIGN, flags | (step > 0 ? UP : 0), amount, 0, start, end,
                          (ull)step);
    if (flags & IF && flags & NOGROUP) {
#pragma omp taskwait
    }
    if (constructed)
        CHECK(copies == tasks);
}

/* The sizes of the tasks in the loop's order: each has `each`, the first `longer` one more, the last `last` (0: as the
   others). */
static void expect(uint64_t start, long step, uint64_t total, int count, uint64_t each, uint64_t longer, uint64_t last)
{
    CHECK(tasks == count);
    uint64_t at = 0;
    for (int k = 0; k < count; k++) {
        uint64_t size = k == count - 1 && last != 0 ? last : each + ((uint64_t)k < longer);
        int found = 0;
        for (int i = 0; i < count; i++)
            found += seen[i].first == start + at * (uint64_t)step && seen[i].count == size;
        CHECK(found == 1);
        at += size;
    }
    CHECK(at == total);
}

static void loops(unsigned flags, int threads)
{
    static const struct {
        bool is_signed;
        uint64_t start;
        long step;
        uint64_t past; /* the end is so far past the last value */
    } kinds[] = {
        {true, 0, 1, 1},
        {true, (uint64_t)-50, 7, 3},
        {true, 100, -1, 1},
        {true, 5, -9, 9},
        {true, (uint64_t)(LONG_MIN + 1), 3, 1},
        {false, 0, 1, 1},
        {false, UINT64_MAX - 1000000, 11, 2},
        {false, 1 << 20, -3, 1},
        {false, UINT64_MAX, -5, 5},
    };
    static const uint64_t totals[] = {1, 2, 3, 7, 17, 64, 79, 100, 370};
    static const unsigned long amounts[] = {1, 2, 3, 5, 8, 17, 28, 64, 400};
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned t = 0; t < sizeof totals / sizeof *totals; t++) {
            uint64_t total = totals[t], start = kinds[k].start;
            long step = kinds[k].step;
            uint64_t end = start + (total - 1) * (uint64_t)step + (step > 0 ? kinds[k].past : -kinds[k].past);
            for (unsigned a = 0; a < sizeof amounts / sizeof *amounts; a++) {
                uint64_t amount = amounts[a], n;
                n = total / amount > 1 ? total / amount : 1;
                run(kinds[k].is_signed, flags | GRAINSIZE, amount, start, end, step);
                expect(start, step, total, (int)n, total / n, total % n, 0);

                n = (total + amount - 1) / amount;
                run(kinds[k].is_signed, flags | GRAINSIZE | STRICT, amount, start, end, step);
                expect(start, step, total, (int)n, amount, 0, total % amount);

                n = amount < total ? amount : total;
                run(kinds[k].is_signed, flags, amount, start, end, step);
                expect(start, step, total, (int)n, total / n, total % n, 0);
            }
            uint64_t n = (uint64_t)threads < total ? (uint64_t)threads : total;
            run(kinds[k].is_signed, flags, 0, start, end, step);
            expect(start, step, total, (int)n, total / n, total % n, 0);
        }
}

static void nothing(void)
{
    for (int k = 0; k < 6; k++) {
        uintptr_t array[10] = {1, 64, 64, (uintptr_t)-1};
        struct data data = {.reductions = array};
        tasks = 0;
        unsigned flags = IF | REDUCTION | (k % 3 == 0 ? GRAINSIZE : 0);
        if (k % 2 == 0)
            GOMP_taskloop(body, &data, NULL, sizeof data, ALIGN, flags, 4, 0, k, k, k < 3 ? 3 : -1);
        else
            GOMP_taskloop_ull(body, &data, NULL, sizeof data, ALIGN, flags | (k > 3 ? UP : 0), 4, 0, 7, 7,
                              k > 3 ? 1 : -(ull)1);
        CHECK(tasks == 0);
        CHECK(array[2] == 0);
    }
}

static void all(int threads)
{
    for (constructed = 0; constructed < 2; constructed++) {
        loops(IF, threads);
        loops(IF | NOGROUP, threads);
        loops(0, threads);
        loops(NOGROUP, threads);
        loops(IF | FINAL, threads);
    }
    nothing();
}

int main(void)
{
    omp_set_dynamic(0);
    all(1);
    for (int threads = 1; threads <= 5; threads += 2)
#pragma omp parallel num_threads(threads)
#pragma omp single
        all(threads);
    return 0;
}
