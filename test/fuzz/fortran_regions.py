"""Fortran writers of plain statements, queries, parallel regions and the constructs that are not loops in them.

Each is the Fortran of the writer of the same kind in c_regions.py. fortran_base.py and writers.py have what they
share."""

from fortran_base import (add, add_text, block, clauses, declare, end_of, finish, in_fortran, literal, odd, reductions,
                          shared_of, writer)
from tree import in_python
from writers import QUERIES, enter_team, once, once_in_team, size_clause

LOGICAL_QUERIES = {"omp_in_parallel()", "omp_is_initial_device()", "omp_get_cancellation()", "omp_get_dynamic()"}


@writer("add")
def w_add(n, t):
    add(t, n.p["k"], n.p["e"], n.p["how"])


@writer("query")
def w_query(n, t):
    q = n.p["q"]
    value = "merge(1_8, 0_8, %s)" % q if q in LOGICAL_QUERIES else "int(%s, 8)" % q
    add_text(t, n.p["k"], "%s * %d_8" % (value, n.p["m"]), "%s * %d" % (QUERIES[q], n.p["m"]))


@writer("repeat")
def w_repeat(n, t):
    v = n.p["name"]
    block(t, "integer :: " + v)
    t.f("do %s = 0, %d" % (v, n.p["count"] - 1))
    t.p("for %s in range(%d):" % (v, n.p["count"]))
    t.block(n.blocks[0])
    t.out()
    t.f("end do", "end block")


@writer("when")
def w_when(n, t):
    t.f("if (%s) then" % odd(n.p["e"]))
    t.p("if %s & 1:" % in_python(n.p["e"]))
    t.block(n.blocks[0])
    t.out()
    t.f("end if")


@writer("parallel")
def w_parallel(n, t):
    p = n.p
    reds = reductions(n)
    more, last = shared_of(n.blocks[0])
    private = p.get("private")
    declare(t, reds + more, last, *["integer :: old" + p["t"]] + (["integer(8) :: " + private[0]] if private else []))
    head = "!$omp parallel"
    if p["how"] == "icv":
        t.f("old%s = omp_get_max_threads()" % p["t"], "call omp_set_num_threads(%d)" % p["n"])
    elif p["how"] == "expression":
        head += " num_threads(int(1 + iand(%s, 3_8)))" % in_fortran(p["e"])
    elif p["n"]:
        head += " num_threads(%d)" % p["n"]
    if p.get("if"):
        head += " if(%s)" % odd(p["if"])
    head += "".join(r.clause() for r in reds) + clauses(n)
    if private:
        name, _, e = private
        t.f("%s = %s" % (name, in_fortran(e)))
        t.p("%s0 = %s" % (name, in_python(e)))
        head += " firstprivate(%s)" % name
    t.f(head)
    block(t, "integer :: " + p["t"])
    t.f("%s = omp_get_thread_num()" % p["t"])
    enter_team(n, t)
    if private:
        t.p("%s = %s0" % (name, name))
        if p["sized"]:
            t.f("%s = %s + %s" % (name, name, p["t"]))
            t.p("%s += %s" % (name, p["t"]))
    for r in reds:
        r.step(t)
    t.block(n.blocks[0])
    t.f("end block", "!$omp end parallel")
    t.out()
    if p["how"] == "icv":
        t.f("call omp_set_num_threads(old%s)" % p["t"])
    finish(t, reds + more, last)


@writer("barrier")
def w_barrier(_n, t):
    t.f("!$omp barrier")


@writer("single")
def w_single(n, t):
    once(n, t)
    t.f("!$omp single", "block")
    t.block(n.blocks[0])
    t.f("end block", "!$omp end single" + end_of(n))
    t.out()


@writer("masked")
def w_masked(n, t):
    who = n.p["filter"]
    name = "master" if who is None else "masked"
    t.f("!$omp " + name + ("" if who is None else " filter(%d)" % who), "block")
    t.p("if %s == %d:" % (n.p["t"], who or 0))
    t.block(n.blocks[0])
    t.f("end block", "!$omp end " + name)
    t.out()


@writer("copyprivate")
def w_copyprivate(n, t):
    v = n.p["name"]
    block(t, "integer(8) :: %s, %sb(0:4)" % (v, v), "integer(8), allocatable :: %sc(:)" % v)
    t.f("allocate(%sc(3))" % v, "%s = 0" % v, "%sb = 0" % v, "!$omp single", "%s = %s" % (v, in_fortran(n.p["e"])),
        "%sb(4) = %s + 1" % (v, v), "%sc = %s" % (v, v), "!$omp end single copyprivate(%s, %sb, %sc)" % (v, v, v))
    t.p("%s = %s" % (v, in_python(n.p["e"])))
    add_text(t, n.p["k"], "%s * 3 + %sb(4) + %sc(2)" % (v, v, v), "%s * 4 + %s + 1" % (v, v))
    t.f("end block")


@writer("sections")
def w_sections(n, t):
    """Binds to the enclosing region, or is a parallel region of its own (p["t"] is None)."""
    p = n.p
    reds = reductions(n)
    name = "sections" if p["t"] else "parallel sections"
    if p["t"]:
        once(n, t)
        block(t)
        t.f("!$omp sections" + "".join(r.clause() for r in reds) + clauses(n))
    else:
        declare(t, reds, [])
        t.f("!$omp parallel sections" + size_clause(n) + "".join(r.clause() for r in reds) + clauses(n))
        once_in_team(n, t)
    for inner in n.blocks:
        t.f("!$omp section", "block")
        for r in reds:
            r.step(t)
        t.block(inner)
        t.f("end block")
    t.f("!$omp end " + name + end_of(n))
    t.out(1 if p["t"] else 2)
    finish(t, [] if p["t"] else reds, [])


@writer("scope")
def w_scope(n, t):
    reds = reductions(n)
    t.f("!$omp scope" + "".join(r.clause() for r in reds) + clauses(n), "block")
    for r in reds:
        r.step(t)
    t.block(n.blocks[0])
    t.f("end block", "!$omp end scope" + end_of(n))


@writer("exchange")
def w_exchange(n, t):
    """Each thread reads what another one wrote before the barrier."""
    p = n.p
    v, w = p["name"], p["name"] + "t"
    block(t, "integer(8) :: %s(0:63)" % v)
    t.f("!$omp parallel" + size_clause(n) + clauses(n))
    block(t, "integer :: %s, %ss, %sr" % (w, v, v))
    t.f("%s = omp_get_thread_num()" % w, "%ss = omp_get_num_threads()" % v,
        "do %sr = 0, %d" % (v, p["rounds"] - 1),
        "%s(%s) = int(%s, 8) * %s + %sr" % (v, w, w, literal(p["m"]), v), "!$omp barrier")
    t.p("for %s in S.parallel(%d):" % (w, p["n"]), "for %sr in range(%d):" % (v, p["rounds"]))
    add_text(t, p["k"], "%s(mod(%s + 1 + %sr, %ss))" % (v, w, v, v),
             "((%s + 1 + %sr) %% S.size()) * %d + %sr" % (w, v, p["m"], v))
    t.f("!$omp barrier", "end do", "end block", "!$omp end parallel", "end block")
    t.out(2)


@writer("copyin")
def w_copyin(n, t):
    """A threadprivate variable is copied in, changed by each thread and kept for the next region, where that holds."""
    p = n.p
    v, w = p["name"], p["name"] + "t"
    head = "!$omp parallel" + size_clause(n)
    t.f("tp = %s" % in_fortran(p["e"]), head + " copyin(tp)" + clauses(n))
    block(t, "integer :: " + w)
    t.f("%s = omp_get_thread_num()" % w)
    t.p("%s = %s" % (v, in_python(p["e"])), "for %s in S.parallel(%d):" % (w, p["n"]))
    add_text(t, p["k"], "tp + %s" % w, "%s + %s" % (v, w))
    t.f("tp = tp + int(%s, 8) * %d_8" % (w, p["m"]), "end block", "!$omp end parallel")
    t.out()
    if p["kept"]:
        t.f(head)
        block(t, "integer :: " + w)
        t.f("%s = omp_get_thread_num()" % w)
        t.p("for %s in S.parallel(%d):" % (w, p["n"]))
        add_text(t, p["k2"], "tp * %d_8" % p["m"], "(%s + %s * %d) * %d" % (v, w, p["m"], p["m"]))
        t.f("end block", "!$omp end parallel")
        t.out()
