/* firstprivate objects of a class: one copy for each task, destroyed once, alive until the task has ended; and
   exceptions that stay within a task.
   symbols: GOMP_task GOMP_taskwait GOMP_taskloop */
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "../common.h"

static std::atomic<int> made, copied, destroyed;

struct Counted {
    int value;
    std::string text;
    const Counted *self;
    explicit Counted(int v) : value(v), text("a string that is too long to be kept in the object itself"), self(this)
    {
        made++;
    }
    Counted(const Counted &other) : value(other.value), text(other.text), self(this)
    {
        CHECK(other.self == &other);
        copied++;
    }
    ~Counted()
    {
        CHECK(self == this);
        self = nullptr;
        destroyed++;
    }
    bool whole() const
    {
        return self == this && text.size() == 57;
    }
};

static std::atomic<long> sum;

static void create(int n, bool deferred)
{
    Counted object(n);
    for (int i = 0; i < n; i++) {
        object.value = i;
#pragma omp task firstprivate(object) if (deferred)
        {
            CHECK(object.whole() && object.value == i);
            sum += object.value;
            object.value = -1;
#pragma omp task firstprivate(object)
            {
                CHECK(object.whole() && object.value == -1);
                sum++;
            }
        }
    }
    /* The object is destroyed here; the tasks have their copies. */
}

int main()
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        made = copied = destroyed = 0;
        sum = 0;
#pragma omp parallel num_threads(threads)
        {
            create(50, true);
            create(20, false);
        }
        CHECK(made == 2 * threads);
        CHECK(copied == 2 * 70 * threads);
        CHECK(destroyed == made + copied);
        CHECK(sum == threads * (49L * 50 / 2 + 50 + 19L * 20 / 2 + 20));

        /* In a taskloop, each of its tasks has a copy. */
        made = copied = destroyed = 0;
        sum = 0;
        {
            Counted object(7);
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskloop firstprivate(object) num_tasks(10)
            for (int i = 0; i < 100; i++) {
                CHECK(object.whole() && object.value == 7);
                sum += i;
            }
        }
        CHECK(sum == 4950 && copied >= 10 && destroyed == made + copied);

        std::atomic<int> caught{0};
        std::vector<int> list(100, 1);
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(i) shared(caught, list)
            try {
#pragma omp task if (0) shared(list)
                {
                    list[i]++;
                }
                if (i % 4 == 0)
                    throw std::runtime_error("in a task");
            } catch (const std::exception &) {
                caught++;
            }
        }
        CHECK(caught == 25);
        for (int i : list)
            CHECK(i == 2);
    }
    return 0;
}
