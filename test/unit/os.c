/* The operating-system contract: sleeping and waking, bounded sleeps, the saved affinity, threads with a stack of a
   given size, their signal masks, calls on another stack. */
#include "unit.h"

#include <errno.h>
#include <signal.h>

#include "host/os.h"

static _Atomic uint32_t word, done;
static size_t stack_of_thread;
static int usr1_blocked, term_blocked;

static void *quiet_body(void *data)
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    CHECK(sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGTERM) && sigismember(&mask, SIGPROF));
    ghcomp_store_release((_Atomic uint32_t *)data, 1u);
    ghcomp_os_wake(data, 1);
    return NULL;
}

/* A call on a stack of its own: most of that can be used, and it is the same thread. */
enum { OTHER_STACK = 1 << 20, USED = OTHER_STACK - (64 << 10) };

struct stack_call {
    pthread_t thread;
    uintptr_t address;
    size_t left;
    int calls;
};

static void call_body(void *data)
{
    struct stack_call *call = data;
    volatile char used[USED];
    for (size_t i = 0; i < USED; i += 512)
        used[i] = 1;
    *call = (struct stack_call){pthread_self(), (uintptr_t)used, ghcomp_os_stack_left(), call->calls + used[512]};
}

static void call_on_stack(void)
{
    struct stack_call call = {0};
    int own = 0;
    CHECK_EQUAL(0, ghcomp_os_call_on_stack(OTHER_STACK, call_body, &call));
    CHECK_EQUAL(1, call.calls);
    CHECK(pthread_equal(call.thread, pthread_self()));
    CHECK_EQUAL(0, call.left);
    CHECK(call.address - ((uintptr_t)&own - (8 << 20)) > 16 << 20);
    CHECK_EQUAL(ENOMEM, ghcomp_os_call_on_stack((size_t)1 << 60, call_body, &call));
    CHECK_EQUAL(1, call.calls);
}

static void *thread_body(void *data)
{
    pthread_attr_t attributes;
    sigset_t mask;
    CHECK(data == &word);
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
    CHECK(pthread_attr_getstacksize(&attributes, &stack_of_thread) == 0);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    usr1_blocked = sigismember(&mask, SIGUSR1);
    term_blocked = sigismember(&mask, SIGTERM);
    while (ghcomp_load_acquire(&word) == 0)
        ghcomp_os_sleep(&word, 0);
    ghcomp_store_release(&done, 1u);
    ghcomp_os_wake(&done, 1);
    return NULL;
}

static void *sleeps_for_long(void *data)
{
    (void)data;
    while (ghcomp_load_acquire(&done) == 0)
        ghcomp_os_sleep_for(&word, 1, 999999999);
    return NULL;
}

/* A bounded sleep ends by itself: not at once, not before its time, and it can be woken; errno stays. */
static void sleep_with_a_limit(void)
{
    enum { NANOSECONDS = 3000000 };
    errno = E2BIG;
    ghcomp_store_relaxed(&word, 1u);
    ghcomp_os_sleep_for(&word, 0, 999999999);
    CHECK(errno == E2BIG);

    uint64_t begin = ghcomp_os_now();
    ghcomp_os_sleep_for(&word, 1, NANOSECONDS);
    CHECK(ghcomp_os_now() - begin >= NANOSECONDS);
    CHECK(errno == E2BIG);
    ghcomp_os_sleep_for(&word, 1, 0);
    CHECK(errno == E2BIG);
    begin = ghcomp_os_now();
    ghcomp_os_sleep_class_for(&word, 1, 2, NANOSECONDS);
    CHECK(ghcomp_os_now() - begin >= NANOSECONDS);
    ghcomp_os_sleep_class_for(&word, 0, 2, 999999999);
    CHECK(errno == E2BIG);

    pthread_t sleeper;
    CHECK_EQUAL(0, pthread_create(&sleeper, NULL, sleeps_for_long, NULL));
    for (int i = 0; i < 100; i++)
        while (ghcomp_os_wake(&word, 1) == 0)
            ghcomp_os_yield();
    ghcomp_store_release(&done, 1u);
    ghcomp_os_wake(&word, 1);
    CHECK_EQUAL(0, pthread_join(sleeper, NULL));
    ghcomp_store_relaxed(&word, 0u);
    ghcomp_store_relaxed(&done, 0u);
}

/* However often sleepers ask, the fences of a process have time between them. */
static void fences_of_all_threads_are_few(void)
{
    uint64_t began = ghcomp_os_now(), fences = 0, passed;
    while ((passed = ghcomp_os_now() - began) < 200000000)
        fences += ghcomp_os_fence_all();
    CHECK(fences <= 1 + passed * GHCOMP_FENCES_A_SECOND / 1000000000);
}

int main(void)
{
    fences_of_all_threads_are_few();
    sleep_with_a_limit();

    /* Returns at once when the word has another value, and keeps errno. */
    errno = E2BIG;
    ghcomp_store_relaxed(&word, 1u);
    ghcomp_os_sleep(&word, 0);
    CHECK(errno == E2BIG);
    ghcomp_store_relaxed(&word, 0u);

    size_t size;
    const cpu_set_t *affinity = ghcomp_os_affinity(&size);
    CHECK(ghcomp_os_cpus() >= 1);
    CHECK_EQUAL(CPU_COUNT_S(size, affinity), ghcomp_os_cpus());

    /* A thread inherits its creator's mask, which is unchanged afterwards. */
    sigset_t block, now;
    sigemptyset(&block);
    sigaddset(&block, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &block, NULL);
    pthread_t handle;
    CHECK_EQUAL(0, ghcomp_os_spawn(&handle, thread_body, &word, 1 << 20));
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    CHECK(sigismember(&now, SIGUSR1));
    ghcomp_store_release(&word, 1u);
    ghcomp_os_wake(&word, 1);
    while (ghcomp_load_acquire(&done) == 0)
        ghcomp_os_sleep(&done, 0);
    CHECK(stack_of_thread >= 1 << 20 && stack_of_thread < 2 << 20);
    CHECK(ghcomp_os_join(handle, 60000000000) > 0);
    CHECK_EQUAL(1, usr1_blocked);
    CHECK_EQUAL(0, term_blocked);

    static _Atomic uint32_t quiet;
    CHECK_EQUAL(0, ghcomp_os_spawn_quiet(&handle, quiet_body, &quiet));
    ghcomp_os_detach(handle);
    while (ghcomp_load_acquire(&quiet) == 0)
        ghcomp_os_sleep(&quiet, 0);
    size_t left = ghcomp_os_stack_left();
    CHECK(left > 256 << 10 && left < (size_t)1 << 40);
    int before = ghcomp_os_defer_cancellation();
    CHECK_EQUAL(PTHREAD_CANCEL_ENABLE, before);
    ghcomp_os_restore_cancellation(before);
    call_on_stack();
    return 0;
}
