// Target regions in C++: members, references, lambdas, firstprivate objects, exceptions that stay inside.
// symbols: GOMP_target_ext
#include <omp.h>

#include "../common.h"

struct counter {
    int value = 0;
    int *shared;
    explicit counter(int *where) : shared(where) {}
    void run(int times)
    {
#pragma omp target teams distribute parallel for map(tofrom : this->value) num_teams(2)
        for (int i = 0; i < times; i++) {
#pragma omp atomic
            value++;
        }
    }
};

struct point {
    double x, y;
};

int main()
{
    int where = 0;
    counter c(&where);
    c.run(100);
    CHECK(c.value == 100);

    int &reference = where;
    point p{1, 2};
    double sum = 0;
#pragma omp target map(tofrom : reference, sum) firstprivate(p)
    {
        p.x += 10;
        sum = p.x + p.y;
        reference = 7;
        try {
            throw omp_get_level();
        } catch (int level) {
            CHECK(level == 0);
        }
    }
    CHECK(where == 7 && sum == 13 && p.x == 1);

    auto add = [&](int n) {
#pragma omp target map(tofrom : where)
        where += n;
    };
#pragma omp parallel num_threads(2)
#pragma omp critical
    add(5);
    CHECK(where == 17);
    return 0;
}
