/* The memory that each schedule starts with: .data and .bss as they were when the program had started, and malloc
 * (-Wl,--wrap) from an arena that each schedule uses from its beginning, after what constructors allocated.
 *
 * A schedule writes only a few pages of .data and .bss, and copying all would take a quarter of the time. The first
 * schedules show which pages change (a system call may write, too, and would fail for a page that it may not write).
 * Then the others are protected; the first write to one of them is a signal, after which it is copied like those. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "state.h"

enum { ARENA = 64 << 20, PAGE = 4096, WATCHED = 50 /* schedules */ };

extern char __data_start[], _end[];

/* Pages that are wholly in .data and .bss, from `first` on; what is beside them is copied always. */
static char *first_page(void)
{
    return (char *)(((uintptr_t)__data_start + PAGE - 1) / PAGE * PAGE);
}

static size_t pages(void)
{
    return _end > first_page() ? (size_t)(_end - first_page()) / PAGE : 0;
}

static char *copy_of(const char *data)
{
    return X->data_copy + (data - __data_start);
}

static void on_write(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    size_t page = (size_t)((char *)info->si_addr - first_page()) / PAGE;
    if ((char *)info->si_addr < first_page() || page >= pages() || X->changes[page]) {
        signal(signal_number, SIG_DFL); /* a defect of the program: it happens again */
        return;
    }
    X->changes[page] = true;
    mprotect(first_page() + page * PAGE, PAGE, PROT_READ | PROT_WRITE);
}

static void note_changes(void)
{
    for (size_t page = 0; page < pages(); page++)
        X->changes[page] |= memcmp(first_page() + page * PAGE, copy_of(first_page() + page * PAGE), PAGE) != 0;
}

static void protect_others(void)
{
    struct sigaction action = {.sa_sigaction = on_write, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    for (size_t page = 0; page < pages(); page++)
        if (!X->changes[page])
            mprotect(first_page() + page * PAGE, PAGE, PROT_READ);
}

void arena_begin(void)
{
    X->arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void arena_keep(void)
{
    size_t size = (size_t)(_end - __data_start);
    X->data_copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(X->data_copy, __data_start, size);
    if (pages() > DATA_PAGES) {
        fprintf(stderr, "more than %d pages of data\n", DATA_PAGES);
        exit(1);
    }
    X->arena_begin = X->arena_used;
    X->arena_copy = mmap(NULL, X->arena_begin + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(X->arena_copy, X->arena, X->arena_begin);
}

static void restore_data(char *from, char *to)
{
    memcpy(from, copy_of(from), (size_t)(to - from));
}

void arena_restore(void)
{
    char *end = first_page() + pages() * PAGE;
    if (X->watched < WATCHED || pages() == 0) {
        note_changes();
        restore_data(__data_start, _end);
        if (++X->watched == WATCHED)
            protect_others();
    } else {
        restore_data(__data_start, first_page());
        for (size_t page = 0; page < pages(); page++)
            if (X->changes[page])
                restore_data(first_page() + page * PAGE, first_page() + (page + 1) * PAGE);
        restore_data(end, _end);
    }
    memcpy(X->arena, X->arena_copy, X->arena_begin);
    X->arena_used = X->arena_begin;
}

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **memory, size_t align, size_t size);
void __wrap_free(void *memory);

/* Before each piece of memory. What is freed is filled, so that a use of it shows. */
struct header {
    size_t size, pad;
};

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    align = align < 16 ? 16 : align;
    size_t at = (X->arena_used + sizeof(struct header) + align - 1) / align * align;
    if (at + size > ARENA) {
        fprintf(stderr, "the arena is full\n");
        exit(1);
    }
    X->arena_used = at + size;
    struct header *header = (struct header *)(X->arena + at) - 1;
    header->size = size;
    return header + 1;
}

void *__wrap_malloc(size_t size)
{
    return __wrap_aligned_alloc(16, size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return memset(__wrap_malloc(count * size), 0, count * size);
}

int __wrap_posix_memalign(void **memory, size_t align, size_t size)
{
    *memory = __wrap_aligned_alloc(align, size);
    return 0;
}

void __wrap_free(void *memory)
{
    if ((char *)memory > X->arena && (char *)memory < X->arena + ARENA)
        memset(memory, 0xdd, ((struct header *)memory - 1)->size);
}

void *__wrap_realloc(void *old, size_t size)
{
    void *memory = __wrap_malloc(size);
    if (old != NULL) {
        size_t had = ((struct header *)old - 1)->size;
        memcpy(memory, old, had < size ? had : size);
        __wrap_free(old);
    }
    return memory;
}
