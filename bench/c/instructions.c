/* A plug-in of qemu-user that counts the instructions of a process, of all its threads, and writes their number to a
 * file when the process ends. Each thread of the program is a thread of QEMU's, and the kernel schedules them as usual,
 * so that waits yield and sleep, for as long as it takes without an emulator.
 *
 *     qemu-x86_64 -plugin instructions.so,out=FILE PROGRAM
 *
 * Used by bench/instructions.py. The interface is the one that QEMU documents ("QEMU TCG Plugins", version 1), of which
 * this declares what it needs: Debian has no package with the header.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { NO_REGISTERS = 0, THREADS = 1024 /* a power of two */ };

struct block; /* instructions that are translated together, with one entry */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t plugin, void (*translated)(uint64_t plugin, struct block *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct block *, void (*entered)(unsigned thread, void *), int registers,
                                          void *);
size_t qemu_plugin_tb_n_insns(const struct block *);
void qemu_plugin_register_atexit_cb(uint64_t plugin, void (*at_exit)(uint64_t plugin, void *), void *);
EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_install(uint64_t plugin, const void *about, int arguments, char **argument);

int qemu_plugin_version = 1;

/* Each is written by its thread alone. At the process's end the others may still run: what they do then is lost. */
static struct {
    uint64_t instructions;
} __attribute__((aligned(128))) counts[THREADS];
static const char *out;

static void entered(unsigned thread, void *instructions)
{
    counts[thread % THREADS].instructions += (uintptr_t)instructions;
}

static void translated(uint64_t plugin, struct block *block)
{
    (void)plugin;
    qemu_plugin_register_vcpu_tb_exec_cb(block, entered, NO_REGISTERS, (void *)qemu_plugin_tb_n_insns(block));
}

static void at_exit(uint64_t plugin, void *unused)
{
    (void)plugin;
    (void)unused;
    uint64_t sum = 0;
    for (unsigned i = 0; i < THREADS; i++)
        sum += counts[i].instructions;
    FILE *file = fopen(out, "w");
    if (file == NULL || fprintf(file, "%" PRIu64 "\n", sum) < 0 || fclose(file) != 0)
        perror(out);
}

int qemu_plugin_install(uint64_t plugin, const void *about, int arguments, char **argument)
{
    (void)about;
    if (arguments != 1 || strncmp(argument[0], "out=", 4) != 0) {
        fputs("instructions.so: it takes one argument, out=FILE\n", stderr);
        return 1;
    }
    out = strdup(argument[0] + 4);
    qemu_plugin_register_vcpu_tb_trans_cb(plugin, translated);
    qemu_plugin_register_atexit_cb(plugin, at_exit, NULL);
    return 0;
}
