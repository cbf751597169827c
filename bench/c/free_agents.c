/* Times 10,000 tasks of 10 us by clang's entries, whose clause threadset(omp_pool) lets free agents run them, and the
 * same tasks without it. For bench/free_agents.py, which compares the two.
 *
 *     free_agents serial|region|masters
 *
 * serial: in the initial task, without a region. region: in a region of one thread, after one of all CPUs whose workers
 * idle. masters: in one of two initial threads; the other one has had a region, and waits in the kernel.
 *
 * Each round takes turns: the tasks without the clause, the tasks with it, and the same work by two threads of the C
 * library, half each, which is what the machine's CPUs give in that moment. The output has the nanoseconds of all
 * rounds: {"alone": [...], "agents": [...], "threads": [...]}.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TASKS = 10000, TASK_NS = 10000, ROUNDS = 5, TIED = 1, POOL = 0x80 };
enum { ALONE, AGENTS, THREADS };

struct task {
    void *shareds;
    int32_t (*fn)(int32_t, struct task *);
    int32_t part;
    void *data[2];
};
typedef int32_t (*task_fn)(int32_t, struct task *);
struct ident {
    int32_t reserved[4];
    const char *source;
};

static struct ident here = {{0, 2, 0, 0}, ";unknown;unknown;0;0;;"};
static int32_t (*global_thread_num)(struct ident *);
static struct task *(*task_alloc)(struct ident *, int32_t, int32_t, size_t, size_t, task_fn);
static int32_t (*task_submit)(struct ident *, int32_t, struct task *);
static int32_t (*taskwait)(struct ident *, int32_t);
static long steps; /* of 10 us */
static double took[3][ROUNDS];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void compute(long count)
{
    for (long i = 0; i < count; i++)
        __asm__ volatile("" : "+r"(i));
}

static int32_t run(int32_t thread, struct task *task)
{
    (void)thread, (void)task;
    compute(steps);
    return 0;
}

/* How many steps take a task's time: of tries over a tenth of a second the fastest, since what else the machine does
 * may make all of a millisecond slow. */
static void calibrate(void)
{
    double fastest = 1e18;
    for (int i = 0; i < 3000; i++) {
        double begin = now();
        compute(100000);
        double took = now() - begin;
        fastest = took < fastest ? took : fastest;
    }
    steps = (long)(100000.0 * TASK_NS / fastest);
}

static void tasks(int self, int32_t flags)
{
    for (int i = 0; i < TASKS; i++)
        task_submit(&here, self, task_alloc(&here, self, flags, sizeof(struct task), 0, run));
    taskwait(&here, self);
}

static void *half(void *nothing)
{
    for (int i = 0; i < TASKS / 2; i++)
        compute(steps);
    return nothing;
}

static void two_threads(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, half, NULL) != 0)
        exit(1);
    half(NULL);
    pthread_join(other, NULL);
}

static void measure(void)
{
    int self = global_thread_num(&here);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        tasks(self, TIED);
        double alone = now();
        tasks(self, TIED | POOL);
        double agents = now();
        two_threads();
        took[ALONE][round] = alone - begin;
        took[AGENTS][round] = agents - alone;
        took[THREADS][round] = now() - agents;
    }
}

static void print(const char *name, const double *ns)
{
    printf(", \"%s\": [", name);
    for (int round = 0; round < ROUNDS; round++)
        printf("%s%.0f", round == 0 ? "" : ", ", ns[round]);
    printf("]");
}

static void region(void)
{
#pragma omp parallel
    compute(1);
}

static pthread_barrier_t both;

static void *other_master(void *nothing)
{
    region();
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return nothing;
}

static void two_masters(void)
{
    pthread_t other;
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&other, NULL, other_master, NULL) != 0)
        exit(1);
    pthread_barrier_wait(&both);
    measure();
    pthread_barrier_wait(&both);
    pthread_join(other, NULL);
}

static void *entry(const char *name)
{
    void *address = dlvsym(RTLD_DEFAULT, name, "VERSION");
    if (address == NULL) {
        fprintf(stderr, "free_agents: the runtime has no %s\n", name);
        exit(1);
    }
    return address;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 1;
    global_thread_num = (int32_t (*)(struct ident *))entry("__kmpc_global_thread_num");
    task_alloc =
        (struct task *(*)(struct ident *, int32_t, int32_t, size_t, size_t, task_fn))entry("__kmpc_omp_task_alloc");
    task_submit = (int32_t (*)(struct ident *, int32_t, struct task *))entry("__kmpc_omp_task");
    taskwait = (int32_t (*)(struct ident *, int32_t))entry("__kmpc_omp_taskwait");
    calibrate();
    if (strcmp(argv[1], "serial") == 0) {
        measure();
    } else if (strcmp(argv[1], "region") == 0) {
        region();
#pragma omp parallel num_threads(1)
        measure();
    } else {
        two_masters();
    }
    const char *(*host)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_name");
    Dl_info served = {.dli_fname = ""};
    dladdr(dlsym(RTLD_DEFAULT, "GOMP_parallel"), &served);
    printf("{\"object\": \"%s\", \"host\": \"%s\"", served.dli_fname, host != NULL ? host() : "");
    print("alone", took[ALONE]);
    print("agents", took[AGENTS]);
    print("threads", took[THREADS]);
    printf("}\n");
    return 0;
}
