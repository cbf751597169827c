/* The part of an operating system (host/os.h) that is the same for all who run the runtime's files on threads of their
 * own: nothing is limited, cancelled or pinned, and all threads are alike. Used by the explorer and by the simulator
 * (bench/simulate). */
#include <string.h>

#include "host/os.h"
#include "host/os_attributes.h"

size_t ghcomp_os_stack_left(void)
{
    return SIZE_MAX;
}

bool ghcomp_os_mask_changed(void)
{
    return false;
}

bool ghcomp_os_mask_differs(void)
{
    return false;
}

void ghcomp_os_save_mask(void)
{
}

void ghcomp_os_narrow_mask(const cpu_set_t *part, size_t size)
{
    (void)part;
    (void)size;
}

bool ghcomp_os_threads_available(uint32_t count, uint32_t spare)
{
    return count + spare > 0;
}

bool ghcomp_os_threads_within_limits(uint32_t count)
{
    return count > 0;
}

bool ghcomp_os_futex_allowed(void)
{
    return true;
}

const char *ghcomp_os_spawn_advice(int error)
{
    (void)error;
    return "";
}

int ghcomp_os_call_on_stack(size_t size, void (*function)(void *), void *argument)
{
    (void)size;
    function(argument);
    return 0;
}

void ghcomp_os_once(struct ghcomp_os_once *once, void (*function)(void))
{
    if (!once->done)
        function();
    once->done = true;
}

int ghcomp_os_defer_cancellation(void)
{
    return 0;
}

void ghcomp_os_restore_cancellation(int before)
{
    (void)before;
}

bool ghcomp_os_stack_limit_changed(void)
{
    return false;
}

size_t ghcomp_os_stack_limit(void)
{
    return 1 << 23;
}

bool ghcomp_os_address_space_limited(void)
{
    return false;
}

bool ghcomp_os_single_threaded(void)
{
    return false;
}

void ghcomp_os_first_thread_ends(bool does)
{
    (void)does;
}

bool ghcomp_os_first_thread_ended(void)
{
    return false;
}

int ghcomp_os_thread_id(void)
{
    return 0;
}

bool ghcomp_os_thread_works(int thread)
{
    (void)thread;
    return true;
}

size_t ghcomp_os_page_size(void)
{
    return 4096;
}

void *ghcomp_os_pin(size_t size)
{
    (void)size;
    return NULL;
}

void *ghcomp_os_repin(void *memory, size_t size, size_t new_size)
{
    (void)memory;
    (void)size;
    (void)new_size;
    return NULL;
}

void *ghcomp_os_map(size_t size)
{
    (void)size;
    return NULL;
}

void ghcomp_os_unmap(void *memory, size_t size)
{
    (void)memory;
    (void)size;
}

/* There is one node. */
bool ghcomp_os_memory_nodes(struct ghcomp_os_nodes *nodes)
{
    (void)nodes;
    return false;
}

void ghcomp_os_place(void *memory, size_t size, const struct ghcomp_os_nodes *nodes)
{
    (void)memory;
    (void)size;
    (void)nodes;
}

/* All threads are alike. */
void ghcomp_os_attributes(struct ghcomp_os_attributes *is, const struct ghcomp_os_attributes *before)
{
    (void)before;
    memset(is, 0, sizeof *is);
}

struct ghcomp_os_scheduling ghcomp_os_scheduling(int thread)
{
    (void)thread;
    return (struct ghcomp_os_scheduling){0};
}

bool ghcomp_os_same_fs(int thread)
{
    (void)thread;
    return true;
}
