// Regions at the ends of a life: in constructors and destructors of the program and of static objects, in atexit and
// at_quick_exit handlers, and at the end of threads: destructors of pthread keys, again and again, and of thread_local
// objects, in initial threads of all kinds. The workers themselves end with the process.
// hosts: posix ghc
// limit: 60
// deep-limit: 600
// expect-stdout: ^handlers 3 3 ends 8 8 last$
// symbols: GOMP_parallel
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

namespace {

int team(int size)
{
    int sum = 0;
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
#pragma omp barrier
        sum += 1;
    }
    return sum;
}

[[noreturn]] void failed(const char *where)
{
    fprintf(stderr, "%s: a region has not the threads that it should have\n", where);
    _exit(1);
}

void check(const char *where)
{
    int sum = 0;
    if (team(4) != 4 || team(1) != 1 || team(3) != 3)
        failed(where);
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += team(2);
    if (sum != 4)
        failed(where);
}

std::atomic<int> handlers, key_ends, local_ends;

__attribute__((constructor)) void constructor()
{
    check("constructor");
}

__attribute__((destructor)) void destructor()
{
    check("destructor");
}

struct Static {
    Static() { check("constructor of an object"); }
    ~Static()
    {
        check("destructor of an object");
        printf("handlers %d 3 ends %d 8 last\n", handlers.load(), key_ends.load());
        if (local_ends < 8)
            failed("thread_local objects");
    }
} object;

struct Local {
    int value = 0;
    ~Local()
    {
        check("destructor of a thread_local object");
        local_ends++;
    }
};
thread_local Local local;

pthread_key_t key;
void at_thread_exit(void *value)
{
    check("destructor of a key");
    key_ends++;
    // Round after round, as long as there are values: the runtime's own destructor runs between two of them.
    intptr_t left = reinterpret_cast<intptr_t>(value) - 1;
    if (left > 0)
        pthread_setspecific(key, reinterpret_cast<void *>(left));
}

// which: bit 0: it has a region before it ends; bit 1: its object is made; it ends by pthread_exit when both.
void *ends(void *argument)
{
    intptr_t which = reinterpret_cast<intptr_t>(argument);
    pthread_setspecific(key, reinterpret_cast<void *>(2));
    if (which & 1)
        check("thread");
    if (which & 2)
        local.value = 1;
    if (which == 3)
        pthread_exit(nullptr);
    return nullptr;
}

void in_threads(int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        pthread_t threads[4];
        key_ends = local_ends = 0;
        for (intptr_t i = 0; i < 4; i++)
            if (pthread_create(&threads[i], nullptr, ends, reinterpret_cast<void *>(i)) != 0)
                failed("pthread_create");
        for (auto &thread : threads)
            pthread_join(thread, nullptr);
        if (key_ends != 8 || local_ends != 2)
            failed("ends of threads");
    }
}

void handler()
{
    check("handler");
    handlers++;
}

void registers_another()
{
    check("handler");
    handlers++;
    atexit(handler);
}

} // namespace

int main()
{
    const char *deep = getenv("GHCOMP_DEEP");
    if (pthread_key_create(&key, at_thread_exit) != 0)
        return 1;
    in_threads(deep != nullptr && *deep == '1' ? 2000 : 30);
    local_ends = 7; // main's own object is the eighth
    local.value = 2;
    check("main");
    atexit(handler);
    atexit(registers_another);
    return 0;
}
