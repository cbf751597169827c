/* Queries on a depend clause other than the order that it asks for (taskdep.c): for a tool, and before the task is
 * created.
 *
 * Called by task.c, task_wait.c, task_graph_record.c, abi/gomp/gomp_task.c. Covered by test/ompt and
 * test/conformance/depend.
 */
#include "core/task/taskdep_clause.h"

#include <stdlib.h>
#include <string.h>

#include "core/task/taskdep.h"
#include "core/tool/tool.h"

bool ghcomp_depend_excludes(void **depend)
{
    struct ghcomp_depend_clause clause = ghcomp_depend_clause_of(depend);
    void *address;
    for (size_t i = 0; i < clause.count; i++)
        if (ghcomp_depend_kind_of(&clause, i, &address) == GHCOMP_DEPEND_MUTEXINOUTSET)
            return true;
    return false;
}

void **ghcomp_depend_copy(void **depend)
{
    struct ghcomp_depend_clause clause = ghcomp_depend_clause_of(depend);
    if (clause.count == 0)
        return NULL;
    size_t head = (size_t)(clause.item - depend), plain = clause.outs + clause.mutexes + clause.ins;
    size_t list = head + clause.count;
    void **copy = ghcomp_alloc((list + 2 * (clause.count - plain)) * sizeof *copy), **object = copy + list;
    memcpy(copy, depend, list * sizeof *copy);
    for (size_t i = plain; i < clause.count; i++, object += 2) {
        memcpy(object, clause.item[i], 2 * sizeof *copy);
        copy[head + i] = object;
    }
    return copy;
}

void ghcomp_depend_report(struct ghcomp_task *task, void **depend)
{
    static const ompt_dependence_type_t types[] = {
        [GHCOMP_DEPEND_IN] = ompt_dependence_type_in,
        [GHCOMP_DEPEND_OUT] = ompt_dependence_type_inout,
        [GHCOMP_DEPEND_MUTEXINOUTSET] = ompt_dependence_type_mutexinoutset,
        [GHCOMP_DEPEND_INOUTSET] = ompt_dependence_type_inoutset,
    };
    if (ghcomp_tool_callback(ompt_callback_dependences) == NULL)
        return;
    struct ghcomp_depend_clause clause = ghcomp_depend_clause_of(depend);
    ompt_dependence_t *list = ghcomp_alloc((clause.count + 1) * sizeof *list);
    for (size_t i = 0; i < clause.count; i++) {
        void *address;
        enum ghcomp_depend_kind kind = ghcomp_depend_kind_of(&clause, i, &address);
        bool all = kind == GHCOMP_DEPEND_OUT && address == NULL;
        list[i] = (ompt_dependence_t){{.ptr = address}, all ? ompt_dependence_type_inout_all_memory : types[kind]};
    }
    ghcomp_tool_task_dependences(task, list, (int)clause.count);
    free(list);
}
