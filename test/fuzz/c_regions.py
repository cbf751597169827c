"""C and C++ writers of plain statements, queries, parallel regions and the constructs that are not loops in them.

tree.py has the idea of a writer, c_base.py and writers.py what they share."""

from c_base import add, add_text, clauses, declare, finish, reductions, shared_of, writer
from tree import in_c, in_python
from writers import QUERIES, enter_team, once, once_in_team, size_clause


@writer("add")
def w_add(n, t):
    add(t, n.p["k"], n.p["e"], n.p["how"])


@writer("query")
def w_query(n, t):
    q = n.p["q"]
    add_text(t, n.p["k"], "U(%s) * %dULL" % (q, n.p["m"]), "%s * %d" % (QUERIES[q], n.p["m"]))


@writer("repeat")
def w_repeat(n, t):
    v = n.p["name"]
    t.c("for (int %s = 0; %s < %d; %s++) {" % (v, v, n.p["count"], v))
    t.p("for %s in range(%d):" % (v, n.p["count"]))
    t.block(n.blocks[0])
    t.out()
    t.c("}")


@writer("when")
def w_when(n, t):
    e = n.p["e"]
    t.c("if (%s & 1) {" % in_c(e))
    t.p("if %s & 1:" % in_python(e))
    t.block(n.blocks[0])
    t.out()
    t.c("}")


@writer("parallel")
def w_parallel(n, t):
    p = n.p
    reds = reductions(n)
    more, last = shared_of(n.blocks[0])
    t.c("{")
    declare(t, reds + more, last)
    head = "#pragma omp parallel"
    if p["how"] == "icv":
        t.c("int old%s = omp_get_max_threads();" % p["t"], "omp_set_num_threads(%d);" % p["n"])
    elif p["how"] == "expression":
        head += " num_threads((int)(1 + (%s & 3)))" % in_c(p["e"])
    elif p["n"]:
        head += " num_threads(%d)" % p["n"]
    if p.get("if"):
        head += " if(%s & 1)" % in_c(p["if"])
    head += "".join(r.clause() for r in reds) + clauses(n)
    if p.get("private"):
        name, _, e = p["private"]
        t.c("u64 %s = %s;" % (name, in_c(e)))
        t.p("%s0 = %s" % (name, in_python(e)))
        head += " firstprivate(%s)" % name
    t.c(head, "{", "int %s = omp_get_thread_num();" % p["t"], "(void)%s;" % p["t"])
    enter_team(n, t)
    if p.get("private"):
        t.p("%s = %s0" % (name, name))
        if p["sized"]:
            t.c("%s += %s;" % (name, p["t"]))
            t.p("%s += %s" % (name, p["t"]))
    for r in reds:
        r.step(t)
    t.block(n.blocks[0])
    t.c("}")
    t.out()
    if p["how"] == "icv":
        t.c("omp_set_num_threads(old%s);" % p["t"])
    finish(t, reds + more, last)
    t.c("}")


@writer("barrier")
def w_barrier(_n, t):
    t.c("#pragma omp barrier")


@writer("single")
def w_single(n, t):
    once(n, t)
    t.c("#pragma omp single" + clauses(n), "{")
    t.block(n.blocks[0])
    t.c("}")
    t.out()


@writer("masked")
def w_masked(n, t):
    who = n.p["filter"]
    t.c("#pragma omp " + ("master" if who is None else "masked filter(%d)" % who), "{")
    t.p("if %s == %d:" % (n.p["t"], who or 0))
    t.block(n.blocks[0])
    t.c("}")
    t.out()


@writer("copyprivate")
def w_copyprivate(n, t):
    v = n.p["name"]
    t.c("{", "u64 %s = 0, %sb[5] = {0};" % (v, v), "#pragma omp single copyprivate(%s, %sb)" % (v, v), "{",
        "%s = %s;" % (v, in_c(n.p["e"])), "%sb[4] = %s + 1;" % (v, v), "}")
    t.p("%s = %s" % (v, in_python(n.p["e"])))
    add_text(t, n.p["k"], "%s * 3 + %sb[4]" % (v, v), "%s * 3 + %s + 1" % (v, v))
    t.c("}")


@writer("sections")
def w_sections(n, t):
    """Binds to the enclosing region, or is a parallel region of its own (p["t"] is None)."""
    p = n.p
    reds = reductions(n)
    t.c("{")
    if p["t"]:
        once(n, t)
        t.c("#pragma omp sections" + "".join(r.clause() for r in reds) + clauses(n), "{")
    else:
        declare(t, reds, [])
        t.c("#pragma omp parallel sections" + size_clause(n) + "".join(r.clause() for r in reds) + clauses(n), "{")
        once_in_team(n, t)
    for block in n.blocks:
        t.c("#pragma omp section", "{")
        for r in reds:
            r.step(t)
        t.block(block)
        t.c("}")
    t.c("}")
    t.out(1 if p["t"] else 2)
    if not p["t"]:
        finish(t, reds, [])
    t.c("}")


@writer("scope")
def w_scope(n, t):
    reds = reductions(n)
    t.c("#pragma omp scope" + "".join(r.clause() for r in reds) + clauses(n), "{")
    for r in reds:
        r.step(t)
    t.block(n.blocks[0])
    t.c("}")


@writer("exchange")
def w_exchange(n, t):
    """Each thread reads what another one wrote before the barrier."""
    p = n.p
    v, w = p["name"], p["name"] + "t"
    t.c("{", "u64 %s[64];" % v, "#pragma omp parallel" + size_clause(n) + clauses(n), "{",
        "int %s = omp_get_thread_num(), %ss = omp_get_num_threads();" % (w, v),
        "for (int %sr = 0; %sr < %d; %sr++) {" % (v, v, p["rounds"], v),
        "%s[%s] = U(%s) * %dULL + %sr;" % (v, w, w, p["m"], v), "#pragma omp barrier")
    t.p("for %s in S.parallel(%d):" % (w, p["n"]), "for %sr in range(%d):" % (v, p["rounds"]))
    add_text(t, p["k"], "%s[(%s + 1 + %sr) %% %ss]" % (v, w, v, v),
             "((%s + 1 + %sr) %% S.size()) * %d + %sr" % (w, v, p["m"], v))
    t.c("#pragma omp barrier", "}", "}", "}")
    t.out(2)


@writer("copyin")
def w_copyin(n, t):
    """A threadprivate variable is copied in, changed by each thread and kept for the next region, where that holds."""
    p = n.p
    v, w = p["name"], p["name"] + "t"
    head = "#pragma omp parallel" + size_clause(n)
    t.c("{", "tp = %s;" % in_c(p["e"]), head + " copyin(tp)" + clauses(n), "{",
        "int %s = omp_get_thread_num();" % w)
    t.p("%s = %s" % (v, in_python(p["e"])), "for %s in S.parallel(%d):" % (w, p["n"]))
    add_text(t, p["k"], "tp + %s" % w, "%s + %s" % (v, w))
    t.c("tp += U(%s) * %d;" % (w, p["m"]), "}")
    t.out()
    if p["kept"]:
        t.c(head, "{", "int %s = omp_get_thread_num();" % w)
        t.p("for %s in S.parallel(%d):" % (w, p["n"]))
        add_text(t, p["k2"], "tp * %dULL" % p["m"], "(%s + %s * %d) * %d" % (v, w, p["m"], p["m"]))
        t.c("}")
        t.out()
    t.c("}")
