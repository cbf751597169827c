/* The lock entries as binaries of every age find them: both versions of each, C and Fortran, by symbol version. Nest
 * locks of eight bytes are never overrun; those of OMP_1.0 belong to the thread, those of OMP_3.0 to the task.
 *
 * symbols: omp_init_lock_ omp_set_lock_ omp_unset_lock_ omp_test_lock_ omp_destroy_lock_ omp_init_nest_lock_
 *   omp_set_nest_lock_ omp_unset_nest_lock_ omp_test_nest_lock_ omp_destroy_nest_lock_
 * cflags: -D_GNU_SOURCE
 * ldflags: -ldl
 */
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entries {
    void (*init)(void *), (*destroy)(void *), (*set)(void *), (*unset)(void *);
    int (*test)(void *);
};

static void *entry(const char *action, const char *kind, const char *suffix, const char *version)
{
    char name[64];
    snprintf(name, sizeof name, "omp_%s_%s%s", action, kind, suffix);
    void *found = dlvsym(RTLD_DEFAULT, name, version);
    if (found == NULL) {
        printf("no %s@%s\n", name, version);
        exit(1);
    }
    return found;
}

static struct entries find(const char *kind, const char *suffix, const char *version)
{
    struct entries e;
    *(void **)&e.init = entry("init", kind, suffix, version);
    *(void **)&e.destroy = entry("destroy", kind, suffix, version);
    *(void **)&e.set = entry("set", kind, suffix, version);
    *(void **)&e.unset = entry("unset", kind, suffix, version);
    *(void **)&e.test = entry("test", kind, suffix, version);
    return e;
}

#define CHECK(condition)                                                                      \
    do                                                                                        \
        if (!(condition)) {                                                                   \
            printf("%s%s@%s: %d: %s does not hold\n", kind, suffix, version, __LINE__, #condition); \
            exit(1);                                                                          \
        }                                                                                     \
    while (0)

static struct {
    int before;
    unsigned char storage[24] __attribute__((aligned(8)));
} guarded;

static void prepare(void)
{
    memset(&guarded, 0x5a, sizeof guarded);
}

static int intact(size_t used)
{
    for (size_t i = used; i < sizeof guarded.storage; i++)
        if (guarded.storage[i] != 0x5a)
            return 0;
    return guarded.before == 0x5a5a5a5a;
}

static void simple(const char *suffix, const char *version)
{
    const char *kind = "lock";
    struct entries e = find(kind, suffix, version);
    prepare();
    long counter = 0;
    e.init(guarded.storage);
    CHECK(e.test(guarded.storage) == 1);
    CHECK(e.test(guarded.storage) == 0);
    e.unset(guarded.storage);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 1000; i++) {
        e.set(guarded.storage);
        counter++;
        e.unset(guarded.storage);
    }
    CHECK(counter == 4000);
    e.destroy(guarded.storage);
    CHECK(intact(4));
}

static void nest(const char *suffix, const char *version, size_t size)
{
    const char *kind = "nest_lock";
    struct entries e = find(kind, suffix, version);
    int by_thread = strcmp(version, "OMP_1.0") == 0;
    prepare();
    long counter = 0;
    int others = 0, master = 0;
    e.init(guarded.storage);
    e.set(guarded.storage);
    CHECK(e.test(guarded.storage) == 2);
#pragma omp parallel num_threads(2)
    {
        int got = e.test(guarded.storage);
        if (omp_get_thread_num() == 0)
            master = got;
        else
            others = got;
    }
    CHECK(others == 0);
    CHECK(master == (by_thread ? 3 : 0));
    for (int i = 0; i < 2 + by_thread; i++)
        e.unset(guarded.storage);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 1000; i++) {
        e.set(guarded.storage);
        e.set(guarded.storage);
        counter++;
        e.unset(guarded.storage);
        e.unset(guarded.storage);
    }
    CHECK(counter == 4000);
    e.destroy(guarded.storage);
    CHECK(intact(size));
}

int main(void)
{
    simple("", "OMP_1.0");
    simple("", "OMP_3.0");
    simple("_", "OMP_1.0");
    simple("_", "OMP_3.0");
    nest("", "OMP_1.0", 8);
    nest("", "OMP_3.0", 16);
    nest("_", "OMP_1.0", 8);
    nest("_", "OMP_3.0", 8);
    return 0;
}
