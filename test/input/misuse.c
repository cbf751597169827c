/* What misuse.py runs: one misuse, named by the argument. It prints "survived" where the misuse has an outcome other
 * than the program's end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern bool GOMP_loop_dynamic_start(long, long, long, long, long *, long *);
extern bool GOMP_loop_guided_start(long, long, long, long, long *, long *);
extern bool GOMP_loop_static_start(long, long, long, long, long *, long *);
extern bool GOMP_loop_ull_dynamic_start(bool, unsigned long long, unsigned long long, unsigned long long,
                                        unsigned long long, unsigned long long *, unsigned long long *);
extern void GOMP_parallel_loop_dynamic(void (*)(void *), void *, unsigned, long, long, long, long, unsigned);
extern void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
extern void GOMP_taskloop(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, unsigned long, int,
                          long,
                          long, long);
extern void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, ...);
extern void *GOMP_alloc(size_t, size_t, uintptr_t);
extern void GOMP_error(const char *, size_t), GOMP_warning(const char *, size_t);
extern void GOMP_teams_reg(void (*)(void *), void *, unsigned, unsigned, unsigned);

static int members;

static void count(void *data)
{
    (void)data;
    __atomic_fetch_add(&members, 1, __ATOMIC_RELAXED);
}

static void *named(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found == NULL)
        exit(78); /* this runtime has no such routine */
    return found;
}

/* The graphs of ghcomp.h. */
static void graph(const char *what)
{
    void *(*new_graph)(void) = (void *(*)(void))named("ghcomp_graph_new");
    void (*begin)(void *, unsigned) = (void (*)(void *, unsigned))named("ghcomp_graph_begin");
    int (*end)(void *) = (int (*)(void *))named("ghcomp_graph_end");
    int (*run)(void *) = (int (*)(void *))named("ghcomp_graph_run");
    void (*free_graph)(void *) = (void (*)(void *))named("ghcomp_graph_free");
    size_t (*size)(void *, size_t) = (size_t (*)(void *, size_t))named("ghcomp_graph_data_size");
    void (*update)(void *, size_t, size_t, const void *, size_t) =
        (void (*)(void *, size_t, size_t, const void *, size_t))named("ghcomp_graph_update");
    void *one = new_graph();
    if (strcmp(what, "null") == 0)
        run(NULL);
    if (strcmp(what, "end") == 0)
        end(one);
    begin(one, strcmp(what, "flags") == 0 ? 6 : 0);
    if (strcmp(what, "twice") == 0)
        begin(one, 0);
    if (strcmp(what, "free") == 0)
        free_graph(one);
    int seven = 7;
#pragma omp task firstprivate(seven)
    {
        count(&seven);
        if (strcmp(what, "within") == 0)
            run(one);
        if (strcmp(what, "end_in_task") == 0)
            end(one);
    }
    end(one);
    if (strcmp(what, "update") == 0)
        update(one, 0, 1, &seven, size(one, 0));
    if (strcmp(what, "no_task") == 0)
        size(one, 1);
    free_graph(one);
}

static void region(int threads)
{
#pragma omp parallel num_threads(threads)
    count(NULL);
}

static void check_teams(void *expected)
{
    /* -1 teams: the first of them ends the program. */
    printf("survived %d\n", omp_get_num_teams() == *(int *)expected && omp_get_team_num() == 0);
    exit(0);
}

static void done(void)
{
    printf("survived %d\n", members);
    exit(0);
}

#define CASE(name) else if (strcmp(which, #name) == 0)

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    long first, past;
    static char text[200000];
    if (*which == '\0')
        return 2;
    CASE(clause_int_max) region(INT_MAX);
    CASE(clause_negative) region(-1);
    CASE(clause_int_min) region(INT_MIN);
    CASE(clause_zero) region(0);
    CASE(parallel_uint_max) GOMP_parallel(count, NULL, UINT_MAX, 0);
    CASE(set_int_max)
    {
        omp_set_num_threads(INT_MAX);
        region(0);
    }
    CASE(default_size) region(0);
    CASE(dynamic_int_max)
    {
        omp_set_dynamic(1);
        region(INT_MAX);
        members = members >= 1 ? 1 : 0;
    }
    CASE(two) region(2);
    CASE(loop_dynamic) GOMP_loop_dynamic_start(0, 10, 0, 1, &first, &past);
    CASE(loop_guided) GOMP_loop_guided_start(0, 10, 0, 1, &first, &past);
    CASE(loop_static) GOMP_loop_static_start(0, 10, 0, 1, &first, &past);
    CASE(loop_ull)
    {
        unsigned long long from, to;
        GOMP_loop_ull_dynamic_start(true, 0, 10, 0, 1, &from, &to);
    }
    CASE(parallel_loop) GOMP_parallel_loop_dynamic(count, NULL, 2, 0, 10, 0, 1, 0);
    CASE(graph_null) graph("null");
    CASE(graph_end) graph("end");
    CASE(graph_flags) graph("flags");
    CASE(graph_twice) graph("twice");
    CASE(graph_free) graph("free");
    CASE(graph_within) graph("within");
    CASE(graph_end_in_task) graph("end_in_task");
    CASE(graph_update) graph("update");
    CASE(graph_no_task) graph("no_task");
    CASE(graph_none) graph("");
    CASE(taskloop) GOMP_taskloop(count, (long[2]){0}, NULL, 16, 8, 1 << 8 | 1 << 10, 4, 0, 0, 10, 0);
    CASE(empty_loop)
    {
        if (!GOMP_loop_dynamic_start(5, 5, 0, 1, &first, &past))
            members = 1;
    }
    CASE(alloc) GOMP_alloc(8, SIZE_MAX, 0);
    CASE(alloc_aligned) GOMP_alloc((size_t)1 << 62, 8, 0);
    CASE(alloc_zero) members = GOMP_alloc(8, 0, 0) == NULL;
    CASE(task_size) GOMP_task(count, text, NULL, LONG_MAX, 8, true, 0, NULL, 0, NULL);
    CASE(task_align)
    {
        void (*volatile call)(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, ...) =
            GOMP_task;
#pragma omp parallel num_threads(2)
#pragma omp single
        call(count, text, NULL, 64, LONG_MIN, true, 0, NULL, 0, NULL);
    }
    CASE(task_negative)
    {
#pragma omp parallel num_threads(2)
#pragma omp single
        GOMP_task(count, text, NULL, -1, 8, true, 0, NULL, 0, NULL);
    }
    CASE(free_stack)
    {
        char block[256] = {0};
        omp_free(block + 128, omp_default_mem_alloc);
    }
    CASE(free_twice)
    {
        void *block = omp_alloc(100000, omp_default_mem_alloc);
        omp_free(block, omp_default_mem_alloc);
        omp_free(block, omp_default_mem_alloc);
    }
    CASE(destroy_predefined) omp_destroy_allocator(omp_default_mem_alloc);
    CASE(abort_allocator)
    {
        omp_alloctrait_t trait = {omp_atk_fallback, omp_atv_abort_fb};
        omp_alloc(SIZE_MAX, omp_init_allocator(omp_default_mem_space, 1, &trait));
    }
    CASE(format) omp_display_affinity("%q");
    CASE(format_width) omp_display_affinity("%99999999999999999999n");
    CASE(format_brace) omp_display_affinity("%{thread\x1b[31m\n");
    CASE(format_set)
    {
        omp_set_affinity_format("%");
        omp_display_affinity(NULL);
    }
    CASE(format_long)
    {
        memset(text, 'x', sizeof text - 1);
        memcpy(text, "%{", 2);
        omp_display_affinity(text);
    }
    CASE(capture) members = (int)omp_capture_affinity(NULL, 0, "%n") + (int)omp_get_affinity_format(NULL, 0) == 31;
    CASE(error) GOMP_error("why", SIZE_MAX);
    CASE(error_part) GOMP_error("whyever", 3);
    CASE(error_none) GOMP_error(NULL, 0);
    CASE(error_long)
    {
        memset(text, 'x', sizeof text - 1);
        GOMP_error(text, SIZE_MAX);
    }
    CASE(warning) GOMP_warning("why", 0);
    CASE(teams_negative) GOMP_teams_reg(check_teams, &(int){-1}, UINT_MAX, 0, 0);
    CASE(teams_limit) GOMP_teams_reg(check_teams, &(int){3}, 3, UINT_MAX, 0);
    CASE(callback)
    {
        int (*call)(void *, intptr_t) = (int (*)(void *, intptr_t))named("ghcomp_callback_call");
        call(NULL, 1);
    }
    CASE(callback_range)
    {
        int (*call)(void *, intptr_t, intptr_t) = (int (*)(void *, intptr_t, intptr_t))named("ghcomp_callback_range");
        call(NULL, INTPTR_MAX, INTPTR_MIN);
    }
    CASE(callback_garbage)
    {
        int (*call)(void *, intptr_t) = (int (*)(void *, intptr_t))named("ghcomp_callback_call");
        call(text, 1);
    }
    CASE(stats)
    {
        size_t (*stats)(uint64_t *, size_t) = (size_t (*)(uint64_t *, size_t))named("ghcomp_stats");
        uint64_t values[1000];
        size_t known = stats(NULL, 0);
        memset(values, 0xff, sizeof values);
        members = stats(values, 1000) == known && values[999] == 0;
        values[1] = 77;
        stats(values, 1);
        members &= values[1] == 77;
    }
    CASE(interop)
    {
        const char *(*name)(void *, int) = (const char *(*)(void *, int))named("omp_get_interop_name");
        void *(*ptr)(void *, int, int *) = (void *(*)(void *, int, int *))named("omp_get_interop_ptr");
        const char *(*rc)(void *, int) = (const char *(*)(void *, int))named("omp_get_interop_rc_desc");
        static const int ids[] = {0, 1, -100, INT_MAX, INT_MIN};
        members = 1;
        for (int i = 0; i < 5; i++) {
            int code = 99;
            members &= name(NULL, ids[i]) == NULL && ptr(text, ids[i], &code) == NULL && code < 0;
            ptr(NULL, ids[i], NULL);
            rc(NULL, ids[i]);
        }
    }
    CASE(uid)
    {
        const char *(*uid)(int) = (const char *(*)(int))named("omp_get_uid_from_device");
        int (*device)(const char *) = (int (*)(const char *))named("omp_get_device_from_uid");
        members = uid(INT_MAX) == NULL && uid(INT_MIN) == NULL && device(NULL) < -1 && device("") < -1 &&
                  device(text) < -1;
    }
    else return 2;
    done();
}
