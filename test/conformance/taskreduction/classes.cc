/* Reductions over objects of a class: private copies are made and destroyed in pairs, and joined into the original.
   limit: 60
   symbols: GOMP_taskgroup_reduction_register GOMP_parallel_reductions GOMP_taskloop */
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../common.h"

static std::atomic<int> alive;

struct Histogram {
    std::vector<long> bins;
    Histogram() : bins(16)
    {
        alive++;
    }
    Histogram(const Histogram &other) : bins(other.bins)
    {
        alive++;
    }
    ~Histogram()
    {
        alive--;
    }
    Histogram &operator+=(const Histogram &other)
    {
        for (int i = 0; i < 16; i++)
            bins[i] += other.bins[i];
        return *this;
    }
    long total() const
    {
        long sum = 0;
        for (long bin : bins)
            sum += bin;
        return sum;
    }
};
#pragma omp declare reduction(+ : Histogram : omp_out += omp_in)

/* Joined in any order of the threads, the numbers are all there. */
#pragma omp declare reduction(append : std::vector<int> : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

static void group(int n)
{
    Histogram h, array[2];
    std::vector<int> list;
#pragma omp taskgroup task_reduction(+ : h, array) task_reduction(append : list)
    for (int i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : h, array) in_reduction(append : list)
        {
            h.bins[i % 16]++;
            array[i % 2].bins[3]++;
            list.push_back(i);
        }
    }
    CHECK(h.total() == n && h.bins[0] == (n + 15) / 16);
    CHECK(array[0].bins[3] == (n + 1) / 2 && array[1].bins[3] == n / 2);
    std::vector<int> seen(n);
    for (int i : list)
        seen[i]++;
    for (int i : seen)
        CHECK(i == 1);
}

static void loop(int n)
{
    Histogram h;
#pragma omp taskloop reduction(+ : h) num_tasks(8)
    for (int i = 0; i < n; i++)
        h.bins[i % 16]++;
    CHECK(h.total() == n);
}

int main()
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 5; pass++) {
            Histogram h;
#pragma omp parallel num_threads(threads) reduction(task, + : h)
            {
                group(50);
                loop(30);
#pragma omp single
                group(100);
                for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : h)
                    h.bins[i]++;
                }
            }
            CHECK(h.total() == 10 * threads && h.bins[0] == threads);
            CHECK(alive == 1);
        }
    }
    CHECK(alive == 0);
    return 0;
}
