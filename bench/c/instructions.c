/* A plug-in of qemu-user that counts the instructions of a process, of all its threads, and writes them to a file when
 * the process ends. Each thread of the program is a thread of QEMU's, and the kernel schedules them as usual, so that
 * waits yield and sleep, for as long as it takes without an emulator.
 *
 *     qemu-x86_64 -plugin instructions.so,out=FILE PROGRAM
 *
 * FILE's first line has the number of all instructions and of those in polls. A poll is what a thread carries out from
 * one pause instruction to the same one, at most MOST_OF_A_POLL instructions and MOST_BLOCKS blocks. Then come lines
 * "block ADDRESS INSTRUCTIONS", what was carried out in each translated block but for polls, and "object START PATH",
 * where each file of code begins.
 *
 * Used by bench/instructions.py. The interface is the one that QEMU documents ("QEMU TCG Plugins", version 1), of which
 * this declares what it needs: Debian has no package with the header.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#ifdef __aarch64__
static const unsigned char pause_code[] = {0xdf, 0x3f, 0x03, 0xd5}; /* isb: cbits/base/machine.h */
#else
static const unsigned char pause_code[] = {0xf3, 0x90};
#endif
enum {
    NO_REGISTERS = 0,
    THREADS = 1024, /* a power of two */
    BLOCKS = 1 << 17,
    MOST_OF_A_POLL = 32,
    MOST_BLOCKS = 16
};

struct translated; /* instructions that are translated together, with one entry */
struct instruction;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t plugin, void (*)(uint64_t plugin, struct translated *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct translated *, void (*entered)(unsigned thread, void *), int registers,
                                          void *);
size_t qemu_plugin_tb_n_insns(const struct translated *);
uint64_t qemu_plugin_tb_vaddr(const struct translated *);
struct instruction *qemu_plugin_tb_get_insn(const struct translated *, size_t);
const void *qemu_plugin_insn_data(const struct instruction *);
size_t qemu_plugin_insn_size(const struct instruction *);
void qemu_plugin_register_atexit_cb(uint64_t plugin, void (*at_exit)(uint64_t plugin, void *), void *);
EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_install(uint64_t plugin, const void *about, int arguments, char **argument);

int qemu_plugin_version = 1;

/* A block is translated anew now and then, and is another one then. */
static struct block {
    uint64_t address;
    uint32_t instructions;
    bool pause; /* its last instruction is one */
} blocks[BLOCKS];
static _Atomic unsigned num_blocks;

/* Each is written by its thread alone. At the process's end the others may still run: what they do then is lost. */
static struct counts {
    uint64_t instructions, polls;
    uint64_t *of; /* by block */
    const struct block *paused;
    uint32_t since, path_length; /* since that pause: instructions, blocks */
    const struct block *path[MOST_BLOCKS];
} __attribute__((aligned(128))) counts[THREADS];
static const char *out;

static void at_pause(struct counts *self, const struct block *block)
{
    if (self->paused == block && self->since <= MOST_OF_A_POLL && self->path_length <= MOST_BLOCKS) {
        self->polls += self->since;
        for (unsigned i = 0; i < self->path_length; i++)
            self->of[self->path[i] - blocks] -= self->path[i]->instructions;
    }
    self->paused = block;
    self->since = self->path_length = 0;
}

static void entered(unsigned thread, void *data)
{
    const struct block *block = data;
    struct counts *self = &counts[thread % THREADS];
    if (self->of == NULL && (self->of = calloc(BLOCKS, sizeof *self->of)) == NULL)
        abort();
    self->instructions += block->instructions;
    self->of[block - blocks] += block->instructions;
    self->since += block->instructions;
    if (self->path_length < MOST_BLOCKS)
        self->path[self->path_length] = block;
    if (self->path_length <= MOST_BLOCKS)
        self->path_length++;
    if (block->pause)
        at_pause(self, block);
}

static void translated(uint64_t plugin, struct translated *by_qemu)
{
    (void)plugin;
    unsigned i = num_blocks++;
    if (i >= BLOCKS) {
        fputs("instructions.so: the program has too many blocks\n", stderr);
        abort();
    }
    size_t n = qemu_plugin_tb_n_insns(by_qemu);
    const struct instruction *last = qemu_plugin_tb_get_insn(by_qemu, n - 1);
    blocks[i] = (struct block){.address = qemu_plugin_tb_vaddr(by_qemu),
                               .instructions = (uint32_t)n,
                               .pause = qemu_plugin_insn_size(last) == sizeof pause_code &&
                                        memcmp(qemu_plugin_insn_data(last), pause_code, sizeof pause_code) == 0};
    qemu_plugin_register_vcpu_tb_exec_cb(by_qemu, entered, NO_REGISTERS, &blocks[i]);
}

static void write_blocks(FILE *file)
{
    for (unsigned i = 0; i < num_blocks; i++) {
        uint64_t sum = 0;
        for (unsigned k = 0; k < THREADS; k++)
            sum += counts[k].of != NULL ? counts[k].of[i] : 0;
        if (sum != 0)
            fprintf(file, "block %" PRIx64 " %" PRIu64 "\n", blocks[i].address, sum);
    }
}

/* The first mapping of each file that has code, as /proc/self/maps orders them. */
static void write_objects(FILE *file)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096 + 128], path[4096], last[4096] = "";
    uint64_t start;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%" SCNx64 "-%*x %*s %*x %*s %*u %4095[^\n]", &start, path) == 2 && path[0] == '/' &&
            strcmp(path, last) != 0) {
            fprintf(file, "object %" PRIx64 " %s\n", start, path);
            strcpy(last, path);
        }
    if (maps != NULL)
        fclose(maps);
}

static void at_exit(uint64_t plugin, void *unused)
{
    (void)plugin;
    (void)unused;
    uint64_t sum = 0, polls = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        sum += counts[i].instructions;
        polls += counts[i].polls;
    }
    FILE *file = fopen(out, "w");
    if (file != NULL) {
        fprintf(file, "%" PRIu64 " %" PRIu64 "\n", sum, polls);
        write_blocks(file);
        write_objects(file);
    }
    if (file == NULL || ferror(file) || fclose(file) != 0)
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
