/* What environment.py runs: prints the ICVs, and how many threads a region of two got. With arguments NAME, TEXT and
 * COUNT it first sets the variable NAME to COUNT times TEXT, which may be more than a program can be started with, and
 * only then loads the runtime. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *runtime;

static void *named(const char *name)
{
    void *found = dlsym(runtime, name);
    if (found == NULL) {
        fprintf(stderr, "the runtime has no %s\n", name);
        exit(3);
    }
    return found;
}

static int ask(const char *name)
{
    int (*function)(void) = (int (*)(void))named(name);
    return function();
}

static void count(void *counter)
{
    __atomic_fetch_add((int *)counter, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        size_t length = strlen(argv[2]), times = strtoul(argv[3], NULL, 10);
        char *value = malloc(length * times + 1), *end = value;
        if (value == NULL)
            return 3;
        for (size_t i = 0; i < times; i++, end += length)
            memcpy(end, argv[2], length);
        *end = '\0';
        if (setenv(argv[1], value, 1) != 0)
            return 3;
        free(value);
    }
    runtime = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (runtime == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    static const char *const icvs[] = {
        "omp_get_max_threads", "omp_get_dynamic", "omp_get_max_active_levels", "omp_get_thread_limit",
        "omp_get_cancellation", "omp_get_max_task_priority", "omp_get_default_device", "omp_get_max_teams",
        "omp_get_teams_thread_limit", "omp_get_proc_bind", "omp_get_num_places"};
    for (size_t i = 0; i < sizeof icvs / sizeof *icvs; i++)
        printf("%s %d\n", icvs[i] + strlen("omp_get_"), ask(icvs[i]));
    int kind, chunk;
    void (*get_schedule)(int *, int *) = (void (*)(int *, int *))named("omp_get_schedule");
    get_schedule(&kind, &chunk);
    printf("schedule %x,%d\n", (unsigned)kind, chunk);
    char format[100];
    size_t (*get_format)(char *, size_t) = (size_t (*)(char *, size_t))named("omp_get_affinity_format");
    printf("format of %zu\n", get_format(format, sizeof format));
    unsigned long (*get_allocator)(void) = (unsigned long (*)(void))named("omp_get_default_allocator");
    unsigned long allocator = get_allocator();
    if (allocator < 4096)
        printf("allocator %lu\n", allocator);
    else
        puts("allocator made");
    fflush(stdout);
    int members = 0;
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned) =
        (void (*)(void (*)(void *), void *, unsigned, unsigned))named("GOMP_parallel");
    parallel(count, &members, 2, 0);
    printf("members %d\n", members);
    return 0;
}
