/* The origin of the process's first call, and its effect on the environment.
 *
 * libgomp reads the environment when it is loaded, libomp at its first call, so that programs for libomp may set
 * variables in main(). Here it is read at load, and a second time at the first call if that comes from code that was
 * linked against libomp. No query has been answered before that, so answers stay true: a team is never larger than
 * omp_get_max_threads() was.
 *
 * A call of an entry that only libomp has (ghcomp_env_code_of_libomp) is one by such code. For a routine that both
 * have, the object with the return address decides: if it was linked against libomp, it needs symbol versions VERSION,
 * if against libgomp, versions that begin with GOMP_ or OMP_. If that does not decide (a call by a pointer, from a
 * Fortran form of the routine, or of a libgomp entry that libomp has, too), all objects of the process decide: the
 * environment is read if some need libomp's versions and none libgomp's. A tail call counts as a call by its caller's
 * caller, which matters only in a process with code for both runtimes. If nothing has changed since load, none of this
 * runs.
 *
 * The second reading includes the affinity mask. The limit on stacks is read then, too (size_stacks).
 *
 * clang asks for the thread's number at the beginning of a function with a construct, often of main(). libomp reads the
 * environment at that call, too, but counts the CPUs later, at the first region or question for their number. So if the
 * number is all that the first thread has asked for, and no variable has changed, the decision waits for its next call
 * (ghcomp_env_settle): until then main() may still change the mask, but no longer the environment.
 *
 * `decided` is 1 from then on: store_release in the ghcomp_os_once, load_acquire by ghcomp_env_asked() and
 * ghcomp_env_asked_of_libomp(). Covered by test/clang/environment_late*.c, test/clang/mask_late*.c,
 * test/clang/stack_{raised,unlimited}.c, test/mixed/environment.sh.
 */
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "core/env/env_read.h"
#include "core/observe/observers.h"
#include "core/state/icv.h"
#include "core/tool/tool.h"
#include "host/os.h"

_Atomic bool ghcomp_env_decided;
const char ghcomp_env_code_of_libomp[] = "";

/* --- an object's versions ----------------------------------------------------------------------------------------- */

enum { FOR_LIBOMP = 1, FOR_LIBGOMP = 2 };

struct dynamic {
    const char *strings;
    const char *needs; /* of ElfW(Verneed); NULL: the object needs no versions */
    size_t count;
};

/* An address from the dynamic section. glibc has relocated it, unless the object's section is read-only. */
static const char *address(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return (const char *)(value < object->dlpi_addr ? value + object->dlpi_addr : value);
}

static struct dynamic dynamic_of(const struct dl_phdr_info *object)
{
    struct dynamic found = {NULL, NULL, 0};
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            found.strings = address(object, entry->d_un.d_ptr);
        if (entry->d_tag == DT_VERNEED)
            found.needs = address(object, entry->d_un.d_ptr);
        if (entry->d_tag == DT_VERNEEDNUM)
            found.count = entry->d_un.d_val;
    }
    return found;
}

/* Whether the file is libomp.so.5, libiomp5.so, libgomp.so.1 or libghcomp.so.0; in wheels they have longer names. */
static bool is_runtime(const char *file)
{
    static const char *const names[] = {"libomp", "libiomp", "libgomp", "libghcomp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(file, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static int kind_of_version(const char *name)
{
    if (strcmp(name, "VERSION") == 0)
        return FOR_LIBOMP;
    return strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "OMP_", 4) == 0 ? FOR_LIBGOMP : 0;
}

/* The runtimes that the object was linked against: a set of FOR_LIBOMP and FOR_LIBGOMP. For an object by clang that was
   linked with the drop-in itself, both. */
static int kinds_of(const struct dl_phdr_info *object)
{
    struct dynamic dynamic = dynamic_of(object);
    int kinds = 0;
    const char *at = dynamic.needs;
    for (size_t i = 0; at != NULL && dynamic.strings != NULL && i < dynamic.count; i++) {
        const ElfW(Verneed) *need = (const ElfW(Verneed) *)at;
        const char *one = at + need->vn_aux;
        for (unsigned j = 0; j < need->vn_cnt && is_runtime(dynamic.strings + need->vn_file); j++) {
            const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)one;
            kinds |= kind_of_version(dynamic.strings + version->vna_name);
            one += version->vna_next;
        }
        at += need->vn_next;
    }
    return kinds;
}

/* --- the caller --------------------------------------------------------------------------------------------------- */

struct callers {
    uintptr_t caller;
    int its, all; /* sets of FOR_LIBOMP and FOR_LIBGOMP: the caller's object's, and the union of all objects' */
};

static bool contains(const struct dl_phdr_info *object, uintptr_t place)
{
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && place - object->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data)
{
    struct callers *callers = data;
    int kinds = kinds_of(object);
    (void)size;
    callers->all |= kinds;
    if (contains(object, callers->caller))
        callers->its = kinds;
    return 0;
}

static bool is_for_libomp(const void *caller)
{
    struct callers callers = {.caller = (uintptr_t)caller};
    if (caller == ghcomp_env_code_of_libomp)
        return true;
    dl_iterate_phdr(look_at, &callers);
    if (callers.its != 0)
        return (callers.its & FOR_LIBOMP) != 0;
    return callers.all == FOR_LIBOMP;
}

bool ghcomp_env_is_for_libomp(void)
{
    return is_for_libomp(NULL);
}

/* --- the decision ------------------------------------------------------------------------------------------------- */

static _Atomic(const void *) first; /* atomic(relaxed): the first caller, or one of several at the same time */
static _Atomic bool settled;        /* atomic(relaxed), by the same rule: code for libomp has asked for its number */

/* libomp's threads have stacks of the limit that holds at its first call, at most its maximum. The system gives them
   that of the process's start, and 2 MB where there was none. */
static void size_stacks(void)
{
    size_t limit = ghcomp_os_stack_limit();
    bool differs = limit == SIZE_MAX || ghcomp_os_stack_limit_changed();
    if (ghcomp_global.stacksize == 0 && differs && is_for_libomp(ghcomp_load_relaxed(&first)))
        ghcomp_global.stacksize = limit < GHCOMP_LIBOMP_STACK ? limit : GHCOMP_LIBOMP_STACK;
}

static void decide(void)
{
    bool changed = ghcomp_env_changed(), moved = ghcomp_os_mask_changed(), late = ghcomp_load_relaxed(&settled);
    /* A second reading that must not see the changes is left out. */
    bool again = (late ? moved && !changed : changed || moved) && is_for_libomp(ghcomp_load_relaxed(&first));
    if (again) {
        if (moved)
            ghcomp_os_save_mask();
        ghcomp_env_set_all(true);
        ghcomp_observers_remove(GHCOMP_OBSERVE_TOOL);
        ghcomp_tool_prepare();
    }
    size_stacks();
    ghcomp_env_show(again);
    ghcomp_store_release(&ghcomp_env_decided, true);
}

void ghcomp_env_decide(const void *caller)
{
    static struct ghcomp_os_once once = GHCOMP_OS_ONCE;
    ghcomp_env_init();
    ghcomp_store_relaxed(&first, ghcomp_load_relaxed(&settled) ? ghcomp_env_code_of_libomp : caller);
    ghcomp_os_once(&once, decide);
}

bool ghcomp_env_settle(void)
{
    ghcomp_env_init();
    if (ghcomp_load_acquire(&ghcomp_env_decided) || ghcomp_env_to_show() || ghcomp_env_changed())
        return false;
    ghcomp_store_relaxed(&settled, true);
    return true;
}
