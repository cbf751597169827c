/* Private objects of tasks in clang's code are destroyed once for each construction: in tasks of one part and of
   many, in tasks that run at once, in loops of tasks, and in tasks that a cancelled taskgroup discards.
   env: OMP_CANCELLATION=true */
#include <atomic>

#include "../conformance/common.h"

static std::atomic<int> alive, copies;

struct object {
    int value;
    explicit object(int v) : value(v) { alive++; }
    object(const object &other) : value(other.value)
    {
        alive++;
        copies++;
    }
    object() : value(-1) { alive++; }
    ~object()
    {
        value = -2;
        alive--;
    }
};

static void tasks()
{
    object one(7);
    std::atomic<int> sum{0};
    for (int i = 0; i < 30; i++) {
#pragma omp task firstprivate(one) shared(sum)
        sum += one.value;
#pragma omp task firstprivate(one) shared(sum) if (i % 2)
        sum += one.value;
#pragma omp task untied firstprivate(one) shared(sum)
        {
#pragma omp taskyield
            sum += one.value;
        }
    }
#pragma omp taskwait
    CHECK(sum == 3 * 30 * 7);
}

static void loops()
{
    object one(3), last(0), priv(1);
    std::atomic<int> sum{0};
#pragma omp taskloop firstprivate(one) lastprivate(last) private(priv) shared(sum) num_tasks(9)
    for (int i = 0; i < 100; i++) {
        CHECK(priv.value == -1 || priv.value >= 1000);
        priv.value = 1000 + i;
        sum += one.value;
        last.value = i;
    }
    CHECK(sum == 300 && last.value == 99);
}

static void discarded()
{
    object one(5);
    std::atomic<int> ran{0};
#pragma omp taskgroup
    {
        for (int i = 0; i < 100; i++)
#pragma omp task firstprivate(one) shared(ran)
        {
            CHECK(one.value == 5);
            ran++;
#pragma omp cancel taskgroup
        }
    }
    CHECK(ran >= 1);
}

int main()
{
    for (int threads = 1; threads <= 4; threads += 3) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            tasks();
            loops();
            discarded();
        }
        CHECK(alive == 0 && copies > 0);
    }
    return 0;
}
