/* Threads that cannot be made: the runtime's calls of pthread_create fail when the test says so, those of GHC do
   not. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* host/os_threads.c: it and what it calls are the only callers whose threads are workers. Their code is shorter than
   this. */
int ghcomp_os_spawn(pthread_t *, void *(*)(void *), void *, size_t);
enum { CODE = 4096 };

static _Atomic int left = -1; /* so many can still be made; -1: any number */
static _Atomic int refused;

void shortage_after(int threads)
{
    left = threads;
}

int shortage_refused(void)
{
    return refused;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    uintptr_t into = (uintptr_t)__builtin_return_address(0) - (uintptr_t)ghcomp_os_spawn;
    if (into + CODE < 2 * CODE && left >= 0) {
        if (left == 0) {
            refused++;
            return EAGAIN;
        }
        left--;
    }
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return next(thread, attributes, entry, argument);
}

/* The kernel makes no more threads for the calling thread, or does again. The limit on processes does not hold for
   root, so a thread of root's is another user's meanwhile: it alone, since the system call is not the C library's. 0,
   or an errno value. */
int shortage_of_kernel(int on)
{
    enum { SOMEBODY = 65433 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NPROC, &limit) != 0)
        return errno;
    if (getuid() == 0 && syscall(SYS_setresuid, on ? SOMEBODY : 0, on ? SOMEBODY : 0, 0) != 0)
        return errno;
    limit.rlim_cur = on ? 0 : limit.rlim_max;
    return setrlimit(RLIMIT_NPROC, &limit) == 0 ? 0 : errno;
}

/* Whether that has an effect here. */
static void *nothing(void *argument)
{
    return argument;
}

int shortage_holds(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
