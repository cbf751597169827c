/* One run of the simulator: an OpenMP program on so many CPUs, beside so much noise, and what became of it, as JSON.
 *
 *   simulate COSTS.json PROGRAM --cpus N --threads N --work NS --ms N --seed N [--scatter] [--masters N]
 *            [--noise ON_US/OFF_US/BEGIN_MS/END_MS]... [--haskell THREADS/EVERY_US/LASTS_US]
 *
 * --scatter begins in a random state: each member on a random CPU, with random memories of neighbours, moves and slow
 * waits. The process executes itself again, with the number of CPUs in its environment for the runtime's constructor,
 * and without random addresses, so that a run depends on its arguments alone. */
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/atomic.h"
#include "core/cpu/neighbours.h"
#include "core/state/types.h"
#include "programs.h"
#include "sim.h"

enum { MOST_NOISE = 64, MOST_MASTERS = 64, MOST_BUCKETS = 20000, SAMPLE = 370000 };

static struct {
    const struct program *program;
    uint32_t cpus, masters;
    int threads;
    uint64_t work, ms, seed;
    bool scatter;
    struct noise noise[MOST_NOISE];
    uint32_t noises;
    unsigned long long haskell, every, lasts;
} asked = {.cpus = 2, .masters = 1, .threads = 2, .ms = 100, .seed = 1};

static struct {
    uint64_t begin, steps;
    uint32_t step[MOST_BUCKETS];      /* in each millisecond */
    uint32_t samples, together, stuck, stuck_now, stuck_most;
    bool done;
} result;

uint64_t sim_random(void)
{
    uint64_t x = asked.seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* --- for the programs --------------------------------------------------------------------------------------------- */

void sim_work(uint64_t ns)
{
    if (ns > 0)
        cpu_use(ns);
}

void sim_step(void)
{
    uint64_t bucket = (now - result.begin) / MS;
    result.steps++;
    if (bucket < MOST_BUCKETS)
        result.step[bucket]++;
}

static uint64_t random_until(uint64_t most)
{
    return sim_random() % 2 ? 0 : now + sim_random() % most;
}

/* Each field has any value that it may have at some time. */
static void forget_at_random(struct ghcomp_thread_waits *wait)
{
    wait->polite = (uint32_t)(sim_random() % 65);
    wait->slow_yields = (uint32_t)(sim_random() % 65);
    wait->late_yields = (uint32_t)(sim_random() % 129);
    wait->looked = 4;
    wait->neighbours_for = 200 * MS << sim_random() % 4;
    wait->neighbours_until = random_until(wait->neighbours_for);
    wait->moved = now - sim_random() % (100 * MS);
    wait->stays = 5 * MS << sim_random() % 3;
    wait->asks_in = MS << sim_random() % 3;
    wait->asks_again = random_until(wait->asks_in);
    wait->shares_until = random_until(5 * MS);
    if (wait->neighbours_until > ghcomp_load_relaxed(&ghcomp_neighbours.until))
        ghcomp_store_relaxed(&ghcomp_neighbours.until, wait->neighbours_until);
}

void sim_member(void)
{
    if (!asked.scatter)
        return;
    cpu_set_t mask = me->mask, one;
    CPU_ZERO(&one);
    CPU_SET(sim_random() % cpu_count, &one);
    forget_at_random(&ghcomp_self_member->thread->wait);
    cpu_bind(me, &one);
    cpu_bind(me, &mask);
}

static void run_program(void *first)
{
    if (first != NULL)
        program_meet(asked.threads);
    asked.program->run(asked.threads, asked.work);
}

/* --- what is looked at -------------------------------------------------------------------------------------------- */

/* Whether a thread of ours waits for a CPU that another one of ours has, while a CPU has nothing to do. */
static bool stuck(void)
{
    bool idle = false, waits = false;
    for (uint32_t i = 0; i < cpu_count; i++) {
        const struct cpu *cpu = &cpus[i];
        idle |= cpu->current == NULL;
        for (uint32_t k = 0; k < cpu->queued; k++)
            waits |= cpu->queue[k]->process == OURS && cpu->current != NULL && cpu->current->process == OURS;
    }
    return idle && waits;
}

void run_sample(void)
{
    result.samples++;
    const struct fiber *second = NULL;
    for (uint32_t i = 1; i < fiber_count && second == NULL; i++)
        second = fibers[i].process == OURS ? &fibers[i] : NULL;
    result.together += second != NULL && fibers[0].cpu == second->cpu;
    bool is = stuck();
    result.stuck += is;
    result.stuck_now = is ? result.stuck_now + 1 : 0;
    if (result.stuck_now > result.stuck_most)
        result.stuck_most = result.stuck_now;
    events_add(now + SAMPLE, EVENT_SAMPLE, 0, 0);
}

static void print_result(void)
{
    uint64_t used = process_used(OURS), all = 0, others = 0;
    for (uint32_t i = 0; i < fiber_count; i++) {
        all += fibers[i].used;
        others += fibers[i].process != OURS ? fibers[i].used : 0;
    }
    printf("{\"steps\": %llu, \"ms\": %llu, \"cpu_ms\": %.3f, \"noise_ms\": %.3f, \"idle_ms\": %.3f, "
           "\"unaccounted_ns\": %lld, \"samples\": %u, \"together\": %u, \"stuck\": %u, \"stuck_longest_ms\": %.2f, "
           "\"step\": [",
           (unsigned long long)result.steps, (unsigned long long)asked.ms, (double)used / MS, (double)others / MS,
           (double)cpus_idle() / MS,
           (long long)(cpu_count * asked.ms * MS) - (long long)(all + cpus_idle()), result.samples, result.together,
           result.stuck, (double)result.stuck_most * SAMPLE / MS);
    for (uint64_t i = 0; i < asked.ms && i < MOST_BUCKETS; i++)
        printf("%s%u", i > 0 ? "," : "", result.step[i]);
    printf("]}\n");
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static void refuse(const char *what)
{
    fprintf(stderr, "simulate: %s; see the head of bench/simulate/main.c\n", what);
    exit(2);
}

static void find_program(const char *name)
{
    for (asked.program = programs; asked.program->name != NULL; asked.program++)
        if (strcmp(asked.program->name, name) == 0)
            return;
    refuse("there is no such program");
}

static void read_noise(const char *text)
{
    unsigned long long on, off, begin, end;
    if (asked.noises == MOST_NOISE || sscanf(text, "%llu/%llu/%llu/%llu", &on, &off, &begin, &end) != 4)
        refuse("--noise is ON_US/OFF_US/BEGIN_MS/END_MS, at most 64 times");
    asked.noise[asked.noises] = (struct noise){1 + asked.noises, on * US, off * US, begin * MS, end * MS};
    asked.noises++;
}

static void read_arguments(int argc, char **argv)
{
    if (argc < 3)
        refuse("COSTS.json and a program are needed");
    costs_read(argv[1]);
    find_program(argv[2]);
    for (int i = 3; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(name, "--scatter") == 0) {
            asked.scatter = true;
            continue;
        }
        i++;
        uint64_t number = strtoull(value, NULL, 10);
        if (strcmp(name, "--noise") == 0)
            read_noise(value);
        else if (strcmp(name, "--haskell") == 0 &&
                 sscanf(value, "%llu/%llu/%llu", &asked.haskell, &asked.every, &asked.lasts) != 3)
            refuse("--haskell is THREADS/EVERY_US/LASTS_US");
        else if (strcmp(name, "--cpus") == 0)
            asked.cpus = (uint32_t)number;
        else if (strcmp(name, "--threads") == 0)
            asked.threads = (int)number;
        else if (strcmp(name, "--masters") == 0)
            asked.masters = (uint32_t)number;
        else if (strcmp(name, "--work") == 0)
            asked.work = number;
        else if (strcmp(name, "--ms") == 0)
            asked.ms = number;
        else if (strcmp(name, "--seed") == 0)
            asked.seed = number;
        else if (strcmp(name, "--haskell") != 0)
            refuse("unknown option");
    }
    if (asked.cpus < 1 || asked.cpus > MOST_CPUS || asked.threads < 1 || asked.ms < 1 || asked.masters < 1 ||
        asked.masters > MOST_MASTERS)
        refuse("a number is too small or too large");
}

/* The runtime's constructor has run already, with other numbers. */
static void execute_again(char **argv)
{
    char number[16];
    snprintf(number, sizeof number, "%u", asked.cpus);
    const char *before = getenv("SIMULATE_CPUS");
    if (before != NULL && strcmp(before, number) == 0)
        return;
    setenv("SIMULATE_CPUS", number, 1);
    setenv("GHCOMP_HOST", "posix", 1);
    if (asked.haskell > 0)
        setenv("GHCOMP_SHARE", "all", 1);
    personality(ADDR_NO_RANDOMIZE);
    execv("/proc/self/exe", argv);
    refuse("it cannot execute itself again");
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    execute_again(argv);
    cpus_start(asked.cpus, asked.ms * MS);
    result.begin = now;
    events_add(now + SAMPLE, EVENT_SAMPLE, 0, 0);
    cpu_enqueue(fiber_new(OURS, run_program, &asked), 0, false);
    for (uint32_t i = 0; i < asked.noises; i++)
        noise_start(&asked.noise[i], (uint32_t)(sim_random() % cpu_count));
    if (asked.haskell > 0)
        haskell_start((uint32_t)asked.haskell, asked.every * US, asked.lasts * US);
    for (uint32_t i = 1; i < asked.masters; i++)
        cpu_enqueue(fiber_new(OURS, run_program, NULL), i % cpu_count, false);
    fibers_run();
    print_result();
    fflush(stdout);
    _exit(0);
}
