#!/usr/bin/env python3
"""Misuses of omp_*, GOMP_* and ghcomp_* that end the program: with exit status 1 and one line that says what is wrong.
Teams larger than any machine's are among them, under a limit of address space, so that they fail soon.

The cases are in misuse.c, a process for each. What libgomp does is in the comments: the status, or the signal.
"""
# limit: 60

import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SPACE = 1 << 31
FAILS = rb"Thread creation failed|out of memory"

# Case, variables, the line (None: the program survives and prints this number), limited address space.
CASES = [
    ("clause_int_max", {}, FAILS, True),  # libgomp: SIGSEGV
    ("clause_negative", {}, FAILS, True),
    ("clause_int_min", {}, FAILS, True),
    ("parallel_uint_max", {}, FAILS, True),
    ("set_int_max", {}, FAILS, True),
    ("default_size", {b"OMP_NUM_THREADS": b"2147483647"}, FAILS, True),
    ("default_size", {b"OMP_NUM_THREADS": b"2147483647", b"OMP_THREAD_LIMIT": b"3"}, 3, True),
    ("clause_int_max", {b"OMP_THREAD_LIMIT": b"1"}, 1, True),
    ("clause_int_max", {b"OMP_MAX_ACTIVE_LEVELS": b"0"}, 1, True),
    ("clause_negative", {b"OMP_THREAD_LIMIT": b"2"}, 2, True),
    ("clause_zero", {b"OMP_NUM_THREADS": b"3"}, 3, False),
    ("dynamic_int_max", {}, 1, True),
    ("two", {b"OMP_STACKSIZE": b"18446744073709551615B"}, b"Thread creation failed", False),
    ("two", {b"OMP_STACKSIZE": b"18446744073709547521B"}, b"Thread creation failed", False),
    ("two", {b"OMP_STACKSIZE": b"9223372036854775807B"}, b"Thread creation failed", False),
    ("two", {b"OMP_STACKSIZE": b"17179869183G"}, b"Thread creation failed", False),
    ("two", {b"OMP_STACKSIZE": b"16384B"}, 2, False),
    ("loop_dynamic", {}, b"increment 0", False),  # libgomp: goes on, and the loop never ends
    ("loop_guided", {}, b"increment 0", False),
    ("loop_static", {}, b"increment 0", False),
    ("loop_ull", {}, b"increment 0", False),
    ("parallel_loop", {}, b"increment 0", False),
    ("taskloop", {}, b"increment 0", False),
    ("graph_null", {}, b"ghcomp_graph_run: the graph is NULL", False),
    ("graph_end", {}, b"graph: the end of a recording by a task that has not begun it", False),
    ("graph_flags", {}, b"ghcomp_graph_begin: unknown flags 0x6", False),
    ("graph_twice", {}, b"graph: a recording of a graph within its own", False),
    ("graph_free", {}, b"graph: it is destroyed while", False),
    ("graph_within", {}, b"graph: a replay of a graph within its own", False),
    ("graph_end_in_task", {}, b"graph: the end of a recording by a task that has not begun it", False),
    ("graph_update", {}, b"ghcomp_graph_update: task 0 has [0-9]+ bytes of data, and [0-9]+ from byte 1 on", False),
    ("graph_no_task", {}, b"ghcomp_graph_data_size: the graph has no task 1", False),
    ("graph_none", {}, 1, False),
    ("empty_loop", {}, 1, False),
    ("alloc", {}, b"Out of memory allocating 18446744073709551615 bytes", False),
    ("alloc_aligned", {}, b"Out of memory allocating 8 bytes", False),
    ("alloc_zero", {}, 1, False),
    ("task_align", {}, b"out of memory|more than the address space", False),
    ("task_negative", {}, b"out of memory|more than the address space", False),
    ("free_stack", {}, b"omp_free: 0x[0-9a-f]+ is not a block", False),
    ("destroy_predefined", {}, b"predefined allocator", False),
    ("abort_allocator", {}, b"Out of memory", False),
    ("format", {}, b"affinity format has a field of the unknown type 'q'", False),
    ("format_width", {}, b"affinity format has a field wider", False),
    ("format_brace", {}, rb"affinity format has no } behind %{thread\\x1b\[31m\\x0a", False),
    ("format_set", {}, b"affinity format has a field of the unknown type ''", False),
    ("format_long", {}, rb"affinity format has no } behind %{x+\.\.\.", False),
    ("capture", {}, 1, False),
    ("error", {}, b"fatal error: error directive encountered: why$", False),
    ("error_part", {}, b"encountered: why$", False),
    ("error_none", {}, b"error directive encountered$", False),
    ("error_long", {}, b"encountered: x{500,1000}$", False),
    ("teams_negative", {}, 1, False),
    ("teams_limit", {}, 1, False),
    ("callback", {}, b"ghcomp_callback_call: the callback is NULL", False),
    ("callback_range", {}, b"ghcomp_callback_range: the callback is NULL", False),
    ("callback_garbage", {}, b"not a callback of this version", False),
    ("stats", {}, 1, False),
    ("interop", {}, 1, False),
    ("uid", {}, 1, False),
]


def main():
    report = common.Report()
    common.need("prlimit")
    with tempfile.TemporaryDirectory() as work:
        program = common.compiled(os.path.join(HERE, "misuse.c"), work, "-fopenmp", "-ldl", "-w")

        def one(case):
            name, variables, outcome, limited = case
            what = "%s %s" % (name, " ".join("%s=%s" % (k.decode(), v.decode()) for k, v in variables.items()))
            env = {b"LD_LIBRARY_PATH": os.fsencode(common.DROPIN), b"GHCOMP_HOST": b"posix", **variables}
            done = common.run([program, name], env, limit=60, address_space=SPACE if limited else None)
            lines = [l for l in done.err.split(b"\n") if l]
            if isinstance(outcome, int):
                report.check(done.rc == 0 and done.out == b"survived %d\n" % outcome and not lines,
                             "%s: %s" % (what, done.text()))
                return
            report.check(done.rc == 1 and len(lines) == 1 and common.re.search(outcome, lines[0])
                         and common.bad_line(lines[0]) is None and b"survived" not in done.out,
                         "%s: %s" % (what, done.text()))

        common.in_parallel(one, CASES)
    report.end("%d misuses" % len(CASES))


if __name__ == "__main__":
    main()
