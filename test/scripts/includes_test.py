#!/usr/bin/env python3
"""Includes in cbits/ go down the list of folders below, or stand in the table of exceptions with their reason.

So do prototypes: a function whose prototype is in a header of base, host or core is defined in the header's folder, or
the table APART says why it is not. Otherwise a folder could call one above it without an include that shows it.

The list is that of docs/internals/adr/0017-a-folder-for-each-concept.md and of CONTRIBUTING.md.
"""

import os
import re
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# From the bottom to the top. A file includes files of its own folder or of a folder in a line above.
FOLDERS = [
    ["include"],
    ["base"],
    ["host"],
    ["core/state"],
    ["core/observe"],
    ["core/trace"],
    ["core/tsan"],
    ["core/tool"],
    ["core/memory"],
    ["core/cpu"],
    ["core/sync"],
    ["core/worksharing"],
    ["core/task"],
    ["core/affinity"],
    ["core/team"],
    ["core/env"],
    ["abi"],
    ["abi/observed"],
    ["abi/ghcomp", "abi/gomp", "abi/kmp", "abi/omp"],  # beside each other
    ["haskell"],
]

# (file, what it includes): the reason.
UPWARD = {
    ("core/state/self.c", "core/observe/observers.h"): "without static storage all threads take the observers' paths",
    ("core/memory/alloc_place.c", "core/affinity/topology.h"): "memory lies on the nodes of the process's CPUs",
    ("core/sync/barrier.c", "core/task/task.h"): "a barrier runs the tasks of its region",
    ("core/sync/barrier_wait.h", "core/task/task.h"): "a barrier runs the tasks of its region",
    ("core/sync/reduction_tree.c", "core/task/task.h"): "a member that waits leaves no task behind",
    ("core/sync/task_team.c", "core/task/task.h"): "the end of a region runs the region's tasks",
    ("core/sync/task_team.c", "core/task/deque.h"): "a helper leaves when all deques of the team are empty",
    ("core/tool/tool_sync.c", "core/sync/task_team.h"): "the barrier of a team of one has a wait if tasks are pending",
    ("core/tool/tool_filter.c", "core/task/task.h"): "a task that gets a record late counts as reported from then on",
    ("core/worksharing/workshare.c", "core/task/task_reduction.h"): "a work share that is recycled frees its "
                                                                   "reductions",
    ("core/task/task_reduction.c", "core/team/team.h"): "a parallel construct with task reductions is a region",
    ("core/task/task_threadset.c", "core/team/left.h"): "a task that has no agent is on a list of the pool's",
    ("core/affinity/display_affinity.c", "core/team/league.h"): "OMP_AFFINITY_FORMAT shows the number of the team",
}

# Folders whose headers are no interface to programs.
INNER = ("base", "host", "core/")

# (header, function): why it is defined in another folder.
APART = {
    ("core/state/icv.h", "ghcomp_env_init"): "whoever reads an ICV first reads the environment",
    ("core/state/icv.h", "ghcomp_env_decide"): "the first call decides which compiler's environment counts",
    ("core/state/icv.h", "ghcomp_env_settle"): "code for libomp may ask for a thread's number before that",
    ("core/state/icv.h", "ghcomp_env_is_for_libomp"): "fork() asks whose code the child of a region goes on with",
    ("core/state/icv.h", "ghcomp_env_set"): "kmp_set_defaults changes ICVs by the environment's parser",
    ("core/state/icv.h", "ghcomp_env_display"): "omp_display_env prints the ICVs by the environment's table",
    ("core/state/types.h", "ghcomp_thread_register"): "ghcomp_self() makes a thread that calls first a member",
    ("core/state/types.h", "ghcomp_thread_register_for"): "ghcomp_self() makes a thread that calls first a member",
    ("core/state/types.h", "ghcomp_thread_register_for_libomp"): "the same, for code of clang's",
    ("core/state/types.h", "ghcomp_outside_init"): "a member that is no thread's has its team in core/team",
    ("core/state/types.h", "ghcomp_stranger"): "a question by a thread that is no member has its answer in core/team",
    ("core/sync/seats.h", "ghcomp_left_forget"): "a region's end takes its team off the pool's list of left tasks",
    ("core/task/task.h", "ghcomp_aside_start"): "a task aside runs on a worker of the pool",
    ("core/task/task.h", "ghcomp_aside_lost"): "a fork's child has lost tasks aside, as it has those of its teams",
    ("core/task/task.h", "ghcomp_aside_fork_child"): "a fork's child has no tasks aside of its own",
    ("core/task/task.h", "ghcomp_agents_may_come"): "a task that nobody else can run goes where any task does",
    ("core/task/task.h", "ghcomp_agents_most"): "a taskloop for agents has a task for each",
    ("core/task/task.h", "ghcomp_agents_call"): "a task that agents may run calls a worker of the pool",
}

LEVEL = {folder: level for level, line in enumerate(FOLDERS) for folder in line}


def folder_of(name):
    """The folder below cbits/ of an included name; ghcomp.h is found without one."""
    return os.path.dirname(name) or "include"


def wrong_includes(cbits, upward=None):
    """One message for every include that breaks the rule, and for every exception that is not needed."""
    allowed = UPWARD if upward is None else upward
    unused, wrong = set(allowed), []
    for base, _, names in sorted(os.walk(cbits)):
        folder = os.path.relpath(base, cbits)
        for name in sorted(n for n in names if n.endswith((".c", ".h", ".in"))):
            source = "%s/%s" % (folder, name)
            if folder not in LEVEL:
                wrong.append("cbits/%s: the folder is not on the list" % source)
                continue
            with open(os.path.join(base, name), encoding="utf-8") as file:
                included = re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.read(), re.M)
            for header in included:
                other = folder_of(header)
                if other not in LEVEL:
                    wrong.append("cbits/%s includes %s, whose folder is not on the list" % (source, header))
                    continue
                if other == folder or LEVEL[other] < LEVEL[folder]:
                    continue
                unused.discard((source, header))
                if (source, header) not in allowed:
                    wrong.append("cbits/%s includes %s, which is not below it" % (source, header))
    return wrong + ["the table allows cbits/%s to include %s, which it does not" % pair for pair in sorted(unused)]


PROTOTYPE = re.compile(r"^(?!static|typedef|#|return)[A-Za-z_][\w\s\*]*?\b(\w+)\([^;{}]*\)[^;{}]*;", re.M)
DEFINITION = re.compile(r"^(?!static|typedef|#|return)[A-Za-z_][\w\s\*]*?\b(\w+)\([^;{}]*\)\s*\{", re.M)


def sources(cbits):
    """Each file below cbits/: its folder, its name, its text without comments."""
    for base, _, names in sorted(os.walk(cbits)):
        for name in sorted(n for n in names if n.endswith((".c", ".h", ".in"))):
            with open(os.path.join(base, name), encoding="utf-8") as file:
                yield os.path.relpath(base, cbits), name, re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


def wrong_prototypes(cbits, apart=None):
    """One message for every inner prototype whose function other folders define, and for every needless exception."""
    allowed = APART if apart is None else apart
    prototypes, defined, unused, wrong = [], {}, set(allowed), []
    for folder, name, text in sources(cbits):
        if name.endswith(".h"):
            if folder.startswith(INNER):
                prototypes += [("%s/%s" % (folder, name), function) for function in PROTOTYPE.findall(text)]
        else:
            for function in DEFINITION.findall(text):
                defined.setdefault(function, set()).add(folder)
    for header, function in prototypes:
        where = defined.get(function)
        if not where or os.path.dirname(header) in where:
            continue
        unused.discard((header, function))
        if (header, function) not in allowed:
            wrong.append("cbits/%s has the prototype of %s, which is defined in %s" %
                         (header, function, ", ".join(sorted(where))))
    return wrong + ["the table allows %s in cbits/%s, which needs no exception" % pair[::-1] for pair in sorted(unused)]


class Includes(unittest.TestCase):
    def test_committed(self):
        self.assertEqual(wrong_includes(os.path.join(ROOT, "cbits")), [])

    def test_prototypes(self):
        self.assertEqual(wrong_prototypes(os.path.join(ROOT, "cbits")), [])

    def test_prototype_of_another_folder(self):
        files = {"core/state/types.h": "struct a *\nghcomp_up(int x) __attribute__((cold));\nvoid ghcomp_down(void);\n",
                 "core/team/team.c": "struct a *ghcomp_up(int x)\n{\n}\n",
                 "core/state/types.c": "void ghcomp_down(void)\n{\n}\n"}
        self.assertEqual(wrong_prototypes(self.tree(files), {}),
                         ["cbits/core/state/types.h has the prototype of ghcomp_up, which is defined in core/team"])
        self.assertEqual(len(wrong_prototypes(self.tree(files), {("core/state/types.h", "ghcomp_down"): "once",
                                                                 ("core/state/types.h", "ghcomp_up"): "once"})), 1)

    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in files.items():
            path = os.path.join(folder.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return folder.name

    def test_up(self):
        tree = self.tree({"base/check.c": '#include "base/check.h"\n#include "core/state/types.h"\n',
                          "base/check.h": ""})
        self.assertEqual(wrong_includes(tree, {}),
                         ["cbits/base/check.c includes core/state/types.h, which is not below it"])

    def test_beside(self):
        tree = self.tree({"abi/gomp/gomp_task.c": '#include "abi/abi.h"\n#include "abi/omp/omp_lock.h"\n'})
        self.assertEqual(len(wrong_includes(tree, {})), 1)

    def test_folders(self):
        tree = self.tree({"core/other/a.c": "", "core/team/b.c": '#include "core/c.h"\n'})
        self.assertEqual(len(wrong_includes(tree, {})), 2)

    def test_exceptions_are_needed(self):
        tree = self.tree({"base/check.c": ""})
        self.assertEqual(len(wrong_includes(tree, {("base/check.c", "core/task/task.h"): "once"})), 1)

    def test_reasons(self):
        self.assertTrue(all(len(reason) > 20 for reason in list(UPWARD.values()) + list(APART.values())))


if __name__ == "__main__":
    unittest.main(verbosity=2)
