/* Exceptions thrown and caught inside a region, in every member, nested, and inside worksharing constructs.
   symbols: GOMP_parallel GOMP_critical_start GOMP_critical_end */
#include <omp.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static int thrower(int value)
{
    if (value % 3 == 0)
        throw std::runtime_error("multiple of three: " + std::to_string(value));
    return value;
}

int main()
{
    for (int pass = 0; pass < 50; pass++) {
        int caught = 0;
        std::vector<std::string> messages;
#pragma omp parallel num_threads(4) reduction(+ : caught)
        {
            try {
                thrower(3 * omp_get_thread_num());
            } catch (const std::runtime_error &error) {
                caught++;
#pragma omp critical
                messages.push_back(error.what());
            }
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 30; i++) {
                try {
                    thrower(i);
                } catch (...) {
                    caught++;
                }
            }
        }
        if (caught != 4 + 10 || messages.size() != 4) {
            std::fprintf(stderr, "caught %d, %zu messages\n", caught, messages.size());
            return 1;
        }
    }
    return 0;
}
