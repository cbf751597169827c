// Sixteen threads of a server, each with regions of its own at the same time.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

int main()
{
    std::atomic<long> total{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 16; caller++)
        callers.emplace_back([&] {
            for (int call = 0; call < 100; call++) {
                long sum = 0;
#pragma omp parallel for reduction(+ : sum)
                for (int i = 0; i < 20000; i++)
                    sum += i % 13;
                total += sum;
            }
        });
    for (auto &caller : callers)
        caller.join();
    std::printf("%ld\n", total.load());
}
