/* The first thread ends by pthread_exit: the process goes on until its last thread ends, and then ends with status 0,
   after its atexit handlers. Every order is a process of its own. test/hostile/main_exits.c has more.
   With libgomp the last thread to end may be a worker, whose regions in a handler do not work: no such case there.
   hosts: posix ghc
   ldflags: -ldl
   symbols: GOMP_parallel */
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"
#include "../gate.h"

static pthread_t first;

static int team(int size)
{
    int sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
#pragma omp barrier
        sum += 1;
    }
    return sum;
}

static void handler(void)
{
    CHECK(team(3) == 3);
    puts("handler");
}

static void *goes_on(void *unused)
{
    (void)unused;
    pthread_join(first, NULL);
    CHECK(team(4) == 4);
    return NULL;
}

static void *says_nothing(void *unused)
{
    pthread_join(first, NULL);
    return unused;
}

static void start(void *(*body)(void *))
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
}

static void alone(void)
{
    CHECK(team(4) == 4);
}

static void thread_after(void)
{
    CHECK(team(4) == 4);
    start(goes_on);
}

static void only_the_thread(void)
{
    start(goes_on);
}

static void unknown_thread_after(void)
{
    CHECK(team(4) == 4);
    start(says_nothing);
}

static void handler_at_the_end(void)
{
    atexit(handler);
    thread_after();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *said;
        void (*body)(void);
    } cases[] = {{"alone", "", alone},
                 {"thread_after", "", thread_after},
                 {"only_the_thread", "", only_the_thread},
                 {"unknown_thread_after", "", unknown_thread_after},
                 {"handler_at_the_end", "handler\n", handler_at_the_end}};
    omp_set_dynamic(0);
    first = pthread_self();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
            alarm(60);
            cases[i].body();
            pthread_exit(NULL);
        }
        if (argc > 1 || (cases[i].said[0] != '\0' && dlsym(RTLD_DEFAULT, "ghcomp_version") == NULL))
            continue;
        int ends[2], status;
        char said[100] = "";
        CHECK(pipe(ends) == 0);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            execl("/proc/self/exe", argv[0], cases[i].name, (char *)NULL);
            _exit(127);
        }
        close(ends[1]);
        for (ssize_t got, length = 0; (got = read(ends[0], said + length, sizeof said - 1 - (size_t)length)) > 0;)
            length += got;
        close(ends[0]);
        CHECK(waitpid(child, &status, 0) == child);
        if (status != 0 || strcmp(said, cases[i].said) != 0) {
            fprintf(stderr, "%s: status %x, printed `%s`\n", cases[i].name, (unsigned)status, said);
            return 1;
        }
    }
    return 0;
}
