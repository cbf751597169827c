/* What the runtime takes of the C library and glibc 2.28 does not have: for the wheel's copy of the drop-in alone
 * (packaging/wheel/build.py). The definitions are hidden, so that the process's own stay as they are. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc 2.32. False is "there may be several threads", the answer that asks for nothing of the process. */
char __libc_single_threaded __attribute__((visibility("hidden"))) = 0;

#if defined(__x86_64__)
/* glibc 2.33; before it, these were static functions of the linker's. The kernel's struct stat is glibc's. */
int stat(const char *restrict path, struct stat *restrict found)
{
    return (int)syscall(SYS_newfstatat, AT_FDCWD, path, found, 0);
}

int fstat(int file, struct stat *found)
{
    return (int)syscall(SYS_fstat, file, found);
}

int fstatat(int folder, const char *restrict path, struct stat *restrict found, int flags)
{
    return (int)syscall(SYS_newfstatat, folder, path, found, flags);
}
#endif
