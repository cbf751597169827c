"""C and C++ writers of tasks, taskgroups, dependences, events and cancellation.

tree.py has the idea of a writer, c_base.py and writers.py what they share."""

from c_base import add_text, clauses, declare, finish, reductions, writer
from tree import in_c, in_python
from writers import size_clause


@writer("task")
def w_task(n, t):
    p = n.p
    private = p.get("private")
    head = "#pragma omp task" + clauses(n)
    t.c("{")
    if private:
        name, kind, e = private
        if kind == "u64":
            t.c("u64 %s = %s;" % (name, in_c(e)))
            use, spoil = name, "%s = 99;" % name
        elif kind == "Sum" and t.language == "c++":
            t.c("Sum %s(%s);" % (name, in_c(e)))
            use, spoil = name + ".v", "%s.v = 99;" % name
        else:
            kind = "big" if kind == "Sum" else kind
            t.c("struct %s %s;" % (kind, name), "memset(&%s, 0, sizeof %s);" % (name, name),
                "%s.x[7] = %s;" % (name, in_c(e)))
            use, spoil = name + ".x[7]", "%s.x[7] = 99;" % name
        head += " firstprivate(%s)" % name
        t.p("%s = %s" % (name, in_python(e)))
    if p.get("if"):
        head += " if(%s & 1)" % in_c(p["if"])
    t.c(head, "{")
    t.block(n.blocks[0])
    if private:
        if kind == "aligned":
            t.c("if ((size_t)&%s %% 64 != 0)" % name, "    add(0, 1);")
        add_text(t, 0, use, name)
        t.c(spoil)
    t.c("}")
    if private:
        t.c(spoil)
    t.c("}")


@writer("included")
def w_included(n, t):
    """A final task: its descendants are included tasks."""
    t.c("#pragma omp task final(1)" + clauses(n), "{")
    add_text(t, n.p["k"], "U(omp_in_final())", "1")
    t.block(n.blocks[0])
    t.c("}")


@writer("taskwait")
def w_taskwait(_n, t):
    t.c("#pragma omp taskwait")


@writer("taskyield")
def w_taskyield(_n, t):
    t.c("#pragma omp taskyield")


@writer("taskgroup")
def w_taskgroup(n, t):
    reds = reductions(n)
    t.c("{")
    declare(t, reds, [])
    t.c("#pragma omp taskgroup" + "".join(r.clause("task_reduction") for r in reds), "{")
    t.block(n.blocks[0])
    for number_ in range(n.p.get("tasks", 0)):
        for r in reds:
            t.c("#pragma omp task" + r.clause("in_reduction") + clauses(n), "{")
            r.step(t)
            if number_ % 2 == 1:
                t.c("#pragma omp task" + r.clause("in_reduction"))
                r.step(t)
            t.c("}")
    t.c("}")
    finish(t, reds, [])
    t.c("}")


@writer("depend")
def w_depend(n, t):
    """Tasks that depend on each other by elements of an array: all of them together compute what they would one after
    the other."""
    p = n.p
    x = p["name"]
    t.c("{", "u64 %s[4] = {1, 2, 3, 4};" % x, "#pragma omp taskgroup", "{")
    t.p("%s = [1, 2, 3, 4]" % x)
    for step in n.blocks[0]:
        w_dep(step, t, x)
    t.c("}")
    sum_ = " + ".join("%s[%d] * %d" % (x, i, 2 * i + 1) for i in range(4))
    add_text(t, p["k"], sum_, sum_)
    t.c("}")


def w_dep(n, t, x):
    p = n.p
    a, b, e = "%s[%d]" % (x, p["a"]), "%s[%d]" % (x, p["b"]), p["e"]
    c, m = in_c(e), in_python(e)
    head = "#pragma omp task shared(%s)" % x + clauses(n)
    how = p["how"]
    if how == "inout":
        t.c(head + " depend(inout: %s) depend(in: %s)" % (a, b), "{", "%s = %s * 3 + %s + %s;" % (a, a, b, c))
        t.p("%s = %s * 3 + %s + %s" % (a, a, b, m))
    elif how == "out":
        t.c(head + " depend(out: %s)" % a, "{", "%s = %s;" % (a, c))
        t.p("%s = %s" % (a, m))
    elif how == "in":
        t.c(head + " depend(in: %s, %s)" % (a, b), "{")
        add_text(t, p["k"], "%s * 5 + %s" % (a, b), "%s * 5 + %s" % (a, b))
    elif how == "mutexinoutset":
        t.c(head + " depend(mutexinoutset: %s)" % a, "{", "%s += %s;" % (a, c))
        t.p("%s += %s" % (a, m))
    elif how == "two mutexes":
        t.c(head + " depend(mutexinoutset: %s, %s)" % (a, b), "{", "%s += %s;" % (a, c), "%s += 3;" % b)
        t.p("%s += %s" % (a, m), "%s += 3" % b)
    elif how == "inoutset":
        t.c(head + " depend(inoutset: %s)" % a, "{", "#pragma omp atomic", "%s += %s;" % (a, c))
        t.p("%s += %s" % (a, m))
    elif how == "iterator":
        t.c(head + " depend(iterator(int q = 0 : 4), in: %s[q])" % x, "{")
        add_text(t, p["k"], "%s[0] + %s[3]" % (x, x), "%s[0] + %s[3]" % (x, x))
    elif how == "iterator out":
        t.c(head + " depend(iterator(int q = 3 : -1 : -2), inout: %s[q])" % x, "{",
            "%s[1] = %s[3] * 3 + %s;" % (x, x, c), "%s[3] += 9;" % x)
        t.p("%s[1] = %s[3] * 3 + %s" % (x, x, m), "%s[3] += 9" % x)
    elif how == "depobj":
        t.c("{", "omp_depend_t d;", "#pragma omp depobj(d) depend(in: %s)" % a, "#pragma omp depobj(d) update(inout)",
            head + " depend(depobj: d)", "{", "%s = %s * 7 + %s;" % (a, a, c))
        t.p("%s = %s * 7 + %s" % (a, a, m))
    elif how == "taskwait":
        t.c("#pragma omp taskwait depend(in: %s)" % a)
        add_text(t, p["k"], a + " * 11", a + " * 11")
        return
    else:  # undeferred
        t.c(head + " if(0) depend(inout: %s)" % a, "{", "%s ^= %s;" % (a, c))
        t.p("%s ^= %s" % (a, m))
    t.block(n.blocks[0])
    t.c("}")
    if how == "depobj":
        t.c("#pragma omp depobj(d) destroy", "}")


@writer("detach")
def w_detach(n, t):
    p = n.p
    v, c, m = p["name"], in_c(p["e"]), in_python(p["e"])
    who = p["who"]
    t.c("{", "u64 %s = 1;" % v, "omp_event_handle_t %se;" % v,
        "#pragma omp task shared(%s) depend(out: %s) detach(%se)%s" % (v, v, v, clauses(n)), "{", "%s = %s;" % (v, c))
    t.p("%s = %s" % (v, m))
    t.block(n.blocks[0])
    if who == "itself":
        t.c("omp_fulfill_event(%se);" % v)
    t.c("}")
    if who == "first":
        t.c("omp_fulfill_event(%se);" % v)
    if who == "task":
        t.c("#pragma omp task firstprivate(%se)" % v, "omp_fulfill_event(%se);" % v)
    t.c("#pragma omp task shared(%s) depend(in: %s)" % (v, v), "{")
    add_text(t, p["k"], v, v)
    t.c("}")
    if who == "creator":
        t.c("omp_fulfill_event(%se);" % v)
    t.c("#pragma omp taskwait", "}")


# ------------------------------------------------------------------------------------------------------------
# Cancellation. After what cancels, and after what waits for that, nothing runs; the model has OMP_CANCELLATION.


@writer("cancel")
def w_cancel(n, t):
    hows = {"parallel": cancel_parallel, "for": cancel_for, "sections": cancel_sections, "taskgroup": cancel_taskgroup}
    hows[n.p["how"]](n, t)


def not_cancelled(t, k, more=""):
    t.p("if not S.cancellation%s:" % more)
    add_text(t, k, "1000", "1000")
    t.out()


def cancel_parallel(n, t):
    p = n.p
    i = p["name"] + "i"
    t.c("{", "#pragma omp parallel" + size_clause(n), "{", "int %s = omp_get_thread_num();" % i)
    t.p("for %s in S.parallel(%d):" % (i, p["n"]))
    add_text(t, p["k"], "U(%s) + 5" % i, "%s + 5" % i)
    t.c("#pragma omp barrier", "if (%s == 0) {" % i, "#pragma omp cancel parallel", "}", "#pragma omp barrier")
    not_cancelled(t, p["k"])
    t.out()
    t.c("}", "}")


def seen_and_found(t, p):
    """Opens the block of a cancellation with the two numbers in which its end shows."""
    found, seen = p["name"] + "f", p["name"] + "s"
    t.c("{", "u64 %s = 0, %s = 0;" % (found, seen))
    return found, seen


def cancel_for(n, t):
    p = n.p
    i = p["name"] + "i"
    found, seen = seen_and_found(t, p)
    t.c("#pragma omp parallel for" + size_clause(n) + clauses(n),
        "for (int %s = 0; %s < %d; %s++) {" % (i, i, p["count"], i), "#pragma omp atomic", "%s += 1;" % seen,
        "if (%s == %d) {" % (i, p["which"]), "#pragma omp atomic write", "%s = %s + 1;" % (found, i),
        "#pragma omp cancel for%s" % (" if(%d)" % p["if"] if p["if"] is not None else ""))
    not_cancelled(t, p["k"], " or %s" % (p["if"] == 0))
    t.c("}", "#pragma omp cancellation point for", "}")
    add_text(t, p["k"], "%s * 77 + (%s >= 1 && %s <= %d)" % (found, seen, seen, p["count"]),
             "%d * 77 + 1" % (p["which"] + 1))
    t.c("}")


def cancel_sections(n, t):
    p = n.p
    found, seen = seen_and_found(t, p)
    t.c("#pragma omp parallel sections" + size_clause(n), "{")
    for number in range(p["count"]):
        t.c("#pragma omp section", "{", "#pragma omp atomic", "%s += 1;" % seen)
        if number == p["which"]:
            t.c("#pragma omp atomic write", "%s = 5;" % found, "#pragma omp cancel sections")
            not_cancelled(t, p["k"])
        else:
            t.c("#pragma omp cancellation point sections")
        t.c("}")
    t.c("}")
    add_text(t, p["k"], "%s * 77 + (%s >= 1 && %s <= %d)" % (found, seen, seen, p["count"]), "5 * 77 + 1")
    t.c("}")


def cancel_taskgroup(n, t):
    p = n.p
    i = p["name"] + "i"
    found, seen = seen_and_found(t, p)
    t.c("#pragma omp taskgroup", "{")
    for number in range(p["before"]):
        t.c("#pragma omp task shared(%s)" % seen, "{")
        add_text(t, p["k"], str(number + 3), str(number + 3))
        t.c("}")
    if p["before"]:
        t.c("#pragma omp taskwait")
    t.c("#pragma omp task shared(%s)" % found, "{", "#pragma omp atomic write", "%s = 5;" % found,
        "#pragma omp cancel taskgroup")
    not_cancelled(t, p["k"])
    t.c("}")
    t.c("for (int %s = 0; %s < %d; %s++) {" % (i, i, p["count"], i),
        "#pragma omp task shared(%s)" % seen, "{", "#pragma omp cancellation point taskgroup",
        "#pragma omp atomic", "%s += 1;" % seen, "}", "}", "}")
    # The cancelling task itself may be discarded only by itself: it always starts.
    add_text(t, p["k"], "%s * 77 + (%s <= %d)" % (found, seen, p["count"]), "5 * 77 + 1")
    t.c("}")
