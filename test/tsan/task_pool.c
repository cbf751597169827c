/* The maker, in no region, waits for its task, which a free agent runs. Racy: it does not wait.
   env: OMP_THREADS_RESERVE=free_agent(1) */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "../clang/task_abi.h"
#include "pair.h"

enum { POOL = 0x80 };

static int word, there;

static int32_t set(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    word = 1;
    raise_flag(&there);
    return 0;
}

#define ENTRY(name) __typeof__(&name) name##_ = (__typeof__(&name))dlvsym(RTLD_DEFAULT, #name, "VERSION")

int main(void)
{
    ENTRY(__kmpc_global_thread_num);
    ENTRY(__kmpc_omp_task_alloc);
    ENTRY(__kmpc_omp_task);
    ENTRY(__kmpc_omp_taskwait);
    int self = __kmpc_global_thread_num_(&here);
    __kmpc_omp_task_(&here, self, __kmpc_omp_task_alloc_(&here, self, TIED | POOL, sizeof(task_t), 0, set));
    await(&there);
    IF_CORRECT(__kmpc_omp_taskwait_(&here, self));
    word++;
    return check("the word", word, 2);
}
