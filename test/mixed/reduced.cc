// A taskgroup with a reduction, and tasks of it in a library (-DLIBRARY) by the same compiler or by another one. See
// reduced.sh.
#include <cstdio>

void library_add(int &sum, int value);

#ifdef LIBRARY
void library_add(int &sum, int value)
{
#pragma omp task in_reduction(+ : sum)
    sum += value;
}
#else
enum { THREADS = 3, COUNT = 100 };

int main()
{
    int sum = 5;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < COUNT; i++)
        library_add(sum, i);
    std::printf("%d\n", sum);
    return 0;
}
#endif
