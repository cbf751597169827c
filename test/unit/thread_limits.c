/* How many threads a process can have at all, from files that stand in for the kernel's. */
#include "host/thread_limits.h"

#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char folder[] = "/tmp/thread-limits-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/proc/sys/%s", folder, name);
    unlink(path);
    if (text == NULL)
        return;
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void expect(const char *threads, const char *numbers, const char *maps, uint32_t most, const char *name)
{
    const char *limit;
    put("kernel/threads-max", threads);
    put("kernel/pid_max", numbers);
    put("vm/max_map_count", maps);
    CHECK_EQUAL(most, ghcomp_threads_most(folder, &limit));
    if (strcmp(limit, name) != 0)
        fprintf(stderr, "%s, not %s\n", limit, name);
    CHECK(strcmp(limit, name) == 0);
}

int main(void)
{
    static const char *const made[] = {"", "/proc", "/proc/sys", "/proc/sys/kernel", "/proc/sys/vm"};
    char path[200];
    const char *limit;
    CHECK(mkdtemp(folder) != NULL);
    for (int i = 1; i < 5; i++) {
        snprintf(path, sizeof path, "%s%s", folder, made[i]);
        CHECK(mkdir(path, 0700) == 0);
    }
    expect(NULL, NULL, NULL, 4194304, "the kernel's numbers of threads");
    expect("5000\n", "32768\n", NULL, 5000, "kernel.threads-max");
    expect("500000\n", "32768\n", NULL, 32768, "kernel.pid_max");
    expect("500000\n", "4194304\n", "2147483647\n", 500000, "kernel.threads-max");
    /* What is no number, or none that can be, is no limit. */
    expect("", "none\n", "0\n", 4194304, "the kernel's numbers of threads");
    expect("99999999999999999999999\n", "-1\n", NULL, 4194304, "the kernel's numbers of threads");
    expect("500000\n", "300\n", "65530\n", 300, "kernel.pid_max");
    for (int i = 4; i >= 0; i--) {
        snprintf(path, sizeof path, "%s%s", folder, made[i]);
        put("kernel/threads-max", NULL);
        put("kernel/pid_max", NULL);
        put("vm/max_map_count", NULL);
        CHECK(rmdir(path) == 0);
    }
    CHECK(ghcomp_threads_most("", &limit) > 16);
    return 0;
}
