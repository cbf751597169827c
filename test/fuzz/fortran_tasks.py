"""Fortran writers of tasks, taskgroups, dependences, events and cancellation.

Each is the Fortran of the writer of the same kind in c_tasks.py. fortran_base.py and writers.py have what they share.
"""

from fortran_base import add_text, block, clauses, declare, finish, in_fortran, odd, reductions, writer
from tree import in_python
from writers import size_clause

# The private variables of tasks: (declaration, how it is set, what is added, how the task spoils its copy).
PRIVATE = {
    "u64": ("integer(8) :: X", ["X = E"], "X", "X = 99"),
    "big": ("type(big) :: X", ["X%x = 0", "X%x(7) = E"], "X%x(7)", "X%x(7) = 99"),
    "array": ("integer(8) :: X(-2:30)", ["X = 0", "X(7) = E"], "X(7)", "X(7) = 99"),
    "allocatable": ("integer(8), allocatable :: X(:)", ["allocate(X(9))", "X = E"], "X(9)", "X(9) = 99"),
    "pointer": ("type(holder) :: X", ["allocate(X%x(9))", "X%x = E"], "X%x(9)", "X%x(9) = 99"),
}


@writer("task")
def w_task(n, t):
    p = n.p
    private = p.get("private")
    head = "!$omp task" + clauses(n)
    if private:
        name, kind, e = private
        declaration, start, use, spoil = PRIVATE[kind]
        block(t, declaration.replace("X", name))
        t.f(*[s.replace("X", name).replace("E", in_fortran(e)) for s in start])
        t.p("%s = %s" % (name, in_python(e)))
        head += " firstprivate(%s)" % name
    if p.get("if"):
        head += " if(%s)" % odd(p["if"])
    t.f(head, "block")
    t.block(n.blocks[0])
    if private:
        add_text(t, 0, use.replace("X", name), name)
        t.f(spoil.replace("X", name))
    t.f("end block", "!$omp end task")
    if private:
        t.f(spoil.replace("X", name), "end block")


@writer("included")
def w_included(n, t):
    """A final task: its descendants are included tasks."""
    t.f("!$omp task final(.true.)" + clauses(n), "block")
    add_text(t, n.p["k"], "merge(1_8, 0_8, omp_in_final())", "1")
    t.block(n.blocks[0])
    t.f("end block", "!$omp end task")


@writer("taskwait")
def w_taskwait(_n, t):
    t.f("!$omp taskwait")


@writer("taskyield")
def w_taskyield(_n, t):
    t.f("!$omp taskyield")


@writer("taskgroup")
def w_taskgroup(n, t):
    reds = reductions(n)
    declare(t, reds, [])
    t.f("!$omp taskgroup" + "".join(r.clause("task_reduction") for r in reds), "block")
    t.block(n.blocks[0])
    for number in range(n.p.get("tasks", 0)):
        for r in reds:
            t.f("!$omp task" + r.clause("in_reduction") + clauses(n))
            r.step(t)
            if number % 2 == 1:
                t.f("!$omp task" + r.clause("in_reduction"))
                r.step(t)
                t.f("!$omp end task")
            t.f("!$omp end task")
    t.f("end block", "!$omp end taskgroup")
    finish(t, reds, [])


@writer("depend")
def w_depend(n, t):
    """Tasks that depend on each other by elements of an array: all of them together compute what they would one after
    the other."""
    p = n.p
    x = p["name"]
    block(t, "integer(8) :: %s(-1:4)" % x)
    t.f("%s = [0, 1, 2, 3, 4, 0]" % x, "!$omp taskgroup", "block")
    t.p("%s = [1, 2, 3, 4]" % x)
    for step in n.blocks[0]:
        w_dep(step, t, x)
    t.f("end block", "!$omp end taskgroup")
    add_text(t, p["k"], " + ".join("%s(%d) * %d" % (x, i, 2 * i + 1) for i in range(4)),
             " + ".join("%s[%d] * %d" % (x, i, 2 * i + 1) for i in range(4)))
    t.f("end block")


# gfortran 12 takes the end of an iterator's range as one that is left out, as C does, and Fortran's belongs to it: with
# the array's two elements at the ends, which are not used, both are right.
# How a task depends: (its clause, what it does, the model). A and B are elements, X the array, E the value.
DEPENDENCES = {
    "inout": ("depend(inout: A) depend(in: B)", "A = A * 3 + B + E"),
    "out": ("depend(out: A)", "A = E"),
    "mutexinoutset": ("depend(mutexinoutset: A)", "A = A + E"),
    "inoutset": ("depend(inoutset: A)", "!$omp atomic\nA = A + E"),
    "two mutexes": ("depend(mutexinoutset: A, B)", "A = A + E\nB = B + 3"),
    "iterator out": ("depend(iterator(integer :: q = 3 : -1 : -2), inout: X(q))",
                     "X(1) = X(3) * 3 + E\nX(3) = X(3) + 9"),
    "depobj": ("depend(depobj: depobj)", "A = A * 7 + E"),
    "undeferred": ("if(.false.) depend(inout: A)", "A = ieor(A, E)"),
}
READERS = {
    "in": ("depend(in: A, B)", "A * 5 + B"),
    "iterator": ("depend(iterator(integer :: q = 0 : 4), in: X(q))", "X(0) + X(3)"),
}


def w_dep(n, t, x):
    p = n.p
    how = p["how"]

    def filled(text, e, left="(", right=")"):
        text = text.replace("X(", x + left).replace("A", "%s%s%d%s" % (x, left, p["a"], right))
        text = text.replace("B", "%s%s%d%s" % (x, left, p["b"], right))
        return text.replace("E", e)

    def model(text):
        for index in "0123":
            text = text.replace("X(%s)" % index, "X[%s]" % index)
        text = text.replace("ieor(A, E)", "A ^ E").replace("X[", x + "[")
        return filled(text, in_python(p["e"]), "[", "]")

    if how == "taskwait":
        t.f(filled("!$omp taskwait depend(in: A)", ""))
        add_text(t, p["k"], filled("A * 11", ""), model("A * 11"))
        return
    if how == "depobj":
        block(t, "integer(omp_depend_kind) :: depobj")
        t.f(filled("!$omp depobj(depobj) depend(in: A)", ""), "!$omp depobj(depobj) update(inout)")
    clause, what = (READERS.get(how) or DEPENDENCES[how])
    t.f("!$omp task shared(%s)" % x + clauses(n) + " " + filled(clause, ""), "block")
    if how in READERS:
        add_text(t, p["k"], filled(what, ""), model(what))
    else:
        for line in what.split("\n"):
            t.f(filled(line, in_fortran(p["e"])))
            if not line.startswith("!"):
                t.p(model(line))
    t.block(n.blocks[0])
    t.f("end block", "!$omp end task")
    if how == "depobj":
        t.f("!$omp depobj(depobj) destroy", "end block")


@writer("detach")
def w_detach(n, t):
    p = n.p
    v, event, who = p["name"], p["name"] + "e", p["who"]
    fulfill = "call omp_fulfill_event(%s)" % event
    block(t, "integer(8) :: " + v, "integer(omp_event_handle_kind) :: " + event)
    t.f("%s = 1" % v, "!$omp task shared(%s) depend(out: %s) detach(%s)%s" % (v, v, event, clauses(n)), "block",
        "%s = %s" % (v, in_fortran(p["e"])))
    t.p("%s = %s" % (v, in_python(p["e"])))
    t.block(n.blocks[0])
    if who == "itself":
        t.f(fulfill)
    t.f("end block", "!$omp end task")
    if who == "first":
        t.f(fulfill)
    if who == "task":
        t.f("!$omp task firstprivate(%s)" % event, fulfill, "!$omp end task")
    t.f("!$omp task shared(%s) depend(in: %s)" % (v, v))
    add_text(t, p["k"], v, v)
    t.f("!$omp end task")
    if who == "creator":
        t.f(fulfill)
    t.f("!$omp taskwait", "end block")


# ------------------------------------------------------------------------------------------------------------
# Cancellation. After what cancels, and after what waits for that, nothing runs; the model has OMP_CANCELLATION.


@writer("cancel")
def w_cancel(n, t):
    hows = {"parallel": cancel_parallel, "for": cancel_do, "sections": cancel_sections, "taskgroup": cancel_taskgroup}
    hows[n.p["how"]](n, t)


def not_cancelled(t, k, more=""):
    t.p("if not S.cancellation%s:" % more)
    add_text(t, k, "1000_8", "1000")
    t.out()


def cancel_parallel(n, t):
    p = n.p
    i = p["name"] + "i"
    t.f("!$omp parallel" + size_clause(n))
    block(t, "integer :: " + i)
    t.f("%s = omp_get_thread_num()" % i)
    t.p("for %s in S.parallel(%d):" % (i, p["n"]))
    add_text(t, p["k"], "int(%s, 8) + 5" % i, "%s + 5" % i)
    t.f("!$omp barrier", "if (%s == 0) then" % i, "!$omp cancel parallel", "end if", "!$omp barrier")
    not_cancelled(t, p["k"])
    t.f("end block", "!$omp end parallel")
    t.out()


def seen_and_found(t, p, *more):
    """Opens the BLOCK of a cancellation with the two numbers in which its end shows."""
    found, seen = p["name"] + "f", p["name"] + "s"
    block(t, "integer(8) :: %s, %s" % (found, seen), *more)
    t.f("%s = 0" % found, "%s = 0" % seen)
    return found, seen


def cancel_do(n, t):
    p = n.p
    i = p["name"] + "i"
    found, seen = seen_and_found(t, p, "integer :: " + i)
    condition = "" if p["if"] is None else " if(.true.)" if p["if"] else " if(.false.)"
    t.f("!$omp parallel do" + size_clause(n) + clauses(n), "do %s = 0, %d" % (i, p["count"] - 1),
        "!$omp atomic", "%s = %s + 1" % (seen, seen), "if (%s == %d) then" % (i, p["which"]),
        "!$omp atomic write", "%s = %s + 1" % (found, i), "!$omp cancel do" + condition)
    not_cancelled(t, p["k"], " or %s" % (p["if"] == 0))
    t.f("end if", "!$omp cancellation point do", "end do", "!$omp end parallel do")
    add_text(t, p["k"], "%s * 77 + merge(1_8, 0_8, %s >= 1 .and. %s <= %d)" % (found, seen, seen, p["count"]),
             "%d * 77 + 1" % (p["which"] + 1))
    t.f("end block")


def cancel_sections(n, t):
    p = n.p
    found, seen = seen_and_found(t, p)
    t.f("!$omp parallel sections" + size_clause(n))
    for number in range(p["count"]):
        t.f("!$omp section", "!$omp atomic", "%s = %s + 1" % (seen, seen))
        if number == p["which"]:
            t.f("!$omp atomic write", "%s = 5" % found, "!$omp cancel sections")
            not_cancelled(t, p["k"])
        else:
            t.f("!$omp cancellation point sections")
    t.f("!$omp end parallel sections")
    add_text(t, p["k"], "%s * 77 + merge(1_8, 0_8, %s >= 1 .and. %s <= %d)" % (found, seen, seen, p["count"]),
             "5 * 77 + 1")
    t.f("end block")


def cancel_taskgroup(n, t):
    p = n.p
    i = p["name"] + "i"
    found, seen = seen_and_found(t, p, "integer :: " + i)
    t.f("!$omp taskgroup")
    for number in range(p["before"]):
        t.f("!$omp task shared(%s)" % seen)
        add_text(t, p["k"], "%d_8" % (number + 3), str(number + 3))
        t.f("!$omp end task")
    if p["before"]:
        t.f("!$omp taskwait")
    t.f("!$omp task shared(%s)" % found, "!$omp atomic write", "%s = 5" % found, "!$omp cancel taskgroup")
    not_cancelled(t, p["k"])
    t.f("!$omp end task", "do %s = 0, %d" % (i, p["count"] - 1), "!$omp task shared(%s)" % seen,
        "!$omp cancellation point taskgroup", "!$omp atomic", "%s = %s + 1" % (seen, seen), "!$omp end task",
        "end do", "!$omp end taskgroup")
    # The cancelling task itself may be discarded only by itself: it always starts.
    add_text(t, p["k"], "%s * 77 + merge(1_8, 0_8, %s <= %d)" % (found, seen, p["count"]), "5 * 77 + 1")
    t.f("end block")
