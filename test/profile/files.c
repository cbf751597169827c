/* The program of profile_test.py's test_data_file and test_started. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void regions(int times)
{
    int members = 0;
    for (int i = 0; i < times; i++) {
#pragma omp parallel num_threads(2) reduction(+ : members)
        members++;
    }
    if (members != 2 * times)
        abort();
}

/* It writes into the file that has taken stderr's number. */
static int data(const char *name)
{
    close(STDERR_FILENO);
    int file = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644), next = open("/dev/null", O_RDONLY);
    regions(3);
    dprintf(file, "data\n");
    printf("%d %d\n", file, next);
    return 0;
}

/* The programs that it starts go on when it has ended: they wait for the end of the pipe that it holds, and any process
   that reads its output waits for theirs. */
static int starts(char **arguments, int count)
{
    int gate[2];
    if (pipe(gate) != 0)
        return 1;
    for (int i = 0; i < count; i++)
        if (fork() == 0) {
            dup2(gate[0], STDIN_FILENO);
            close(gate[0]);
            close(gate[1]);
            execl(arguments[0], arguments[0], "later", (char *)NULL);
            _exit(1);
        }
    close(gate[0]);
    fcntl(gate[1], F_SETFD, FD_CLOEXEC);
    regions(7);
    return 0;
}

int main(int argc, char **argv)
{
    char byte;
    if (argc == 3 && strcmp(argv[1], "data") == 0)
        return data(argv[2]);
    if (argc == 3 && strcmp(argv[1], "starts") == 0)
        return starts(argv, atoi(argv[2]));
    regions(1);
    return argc == 2 && strcmp(argv[1], "later") == 0 && read(STDIN_FILENO, &byte, 1) != 0;
}
