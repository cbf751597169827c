/* Two tasks of a replayed graph, one after the other. Racy: the second names no dependence. The functions are found
   with dlsym, because the program must link with any libgomp. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "pair.h"

static int word, there, go;

static void *function(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found == NULL)
        abort();
    return found;
}

int main(void)
{
    void *(*create)(void) = (void *(*)(void))function("ghcomp_graph_new");
    void (*begin)(void *, unsigned) = (void (*)(void *, unsigned))function("ghcomp_graph_begin");
    int (*end)(void *) = (int (*)(void *))function("ghcomp_graph_end");
    int (*run)(void *) = (int (*)(void *))function("ghcomp_graph_run");
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        void *graph = create();
        begin(graph, 0);
        IF_CORRECT(_Pragma("omp task shared(word) depend(out : go)"))
        IF_RACY(_Pragma("omp task shared(word)"))
        {
            IF_RACY(meet(&there, 2));
            word++;
        }
        IF_CORRECT(_Pragma("omp task shared(word) depend(in : go)"))
        IF_RACY(_Pragma("omp task shared(word)"))
        {
            IF_RACY(meet(&there, 2));
            word++;
        }
        end(graph);
        __atomic_store_n(&there, 0, __ATOMIC_RELAXED);
        run(graph);
    }
    return check("the word", word, 4);
}
