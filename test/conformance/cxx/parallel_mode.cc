/* libstdc++'s parallel mode, whose algorithms are OpenMP programs of their own: sorts with their tags, partial sums, a
   merge and a search, in teams of several sizes.
   cflags: -D_GLIBCXX_PARALLEL
   hosts: posix ghc
   symbols: GOMP_parallel GOMP_single_start GOMP_barrier omp_set_lock */
#include <omp.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <parallel/algorithm>
#include <parallel/numeric>
#include <vector>

#include "../common.h"

typedef std::vector<int> ints;

static void sorts(const ints &random, const ints &sorted)
{
    ints copy = random;
    __gnu_parallel::sort(copy.begin(), copy.end(), std::less<int>(), __gnu_parallel::multiway_mergesort_tag());
    CHECK(copy == sorted);
    copy = random;
    __gnu_parallel::sort(copy.begin(), copy.end(), std::less<int>(), __gnu_parallel::quicksort_tag());
    CHECK(copy == sorted);
    copy = random;
    __gnu_parallel::sort(copy.begin(), copy.end(), std::less<int>(), __gnu_parallel::balanced_quicksort_tag());
    CHECK(copy == sorted);
    copy = random;
    std::nth_element(copy.begin(), copy.begin() + 777, copy.end());
    CHECK(copy[777] == sorted[777]);
}

static void others(ints &sorted)
{
    const long size = (long)sorted.size();
    std::vector<long> twos(size, 2), sums(size);
    ints merged(2 * size);
    __gnu_parallel::partial_sum(twos.begin(), twos.end(), sums.begin());
    CHECK(sums.front() == 2 && sums.back() == 2 * size);
    CHECK(std::find(sums.begin(), sums.end(), size) - sums.begin() == size / 2 - 1);
    CHECK(__gnu_parallel::accumulate(twos.begin(), twos.end(), 0L) == 2 * size);
    __gnu_parallel::merge(sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), merged.begin());
    for (long i = 0; i < size; i++)
        CHECK(merged[2 * i] == sorted[i] && merged[2 * i + 1] == sorted[i]);
}

int main()
{
    enum { SIZE = 40000 };
    ints random(SIZE);
    unsigned state = 12345;
    for (int &x : random) {
        state = state * 1103515245u + 12345u;
        x = (int)(state >> 8);
    }
    ints sorted = random;
    __gnu_sequential::sort(sorted.begin(), sorted.end());
    for (int threads : {1, 2, 3, 4, 8}) {
        omp_set_num_threads(threads);
        sorts(random, sorted);
        others(sorted);
    }
    return 0;
}
