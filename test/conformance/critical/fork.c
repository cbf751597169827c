/* fork() while another thread is in a critical section: the child can enter it; a child of a thread inside a critical
 * section is still inside.
 *
 * ghcomp-only: libgomp's child waits for ever for the thread that it does not have
 * limit: 60
 */
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int child_status(pid_t child)
{
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void enter_and_leave(void)
{
#pragma omp critical
    ;
}

int main(void)
{
    int entered = 0, done = 0, held_by_other = -1, held_by_us = -1, in_child = 0;
#pragma omp parallel num_threads(2)
    {
        int flag = 0;
        if (omp_get_thread_num() == 1) {
#pragma omp critical
            {
#pragma omp atomic write
                entered = 1;
                while (!flag)
#pragma omp atomic read
                    flag = done;
            }
        } else {
            while (!flag)
#pragma omp atomic read
                flag = entered;
            pid_t child = fork();
            if (child == 0) {
                alarm(60);
                enter_and_leave();
                enter_and_leave();
                _exit(0);
            }
            held_by_other = child_status(child);
#pragma omp atomic write
            done = 1;
        }
    }
#pragma omp critical
    {
        pid_t child = fork();
        if (child != 0)
            held_by_us = child_status(child);
        else
            in_child = alarm(60) == 0;
    }
    if (in_child) {
        /* It has left the section that it was forked in. */
        enter_and_leave();
        _exit(0);
    }
    if (held_by_other != 0 || held_by_us != 0) {
        printf("status of the children: %d %d\n", held_by_other, held_by_us);
        return 1;
    }
    return 0;
}
