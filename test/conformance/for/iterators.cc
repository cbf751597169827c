/* Loops over C++ iterators, 64-bit unsigned induction variables and a class; collapse; lastprivate of a class.
   symbols: GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_ull_nonmonotonic_dynamic_start
   symbols: GOMP_loop_nonmonotonic_guided_start */
#include <numeric>
#include <omp.h>
#include <vector>

#include "../common.h"

int main()
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads += 2) {
        std::vector<int> v(1000, 0);
        std::vector<int> last;
        unsigned long sum = 0;
#pragma omp parallel num_threads(threads)
        {
#pragma omp for schedule(dynamic, 7)
            for (auto it = v.begin(); it < v.end(); ++it)
                ++*it;
#pragma omp for schedule(guided)
            for (auto it = v.rbegin(); it < v.rend(); it += 2)
                ++*it;
#pragma omp for schedule(dynamic) collapse(2) reduction(+ : sum)
            for (unsigned long i = 0; i < 20; i++)
                for (unsigned long j = 5; j > 0; j--)
                    sum += i * j;
#pragma omp for schedule(dynamic, 3) lastprivate(last)
            for (int i = 0; i < 50; i++)
                last = std::vector<int>(1, i);
        }
        CHECK(std::accumulate(v.begin(), v.end(), 0) == 1500);
        CHECK(sum == 190 * 15);
        CHECK(last.size() == 1 && last[0] == 49);
    }
    return 0;
}
