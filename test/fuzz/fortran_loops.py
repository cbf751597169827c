"""Fortran writers of loops, ordered and doacross loops, scans, atomic operations and locks.

Each is the Fortran of the writer of the same kind in c_loops.py. fortran_base.py and writers.py have what they share.
"""

from fortran_base import (INTEGERS, add_text, block, clauses, declare, end_of, finish, in_fortran, literal, odd,
                          reductions, writer)
from tree import in_python
from writers import axis_model, neighbours, once, once_in_team, row, size_clause

# Of loop variables: the generator's names and the numbers that they hold.
TYPES = {"int": (-(1 << 31), (1 << 31) - 1), "short": (-(1 << 15), (1 << 15) - 1), "char": (-(1 << 7), (1 << 7) - 1),
         "i64": (-(1 << 63), (1 << 63) - 1)}
KINDS = dict({name: INTEGERS.get(name, 1) for name in TYPES})
OPAQUE = {"int": "opaque_int", "short": "opaque_short", "char": "opaque_char", "i64": "opaque_i64"}


def last_of(a):
    """The first and the last number of a Fortran loop with this axis: `do` has an inclusive end and no conditions."""
    _, kind, first, condition, bound, step, _, _ = a
    sign = 1 if step > 0 else -1
    last = bound - {"<": 1, ">": -1, "!=": sign}.get(condition, 0)
    least, most = TYPES[kind]
    if (last - first) * sign < 0:  # no iteration; gfortran computes the distance in the loop's type
        if not least < first < most:
            first += sign if first == (least if sign > 0 else most) else 0
        last = max(last, first - 5, least) if sign > 0 else min(last, first + 5, most)
    return first, last


def axis_texts(a):
    """The do statement, the declaration of its variable and the model's loop."""
    name, kind, _, _, _, step, opaque, _ = a
    size = KINDS[kind]
    f_first, f_last = last_of(a)

    def number(value):
        text = literal(value, size)
        return "%s(%s)" % (OPAQUE[kind], text) if opaque else text

    do = "do %s = %s, %s" % (name, number(f_first), number(f_last))
    if step != 1:
        do += ", " + literal(step, size)
    return do, "integer(%d) :: %s" % (size, name), axis_model(a)


@writer("loop")
def w_loop(n, t):
    """Every construct that shares the iterations of a loop nest: p["how"] is its directive in C."""
    p = n.p
    how, axes = p["how"], p["axes"]
    reds, last = reductions(n), p.get("last", [])
    binds = bool(p.get("shared"))
    texts = [axis_texts(a) for a in axes]
    declare(t, [] if binds else reds, [] if binds else last, *[declaration for _, declaration, _ in texts])
    modifier = "task, " if p.get("task_modifier") else ""
    name = " ".join("do" if word == "for" else word for word in how.split())
    head = "!$omp " + name + ("" if not p.get("n") else " num_threads(%d)" % p["n"])
    if len(axes) > 1:
        head += " collapse(%d)" % len(axes)
    head += "".join(r.clause(modifier=modifier) for r in reds)
    head += "".join(" lastprivate(%s)" % v for v, _, _ in last)
    t.f(head + clauses(n))
    depth = len(axes)
    if binds:
        once(n, t)
        depth += 1
    elif how.startswith("parallel") or how.startswith("target parallel"):
        depth += once_in_team(n, t)
    for do, _, model in texts:
        t.f(do)
        t.p(model)
    for r in reds:
        if modifier:
            t.f("!$omp task" + r.clause("in_reduction"))
        r.step(t)
        if modifier:
            t.f("!$omp end task")
    for v, _, e in last:
        t.f("%s = %s" % (v, in_fortran(e)))
        t.p("%s = %s" % (v, in_python(e)))
    t.block(n.blocks[0])
    t.out(depth)
    t.f(*["end do"] * len(axes) + ["!$omp end " + name + end_of(n)])
    finish(t, [] if binds else reds, [] if binds else last)


@writer("ordered")
def w_ordered(n, t):
    """A loop with an ordered region, whose hash depends on the order."""
    p = n.p
    h = p["name"]
    do, declaration, model = axis_texts(p["axis"])
    name = "do" if p["t"] else "parallel do"
    block(t, declaration, *[] if p["t"] else ["integer(8) :: " + h])
    if p["t"]:
        t.f("!$omp do ordered" + clauses(n))
        once(n, t)
    else:
        t.f("%s = 11" % h, "!$omp parallel do ordered" + size_clause(n) + clauses(n))
        t.p("%s = 11" % h, "if 1:")
    t.f(do)
    t.p(model)
    t.block(n.blocks[0])
    if p.get("some"):
        t.f("if (%s) then" % odd(p["some"]))
        t.p("if %s & 1:" % in_python(p["some"]))
    t.f("!$omp ordered", "%s = %s * 31 + %s" % (h, h, in_fortran(p["e"])), "!$omp end ordered")
    t.p("%s = (%s * 31 + %s) & M" % (h, h, in_python(p["e"])))
    if p.get("some"):
        t.f("end if")
        t.out()
    t.block(n.blocks[1])
    t.f("end do", "!$omp end " + name)
    t.out(2)
    if not p["t"]:
        add_text(t, p["k"], h, h)
    t.f("end block")


@writer("doacross")
def w_doacross(n, t):
    p = n.p
    v, s, count, top = p["name"], p["step"], p["count"], max(p["distances"])
    i, w, q = v + "i", v + "w", v + "q"
    kind, first = p["type"], p["first"]
    do, declaration, _ = axis_texts((i, kind, first, "<" if s > 0 else ">", first + s * count, s, False, 3))
    block(t, declaration, "integer(8) :: %s(0:%d)" % (w, count + top))
    t.f("%s = 0" % w, "%s(0) = 1" % w, "!$omp parallel do ordered(1)" + size_clause(n) + clauses(n), do)
    block(t, "integer :: " + q)
    t.f("%s = int((%s - %s) / %s)" % (q, i, literal(first, KINDS[kind]), literal(s, KINDS[kind])))
    t.p("%s = [1] + [0] * %d" % (w, count + top), "for %s in range(%d):" % (q, count),
        "%s = %d + %s * %d" % (i, first, q, s))
    t.block(n.blocks[0])
    sinks = " ".join("depend(sink: %s %s %d)" % (i, "-" if s > 0 else "+", d * abs(s)) for d in p["distances"])
    t.f("!$omp ordered " + sinks, "%s = %s + %s" % (row(p, "()") + (in_fortran(p["e"]),)),
        "!$omp ordered depend(source)")
    t.p("%s = (%s + %s) & M" % (row(p) + (in_python(p["e"]),)))
    t.block(n.blocks[1])
    t.f("end block", "end do", "!$omp end parallel do")
    t.out()
    add_text(t, p["k"], "%s(%d)" % (w, count + top - 1), "%s[%d]" % (w, count + top - 1))
    t.f("end block")


@writer("doacross2")
def w_doacross2(n, t):
    p = n.p
    v, a, b = p["name"], p["rows"], p["columns"]
    i, j, w = v + "i", v + "j", v + "w"
    block(t, "integer :: %s, %s" % (i, j), "integer(8) :: %s(0:%d, 0:%d)" % (w, a, b))
    t.f("%s = 0" % w, "%s(0, 0) = 3" % w,
        "!$omp parallel do ordered(2)%s" % (" collapse(2)" if p["collapse"] else "") + size_clause(n) + clauses(n),
        "do %s = 0, %d" % (i, a - 1), "do %s = 0, %d" % (j, b - 1))
    t.p("%s = [[0] * %d for _ in range(%d)]" % (w, b + 1, a + 1), "%s[0][0] = 3" % w,
        "for %s in range(%d):" % (i, a), "for %s in range(%d):" % (j, b))
    t.block(n.blocks[0])
    t.f("!$omp ordered depend(sink: %s - 1, %s) depend(sink: %s, %s - 1) depend(sink: %s - 1, %s - 1)" %
        (i, j, i, j, i, j),
        "%s = %s + %s" % (neighbours(p, "%s(%s, %s)") + (in_fortran(p["e"]),)), "!$omp ordered depend(source)")
    t.p("%s = M & (%s + %s)" % (neighbours(p) + (in_python(p["e"]),)))
    t.f("end do", "end do", "!$omp end parallel do")
    t.out(2)
    add_text(t, p["k"], "%s(%d, %d)" % (w, a, b), "%s[%d][%d]" % (w, a, b))
    t.f("end block")


@writer("scan")
def w_scan(n, t):
    p = n.p
    v, count = p["name"], p["count"]
    r, i, y = v + "r", v + "i", v + "y"
    block(t, "integer(8) :: %s, %s(0:%d)" % (r, y, count), "integer :: " + i)
    t.f("%s = %d" % (r, p["initial"]),
        "!$omp parallel do reduction(inscan, + : %s)" % r + size_clause(n) + clauses(n),
        "do %s = 0, %d" % (i, count - 1))
    t.p("%s = %d" % (r, p["initial"]), "%s = [0] * %d" % (y, count + 1), "for %s in range(%d):" % (i, count))
    step, keep = "%s = %s + %s" % (r, r, in_fortran(p["e"])), "%s(%s) = %s" % (y, i, r)
    m_step, m_keep = "%s += %s" % (r, in_python(p["e"])), "%s[%s] = %s" % (y, i, r)
    if p["inclusive"]:
        t.f(step, "!$omp scan inclusive(%s)" % r, keep)
        t.p(m_step, m_keep)
    else:
        t.f(keep, "!$omp scan exclusive(%s)" % r, step)
        t.p(m_keep, m_step)
    t.f("end do", "!$omp end parallel do", "do %s = 0, %d" % (i, count - 1))
    t.out()
    t.p("for %s in range(%d):" % (i, count))
    add_text(t, p["k"], "%s(%s) * (%s + 1)" % (y, i, i), "%s[%s] * (%s + 1)" % (y, i, i))
    t.f("end do")
    t.out()
    add_text(t, p["k"], r, r)
    t.f("end block")


@writer("schedule")
def w_schedule(n, t):
    """omp_set_schedule for loops with schedule(runtime) inside, and what omp_get_schedule says then."""
    p = n.p
    v = p["name"]
    sched = p["sched"]
    if " | " in sched:  # gfortran's omp_lib lacks omp_sched_monotonic
        sched = "ior(%s, int(z'80000000', omp_sched_kind))" % sched.split(" | ")[0]
    block(t, "integer(omp_sched_kind) :: %ss, %so" % (v, v), "integer :: %sc, %sd" % (v, v))
    t.f("call omp_get_schedule(%so, %sd)" % (v, v), "call omp_set_schedule(%s, %d)" % (sched, p["chunk"]),
        "call omp_get_schedule(%ss, %sc)" % (v, v))
    add_text(t, p["k"], "int(%sc, 8)" % v, str(p["chunk"]))
    t.block(n.blocks[0])
    t.f("call omp_set_schedule(%so, %sd)" % (v, v), "end block")


# ------------------------------------------------------------------------------------------------------------
# Atomic operations and locks

ATOMIC_STEPS = {
    # kind: (type, start, statements with X the variable, V a private integer(8), E the value; the model, the result)
    "add": ("integer(8)", "3", ["!$omp atomic update", "X = X + E"], ["X += E"]),
    "float": ("real(4)", "3", ["!$omp atomic", "X = X + real(iand(E, 15_8), 4)"], ["X += E & 15"]),
    "double": ("real(8)", "3", ["!$omp atomic seq_cst", "X = real(iand(E, 1023_8), 8) + X"], ["X += E & 1023"]),
    "real10": ("real(10)", "3", ["!$omp atomic", "X = X - real(iand(E, 1023_8), 10)"], ["X -= E & 1023"]),
    "char": ("integer(1)", "3", ["!$omp atomic", "X = X + int(E, 1)"], ["X = S.sign(X + E, 8)"]),
    "multiply": ("integer(4)", "3", ["!$omp atomic relaxed", "X = X * int(ior(E, 1_8), 4)"],
                 ["X = S.sign(X * (E | 1), 32)"]),
    "ieor": ("integer(2)", "3", ["!$omp atomic", "X = ieor(X, int(E, 2))"], ["X = S.sign(X ^ E, 16)"]),
    "ior": ("integer(8)", "3", ["!$omp atomic", "X = ior(E, X)"], ["X |= E"]),
    "iand": ("integer(8)", "-1", ["!$omp atomic", "X = iand(X, ior(E, 65280_8))"], ["X &= E | 0xff00"]),
    "subtract": ("integer(4)", "3", ["!$omp atomic acq_rel", "X = X - int(iand(E, 1023_8), 4)"], ["X -= E & 1023"]),
    "max": ("integer(8)", "3", ["!$omp atomic", "X = max(X, E)"], ["X = max(X, S.sign(E))"]),
    "min": ("integer(8)", "3", ["!$omp atomic", "X = min(E, X)"], ["X = min(X, S.sign(E))"]),
    "max real": ("real(8)", "3", ["!$omp atomic", "X = max(X, real(iand(E, 1023_8), 8))"], ["X = max(X, E & 1023)"]),
    "and": ("logical", ".true.", ["!$omp atomic", "X = X .and. (iand(E, 63_8) /= 7)"],
            ["X = int(bool(X) and (E & 63) != 7)"]),
    "or": ("logical", ".false.", ["!$omp atomic", "X = X .or. (iand(E, 63_8) == 7)"],
           ["X = int(bool(X) or (E & 63) == 7)"]),
    "eqv": ("logical(1)", ".true.", ["!$omp atomic", "X = X .eqv. (iand(E, 1_8) == 1)"], ["X = int(X == (E & 1))"]),
    "neqv": ("logical(8)", ".true.", ["!$omp atomic", "X = X .neqv. (iand(E, 1_8) == 1)"], ["X = int(X != (E & 1))"]),
    "old": ("integer(8)", "3", ["!$omp atomic capture", "V = X", "X = X + 1", "!$omp end atomic"],
            ["V = X", "X += 1"]),
    "new": ("integer(8)", "3", ["!$omp atomic capture seq_cst", "X = X + 5", "V = X", "!$omp end atomic"],
            ["X += 5", "V = X"]),
    "real10 capture": ("real(10)", "3", ["!$omp atomic capture", "X = X + 3", "VR = X", "!$omp end atomic",
                                         "V = int(VR, 8)"], ["X += 3", "V = X"]),
    "write": ("integer(8)", "3", ["!$omp atomic write", "X = 12345", "!$omp atomic read", "V = X"], ["X = V = 12345"]),
}


@writer("atomics")
def w_atomics(n, t):
    """A parallel loop whose iterations do one operation of each kind; also what they capture is added up."""
    p = n.p
    v = p["name"]
    i, e = v + "i", p["e"]
    used = [("%sx%d" % (v, number),) + ATOMIC_STEPS[kind] for number, kind in enumerate(p["items"])]
    block(t, "integer :: " + i, *["%s :: %s" % (kind, x) for x, kind, _, _, _ in used])
    for x, _, start, _, _ in used:
        t.f("%s = %s" % (x, start))
        t.p("%s = %s" % (x, {".true.": "1", ".false.": "0"}.get(start, start)))
    t.f("!$omp parallel do" + size_clause(n) + clauses(n), "do %s = 0, %d" % (i, p["count"] - 1))
    t.p("for %s in range(%d):" % (i, p["count"]))
    for x, _, _, steps, model in used:
        captures = "V" in "".join(steps)
        if captures:
            block(t, "integer(8) :: %sv" % v, "real(10) :: %svr" % v)
        for s in steps:
            t.f(s if s.startswith("!") else s.replace("X", x).replace("V", v + "v").replace("R", "r")
                .replace("E", in_fortran(e)))
        for m in model:
            t.p(m.replace("X", x).replace("V", v + "v").replace("E", "(%s)" % in_python(e)))
        if captures:
            add_text(t, p["k"], v + "v", v + "v")
            t.f("end block")
    t.f("end do", "!$omp end parallel do")
    t.out()
    for x, kind, _, _, _ in used:
        add_text(t, p["k"], ("merge(1_8, 0_8, %s)" if kind.startswith("logical") else "int(%s, 8)") % x, x)
    t.f("end block")


@writer("locks")
def w_locks(n, t):
    p = n.p
    v = p["name"]
    i, lock = v + "i", v + "l"
    short = "nest_lock" if p["nest"] else "lock"
    block(t, "integer(8) :: " + v, "integer(omp_%s_kind) :: %s" % (short, lock), "integer :: " + i)
    t.f("%s = 1" % v, "call omp_init_%s(%s)" % (short, lock),
        "!$omp parallel do" + size_clause(n) + clauses(n), "do %s = 0, %d" % (i, p["count"] - 1))
    t.p("%s = 1" % v, "for %s in range(%d):" % (i, p["count"]))
    if p["tasks"]:
        t.f("!$omp task shared(%s, %s)" % (v, lock))
    if p["test"]:
        refused = "omp_test_nest_lock(%s) == 0" if p["nest"] else ".not. omp_test_lock(%s)"
        t.f("do while (%s)" % (refused % lock))
        if p["tasks"] == 2:
            t.f("!$omp taskyield")
        t.f("end do")
    else:
        t.f("call omp_set_%s(%s)" % (short, lock))
    if p["nest"]:
        t.f("%s = %s + omp_test_nest_lock(%s)" % (v, v, lock), "call omp_set_nest_lock(%s)" % lock)
        t.p("%s += 2" % v)
    t.f("%s = %s + %s" % (v, v, in_fortran(p["e"])))
    t.p("%s += %s" % (v, in_python(p["e"])))
    t.f(*["call omp_unset_%s(%s)" % (short, lock)] * (3 if p["nest"] else 1))
    if p["tasks"]:
        t.f("!$omp end task")
    t.f("end do", "!$omp end parallel do", "call omp_destroy_%s(%s)" % (short, lock))
    t.out()
    add_text(t, p["k"], v, v)
    t.f("end block")
