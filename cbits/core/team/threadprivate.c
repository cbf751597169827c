/* Threadprivate variables of code that does not use thread-local storage: flang's, and clang's with
 * -fnoopenmp-use-tls; copyin is the compiled code's.
 *
 * A thread's copies are known by its dense number (thread_number.c). The compiled code has a word for each variable,
 * its cache: the address of an array with a place for each number, preceded by the array's length. Only the thread with
 * that number uses a place, so it reads without a lock. Places are written, and arrays replaced by longer ones, under
 * the lock; the new array is published by store_release, and the old one is kept, because others may be reading it.
 *
 * The thread with number 0 has the original. The others' copies begin as the original was when the variable was first
 * used or registered; those of C++ variables are constructed. (copyin is the compiled code's: it asks for both
 * addresses and copies.)
 *
 * A thread frees its copies before it gives its number back. Destructors run before that, while the thread and its
 * other copies are still usable: they may use other variables and open regions. A worker runs them in an initial
 * region. In the child of fork() the numbers of the other threads are free, and their copies are forgotten: the next
 * thread with such a number begins as any new one. Their memory stays, because the program may have pointers to it.
 *
 * Called by abi/kmp/kmp_threadprivate.c, worker.c and thread.c. Covered by test/clang/threadprivate*.c.
 */
#include "core/team/threadprivate.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/team/initial_region.h"
#include "core/team/team.h"
#include "core/team/thread_number.h"
#include "core/tsan/races.h"

/* All fields: lock variables.lock. */
struct variable {
    struct variable *next;
    void *original;
    size_t bytes;                  /* 0: registered and not used yet */
    void *initial;                 /* what copies begin as */
    struct ghcomp_threadprivate_functions functions;
    void **places;                 /* the cache's newest array; NULL = none */
};

/* An array in a cache. */
struct places {
    struct places *replaced;       /* lock: the shorter one that it took the place of */
    uint64_t count;                /* immutable */
    void *place[];
};

static struct {
    pthread_mutex_t lock;
    struct variable *list;
} variables = {PTHREAD_MUTEX_INITIALIZER, NULL};

_Static_assert(offsetof(struct places, place) == offsetof(struct places, count) + sizeof(uint64_t),
               "ghcomp_threadprivate_places finds the count before the places");

static struct places *places_of(void **array)
{
    return (struct places *)((char *)array - offsetof(struct places, place));
}

static void lock(void)
{
    pthread_mutex_lock(&variables.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&variables.lock);
}

/* lock */
static struct variable *find(void *original)
{
    struct variable *variable = variables.list;
    while (variable != NULL && variable->original != original)
        variable = variable->next;
    if (variable == NULL) {
        variable = ghcomp_alloc_lines(sizeof *variable);
        variable->original = original;
        variable->next = variables.list;
        variables.list = variable;
    }
    return variable;
}

void ghcomp_threadprivate_register(void *original, struct ghcomp_threadprivate_functions functions)
{
    lock();
    find(original)->functions = functions;
    unlock();
}

/* lock. Keeps the variable's initial value, at its first use in the process. */
static void keep_initial(struct variable *variable, size_t bytes)
{
    variable->bytes = bytes;
    if (variable->functions.construct != NULL || variable->functions.copy != NULL)
        return;
    variable->initial = ghcomp_alloc_lines(bytes);
    /* Hidden from ThreadSanitizer: any thread may be the first, and the program does not order this read. */
    uint32_t observers = ghcomp_observers_now();
    ghcomp_races_hide(observers);
    memcpy(variable->initial, variable->original, bytes);
    ghcomp_races_show(observers);
}

/* lock. Returns the variable's array of places, lengthened if it had none for the number. */
static void **reserve(struct variable *variable, uint32_t number, _Atomic(void **) *cache)
{
    uint64_t count = variable->places != NULL ? places_of(variable->places)->count : 0;
    if (number < count)
        return variable->places;
    uint64_t longer = count * 2 > number + UINT64_C(1) ? count * 2 : number + UINT64_C(1);
    longer = longer < 64 ? 64 : longer;
    struct places *places = ghcomp_alloc_lines(sizeof *places + longer * sizeof(void *));
    places->count = longer;
    if (variable->places != NULL) {
        places->replaced = places_of(variable->places);
        memcpy(places->place, variable->places, count * sizeof(void *));
    }
    variable->places = places->place;
    ghcomp_store_release(cache, variable->places);
    return variable->places;
}

static void *new_copy(const struct variable *variable)
{
    void *copy = ghcomp_alloc_lines(variable->bytes);
    if (variable->functions.construct != NULL)
        variable->functions.construct(copy);
    else if (variable->functions.copy != NULL)
        variable->functions.copy(copy, variable->original);
    else
        memcpy(copy, variable->initial, variable->bytes);
    return copy;
}

void *ghcomp_threadprivate_make(struct ghcomp_thread *thread, void *original, size_t bytes, _Atomic(void **) *cache)
{
    uint32_t number = ghcomp_thread_number(thread);
    lock();
    struct variable *variable = find(original);
    if (variable->bytes == 0)
        keep_initial(variable, bytes > 0 ? bytes : 1);
    /* A reloaded library has an empty cache for a variable at an old address. */
    void **places = reserve(variable, number, cache);
    if (ghcomp_load_relaxed(cache) != places)
        ghcomp_store_release(cache, places);
    void *copy = places[number];
    unlock();
    if (copy != NULL)
        return copy;
    copy = number == 0 ? original : new_copy(variable); /* constructors may use other variables */
    lock();
    variable->places[number] = copy;
    unlock();
    return copy;
}

/* lock. The number's copy of the variable; NULL: it has none, or uses the original. */
static void *copy_of(const struct variable *variable, uint32_t number)
{
    if (variable->places == NULL || number >= places_of(variable->places)->count)
        return NULL;
    void *copy = variable->places[number];
    return copy != variable->original ? copy : NULL;
}

/* Removes and returns one of the number's remaining copies; `destroyed`: only of a variable with a destructor. NULL:
   none is left. */
static void *take_copy(uint32_t number, bool destroyed, void (**destroy)(void *))
{
    void *copy = NULL;
    lock();
    for (struct variable *variable = variables.list; variable != NULL && copy == NULL; variable = variable->next) {
        *destroy = variable->functions.destroy;
        if (destroyed && *destroy == NULL)
            continue;
        copy = copy_of(variable, number);
        if (copy != NULL)
            variable->places[number] = NULL;
    }
    unlock();
    return copy;
}

/* The number of the thread's copies of variables with a destructor. */
static uint32_t destructors_of(const struct ghcomp_thread *thread)
{
    uint32_t count = 0;
    lock();
    for (const struct variable *variable = variables.list; variable != NULL; variable = variable->next)
        if (thread->dense_number != 0 && variable->functions.destroy != NULL)
            count += copy_of(variable, thread->dense_number - 1) != NULL;
    unlock();
    return count;
}

void ghcomp_threadprivate_destroy(struct ghcomp_thread *thread)
{
    enum { ROUNDS = 4 }; /* repeated because destructors may make copies again; the C library runs as many rounds for
                            its keys */
    void *copy;
    void (*destroy)(void *);
    uint32_t left;
    for (int round = 0; round < ROUNDS && (left = destructors_of(thread)) != 0; round++)
        for (; left > 0 && (copy = take_copy(thread->dense_number - 1, true, &destroy)) != NULL; left--) {
            destroy(copy);
            free(copy);
        }
}

void ghcomp_threadprivate_destroy_of_worker(struct ghcomp_thread *worker)
{
    if (destructors_of(worker) == 0)
        return;
    struct ghcomp_initial_region *region = ghcomp_initial_region_prepare(&worker->idle, false);
    ghcomp_initial_region_enter(region);
    ghcomp_threadprivate_destroy(worker);
    ghcomp_initial_region_leave(region);
    ghcomp_team_forget(&worker->idle);
}

void ghcomp_threadprivate_forget(struct ghcomp_thread *thread)
{
    void *copy;
    void (*destroy)(void *);
    while (thread->dense_number != 0 && (copy = take_copy(thread->dense_number - 1, false, &destroy)) != NULL)
        free(copy);
}

static void fork_child(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    uint32_t own = self != NULL ? self->thread->dense_number : 0;
    for (const struct variable *variable = variables.list; variable != NULL; variable = variable->next)
        for (uint64_t i = 0; variable->places != NULL && i < places_of(variable->places)->count; i++)
            if (i + 1 != own && variable->places[i] != variable->original)
                variable->places[i] = NULL;
    pthread_mutex_init(&variables.lock, NULL);
}

__attribute__((constructor(102))) static void threadprivate_init(void)
{
    ghcomp_at_fork(lock, unlock, fork_child);
}
