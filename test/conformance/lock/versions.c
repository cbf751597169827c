/* The lock functions exist twice, and a program linked against an old libgomp gets the old ones.
 *
 * OMP_1.0's nest lock belongs to a thread and has eight bytes; OMP_3.0's belongs to a task and has sixteen in
 * C, eight in Fortran. So a nest lock that the initial thread sets before a region can be set again by that
 * thread inside the region in version 1.0, where the thread is the same, and not in 3.0, where the implicit
 * task is another one. Bytes behind each lock must stay as they were. Passes on libgomp too.
 *
 * symbols: omp_init_lock omp_destroy_lock omp_set_lock omp_unset_lock omp_test_lock
 * symbols: omp_init_nest_lock omp_destroy_nest_lock omp_set_nest_lock omp_unset_nest_lock omp_test_nest_lock
 * symbols: omp_init_lock_ omp_destroy_lock_ omp_set_lock_ omp_unset_lock_ omp_test_lock_
 * symbols: omp_init_nest_lock_ omp_destroy_nest_lock_ omp_set_nest_lock_ omp_unset_nest_lock_
 * symbols: omp_test_nest_lock_
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "versions.c:%d: %s: not %s\n", __LINE__, which, #condition); \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

struct functions {
    const char *name;
    void (*init)(void *);
    void (*destroy)(void *);
    void (*set)(void *);
    void (*unset)(void *);
    int (*test)(void *);
};

/* Declares the five functions of one kind of lock at one version node, under names of our own. */
#define BIND(ours, theirs, node) __asm__(".symver " #ours ", " theirs "@" node)
#define FAMILY(prefix, tail, node)                                                      \
    BIND(prefix##_init, "omp_init_" tail, node);                                        \
    BIND(prefix##_destroy, "omp_destroy_" tail, node);                                  \
    BIND(prefix##_set, "omp_set_" tail, node);                                          \
    BIND(prefix##_unset, "omp_unset_" tail, node);                                      \
    BIND(prefix##_test, "omp_test_" tail, node);                                        \
    extern void prefix##_init(void *);                                                  \
    extern void prefix##_destroy(void *);                                               \
    extern void prefix##_set(void *);                                                   \
    extern void prefix##_unset(void *);                                                 \
    extern int prefix##_test(void *);                                                   \
    static const struct functions prefix = {"omp_*_" tail "@" node, prefix##_init,      \
                                            prefix##_destroy,       prefix##_set,       \
                                            prefix##_unset,         prefix##_test};

FAMILY(c10, "lock", "OMP_1.0")
FAMILY(c30, "lock", "OMP_3.0")
FAMILY(f10, "lock_", "OMP_1.0")
FAMILY(f30, "lock_", "OMP_3.0")
FAMILY(nc10, "nest_lock", "OMP_1.0")
FAMILY(nc30, "nest_lock", "OMP_3.0")
FAMILY(nf10, "nest_lock_", "OMP_1.0")
FAMILY(nf30, "nest_lock_", "OMP_3.0")

struct guarded {
    unsigned char bytes[64] __attribute__((aligned(16)));
};

static int intact(const struct guarded *lock, size_t size)
{
    for (size_t i = size; i < sizeof lock->bytes; i++)
        if (lock->bytes[i] != 0xA5)
            return 0;
    return 1;
}

static void simple(const struct functions *f, size_t size)
{
    const char *which = f->name;
    struct guarded lock;
    memset(&lock, 0xA5, sizeof lock);
    f->init(&lock);
    CHECK(f->test(&lock));
    CHECK(!f->test(&lock));
    f->unset(&lock);
    f->set(&lock);
    CHECK(!f->test(&lock));
    f->unset(&lock);

    int sum = 0;
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 100; i++) {
        f->set(&lock);
        sum++;
        f->unset(&lock);
    }
    CHECK(sum == 400);
    f->destroy(&lock);
    CHECK(intact(&lock, size));
}

static void nested(const struct functions *f, size_t size, int owner_is_thread)
{
    const char *which = f->name;
    struct guarded lock;
    memset(&lock, 0xA5, sizeof lock);
    f->init(&lock);
    f->set(&lock);
    CHECK(f->test(&lock) == 2);

    int of_master = -1, of_other = -1;
#pragma omp parallel num_threads(2)
    {
        int count;
#pragma omp master
        {
            of_master = count = f->test(&lock);
            if (count)
                f->unset(&lock);
        }
#pragma omp barrier
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; i++)
            if (i == 1)
                of_other = f->test(&lock);
    }
    CHECK(of_master == (owner_is_thread ? 3 : 0));
    CHECK(of_other == 0);

    f->unset(&lock);
    f->unset(&lock);
    int sum = 0;
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 100; i++) {
        f->set(&lock);
        f->set(&lock);
        sum++;
        f->unset(&lock);
        f->unset(&lock);
    }
    CHECK(sum == 400);
    f->destroy(&lock);
    CHECK(intact(&lock, size));
}

int main(void)
{
    simple(&c10, 4);
    simple(&c30, 4);
    simple(&f10, 4);
    simple(&f30, 4);
    nested(&nc10, 8, 1);
    nested(&nc30, 16, 0);
    nested(&nf10, 8, 1);
    nested(&nf30, 8, 0);
    return 0;
}
