/* A process that is forked after a parallel region, as a pool's is after a fit: it has regions of its own. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static long sum(void)
{
    long total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 1; i <= 1000000; i++)
        total += i % 7;
    return total;
}

int main(void)
{
    printf("sum %ld\n", sum());
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        printf("forked %ld\n", sum());
        return 0;
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status != 0;
}
