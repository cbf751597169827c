/* The functions of ghcomp.h for graphs of tasks, found with dlsym because the programs must link with any libgomp. */
#pragma once

#include <dlfcn.h>
#include <omp.h>

#include "../../../cbits/include/ghcomp.h"
#include "../common.h"

static struct {
    ghcomp_graph *(*create)(void);
    void (*destroy)(ghcomp_graph *);
    void (*begin)(ghcomp_graph *, unsigned);
    int (*end)(ghcomp_graph *);
    int (*run)(ghcomp_graph *);
    const char *(*reason)(const ghcomp_graph *);
    size_t (*tasks)(const ghcomp_graph *);
    size_t (*size)(ghcomp_graph *, size_t);
    void (*update)(ghcomp_graph *, size_t, size_t, const void *, size_t);
} graphs;

static inline void *graph_function(const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    if (function == NULL) {
        fprintf(stderr, "%s is missing\n", name);
        exit(1);
    }
    return function;
}

__attribute__((constructor)) static void find_graphs(void)
{
    *(void **)&graphs.create = graph_function("ghcomp_graph_new");
    *(void **)&graphs.destroy = graph_function("ghcomp_graph_free");
    *(void **)&graphs.begin = graph_function("ghcomp_graph_begin");
    *(void **)&graphs.end = graph_function("ghcomp_graph_end");
    *(void **)&graphs.run = graph_function("ghcomp_graph_run");
    *(void **)&graphs.reason = graph_function("ghcomp_graph_reason");
    *(void **)&graphs.tasks = graph_function("ghcomp_graph_tasks");
    *(void **)&graphs.size = graph_function("ghcomp_graph_data_size");
    *(void **)&graphs.update = graph_function("ghcomp_graph_update");
}
