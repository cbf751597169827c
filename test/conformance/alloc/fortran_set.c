/* GOMP_add_alloc and GOMP_is_alloc, which code of GCC 14's gfortran calls before it deallocates. Several threads at
   once, and a child of fork() meanwhile.
   ghcomp-only: libgomp 12 does not have them
   ldflags: -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

static void (*GOMP_add_alloc)(void *);
static _Bool (*GOMP_is_alloc)(void *);

/* A variable that is allocated and freed as compiled code does it. */
static void live(int turn, int marked)
{
    int *variable = marked ? omp_aligned_alloc(64, sizeof *variable, omp_default_mem_alloc) : malloc(sizeof *variable);
    CHECK(variable != NULL);
    if (marked)
        GOMP_add_alloc(variable);
    *variable = turn;
    if (GOMP_is_alloc(variable)) {
        CHECK(marked);
        omp_free(variable, omp_null_allocator);
    } else {
        CHECK(!marked);
        free(variable);
    }
}

int main(void)
{
    GOMP_add_alloc = (void (*)(void *))dlsym(RTLD_DEFAULT, "GOMP_add_alloc");
    GOMP_is_alloc = (_Bool(*)(void *))dlsym(RTLD_DEFAULT, "GOMP_is_alloc");
    CHECK(GOMP_add_alloc != NULL && GOMP_is_alloc != NULL);
    int kept[1000];
    CHECK(!GOMP_is_alloc(kept) && !GOMP_is_alloc(NULL));
    GOMP_add_alloc(NULL);
    CHECK(!GOMP_is_alloc(NULL));
    for (int i = 0; i < 1000; i++)
        GOMP_add_alloc(&kept[i]);
    const omp_alloctrait_t pinned[] = {{omp_atk_pinned, omp_atv_true}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, pinned);
    int children = 0;
#pragma omp parallel num_threads(6)
    if (omp_get_thread_num() == 0) {
        for (int i = 0; i < 20; i++) {
            pid_t child = fork();
            CHECK(child >= 0);
            if (child == 0) {
                live(i, 1);
                live(i, 0);
                omp_free(omp_alloc(10, allocator), allocator); /* the lock of pinned pages */
                _exit(GOMP_is_alloc(&kept[i]) && !GOMP_is_alloc(&kept[i]) ? 5 : 1);
            }
            int status;
            CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
            children++;
        }
    } else {
        for (int i = 0; i < 4000; i++) {
            live(i, i % 3 != 0);
            omp_free(omp_alloc(10, allocator), allocator);
        }
    }
    CHECK(children == 20);
    for (int i = 0; i < 1000; i++)
        CHECK(GOMP_is_alloc(&kept[i]) && !GOMP_is_alloc(&kept[i]));
    omp_destroy_allocator(allocator);
    return 0;
}
