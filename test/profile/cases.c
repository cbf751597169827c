/* What a program may do to a profiler: the argument says which. */
#include <locale.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(int threads)
{
    int members = 0;
#pragma omp parallel num_threads(threads)
#pragma omp atomic
    members++;
    if (members != threads)
        exit(9);
}

static void *master(void *unused)
{
    region(2);
    return unused;
}

static int forks(int inside)
{
    pid_t child = -1;
    region(2);
    if (!inside) {
        child = fork();
    } else {
#pragma omp parallel num_threads(2)
#pragma omp masked
        child = fork();
    }
    if (child == 0) {
        region(2);
        region(2);
        exit(0);
    }
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 8;
}

/* Other threads are in a region when the process ends. */
static void ends_inside(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            exit(0);
        for (;;)
            pause();
    }
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    if (strcmp(what, "serial") == 0)
        puts("x");
    if (strcmp(what, "runtime") == 0)
        return omp_get_max_threads() < 1;
    if (strcmp(what, "abort") == 0) {
        region(2);
        abort();
    }
    if (strcmp(what, "status") == 0) {
        region(2);
        return 7;
    }
    if (strcmp(what, "fork") == 0 || strcmp(what, "fork-inside") == 0)
        return forks(strcmp(what, "fork-inside") == 0);
    if (strcmp(what, "masters") == 0)
        for (int i = 0; i < 20; i++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, master, NULL) != 0 || pthread_join(thread, NULL) != 0)
                return 8;
        }
    if (strcmp(what, "closes") == 0) {
        region(2);
        close(STDERR_FILENO);
    }
    if (strcmp(what, "locale") == 0) {
        setlocale(LC_ALL, "");
        region(2);
        printf("%.1f\n", 0.5);
    }
    if (strcmp(what, "ends-inside") == 0)
        ends_inside();
    return 0;
}
