/* The file that GHC's eventlog is written to.
 *
 * The RTS reports whether a log is being written, but not by which writer. If the program has its own writer
 * (startEventLogging), GHC's file writer, which trace.c uses, has no file and would crash. So when a log begins, its
 * file is searched for among the process's open files. Before each write the descriptor must still be that file's: at
 * the end of a log the RTS closes the file before it reports that the log has ended. A log only grows: if the file is
 * shorter than before, the program has ended one log and begun the next in the same file. A program that ends its log
 * between that check and the write is not protected, because the RTS has no lock for writers.
 *
 * Called by core/trace/trace.c. Covered by test/unit/trace.c.
 */
#include "host/log_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool called_eventlog(int directory, const char *entry)
{
    static const char suffix[] = ".eventlog";
    char path[PATH_MAX];
    ssize_t length = readlinkat(directory, entry, path, sizeof path);
    size_t tail = sizeof suffix - 1;
    return length > (ssize_t)tail && memcmp(path + (size_t)length - tail, suffix, tail) == 0;
}

bool ghcomp_log_file_find(struct ghcomp_log_file *file, const char *name)
{
    struct stat named, status;
    bool known = name != NULL && stat(name, &named) == 0;
    DIR *files = opendir("/proc/self/fd");
    if (files == NULL)
        return false;
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(files)) != NULL;) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || fstat(descriptor, &status) != 0)
            continue;
        int mode = fcntl(descriptor, F_GETFL);
        if (mode == -1 || (mode & O_ACCMODE) == O_RDONLY)
            continue;
        found = known ? status.st_dev == named.st_dev && status.st_ino == named.st_ino
                      : called_eventlog(dirfd(files), entry->d_name);
        *file = (struct ghcomp_log_file){descriptor, status.st_dev, status.st_ino, status.st_size};
    }
    closedir(files);
    return found;
}

bool ghcomp_log_file_open(struct ghcomp_log_file *file)
{
    struct stat status;
    if (fstat(file->descriptor, &status) != 0 || status.st_dev != file->device || status.st_ino != file->inode ||
        status.st_size < file->size)
        return false;
    file->size = status.st_size;
    return true;
}
