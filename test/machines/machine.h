/* Common code of the checks of a machine: its CPUs by its kernel's files, read without the runtime's help. */
#pragma once

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 256 }; /* CPUs */

#define CHECK(condition, ...)                                                          \
    do {                                                                               \
        if (!(condition)) {                                                            \
            fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                              \
            fprintf(stderr, "\n");                                                     \
            exit(1);                                                                   \
        }                                                                              \
    } while (0)

/* The CPUs of a list as the kernel writes it: 0-3,8. */
static inline void scan(const char *list, cpu_set_t *cpus)
{
    CPU_ZERO(cpus);
    for (int first, last, length; sscanf(list, "%d%n", &first, &length) == 1;) {
        list += length;
        last = first;
        if (*list == '-' && sscanf(list, "-%d%n", &last, &length) == 1)
            list += length;
        for (; first <= last; first++)
            CPU_SET(first, cpus);
        if (*list++ != ',')
            break;
    }
}

/* The content of a file of the kernel, or 0. */
static inline int look_up(char *content, size_t size, const char *format, int cpu, int number)
{
    char path[200];
    snprintf(path, sizeof path, format, cpu, number);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    size_t got = fread(content, 1, size - 1, file);
    fclose(file);
    content[got] = '\0';
    return 1;
}

#define CPU_FILE "/sys/devices/system/cpu/cpu%d/"

/* The CPUs with which `cpu` shares what OMP_PLACES calls `kind`, of the machine's. */
static inline void sharing(const char *kind, int cpu, cpu_set_t *cpus)
{
    char text[4096];
    CPU_ZERO(cpus);
    CPU_SET(cpu, cpus);
    if (strcmp(kind, "cores") == 0 && look_up(text, sizeof text, CPU_FILE "topology/core_cpus_list", cpu, 0))
        scan(text, cpus);
    if (strcmp(kind, "sockets") == 0 && look_up(text, sizeof text, CPU_FILE "topology/package_cpus_list", cpu, 0))
        scan(text, cpus);
    if (strcmp(kind, "ll_caches") == 0) {
        int index = 0;
        while (look_up(text, sizeof text, CPU_FILE "cache/index%d/shared_cpu_list", cpu, index))
            index++;
        if (index > 0 && look_up(text, sizeof text, CPU_FILE "cache/index%d/shared_cpu_list", cpu, index - 1))
            scan(text, cpus);
        else if (look_up(text, sizeof text, CPU_FILE "topology/package_cpus_list", cpu, 0))
            scan(text, cpus); /* the kernel has no caches */
    }
    if (strcmp(kind, "numa_domains") == 0)
        for (int node = 0; node < 64; node++)
            if (look_up(text, sizeof text, "/sys/devices/system/node/node%2$d/cpulist", cpu, node)) {
                cpu_set_t of_node;
                scan(text, &of_node);
                if (CPU_ISSET(cpu, &of_node))
                    *cpus = of_node;
            }
}

/* The CPUs of the runtime's place. */
static inline void cpus_of_place(int place, cpu_set_t *cpus)
{
    int ids[MOST], count = omp_get_place_num_procs(place);
    CHECK(count >= 1 && count <= MOST, "place %d has %d CPUs", place, count);
    omp_get_place_proc_ids(place, ids);
    CPU_ZERO(cpus);
    for (int i = 0; i < count; i++)
        CPU_SET(ids[i], cpus);
    CHECK(CPU_COUNT(cpus) == count, "place %d has a CPU twice", place);
}

/* Ends programs that would switch off the CPUs, or change the control groups, of a real machine. */
static inline void only_in_a_guest(void)
{
    if (access("/setup", R_OK) != 0) { /* what a guest's first process reads */
        printf("it changes the machine, so it runs in a virtual one only\n");
        exit(77);
    }
}

/* The CPUs that the machine's description lets a program use: MACHINE_CPUS. */
static inline void expected_cpus(cpu_set_t *cpus)
{
    const char *list = getenv("MACHINE_CPUS");
    CHECK(list != NULL, "it is run by test/virtual.py");
    scan(list, cpus);
}
