/* Checks in a child by fork(). Include it after what has CHECK. */
#pragma once

#include <sys/wait.h>
#include <unistd.h>

/* Runs the function in a child, and its checks count here. */
static inline void in_child(void (*checks)(void))
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        checks();
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}
