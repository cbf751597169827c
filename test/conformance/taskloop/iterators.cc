/* taskloop over random access iterators, with lastprivate and firstprivate objects of a class.
   symbols: GOMP_taskloop GOMP_taskloop_ull */
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../common.h"

template <typename Number> static void over(int n)
{
    std::vector<Number> list(n);
    std::string suffix = "a string that is copied to every task", last = "none";
#pragma omp taskloop firstprivate(suffix) lastprivate(last) shared(list) num_tasks(7)
    for (typename std::vector<Number>::iterator i = list.begin(); i < list.end(); ++i) {
        *i += 1;
        last = suffix + std::to_string(i - list.begin());
    }
    CHECK(last == suffix + std::to_string(n - 1));
#pragma omp taskloop grainsize(3) shared(list)
    for (auto &element : list)
        element += 1;
#pragma omp taskloop shared(list)
    for (typename std::vector<Number>::reverse_iterator i = list.rbegin(); i < list.rend(); i += 2)
        *i += 1;
    for (int i = 0; i < n; i++)
        CHECK(list[n - 1 - i] == Number(i % 2 ? 2 : 3));
}

int main()
{
    omp_set_dynamic(0);
    over<int>(50);
    for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            over<int>(100);
            over<double>(33);
#pragma omp task
            over<unsigned long long>(21);
        }
    }
    return 0;
}
