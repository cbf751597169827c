"""C and C++ writers of loops, ordered and doacross loops, scans, atomic operations and locks.

tree.py has the idea of a writer, c_base.py and writers.py what they share."""

from c_base import add_text, clauses, declare, finish, reductions, writer
from tree import in_c, in_python
from writers import axis_model, neighbours, once, once_in_team, row, size_clause

TYPES = {
    "int": (-(1 << 31), (1 << 31) - 1),
    "short": (-(1 << 15), (1 << 15) - 1),
    "unsigned": (0, (1 << 32) - 1),
    "i64": (-(1 << 63), (1 << 63) - 1),
    "u64": (0, (1 << 64) - 1),
}
OPAQUE = {"int": "opaque_int", "short": "opaque_int", "unsigned": "opaque_unsigned", "i64": "opaque_i64",
          "u64": "opaque_u64"}


def number(value, kind, opaque=False):
    if kind in ("int", "short"):
        text = "(-2147483647 - 1)" if value == -(1 << 31) else str(value)
    elif kind == "unsigned":
        text = "%dU" % value
    elif kind == "u64":
        text = "%dULL" % value
    else:
        text = "(-9223372036854775807LL - 1)" if value == -(1 << 63) else "%dLL" % value
    return "%s(%s)" % (OPAQUE[kind], text) if opaque else text


def axis_texts(a):
    """for (...) of one loop, and the model's loop."""
    name, kind, first, condition, bound, step, opaque, style = a
    end = "%s + %d" % bound if isinstance(bound, tuple) else number(bound, kind, opaque)
    size = number(abs(step), kind)
    sign = "+" if step > 0 else "-"
    if abs(step) == 1 and style < 2:
        change = name + sign * 2 if style == 0 else sign * 2 + name
    else:
        change = "%s %s= %s" % (name, sign, size) if style != 2 else "%s = %s %s %s" % (name, name, sign, size)
    c = "for (%s %s = %s; %s %s %s; %s)" % (kind, name, number(first, kind, opaque), name, condition, end, change)
    return c, axis_model(a)


@writer("loop")
def w_loop(n, t):
    """Every construct that shares the iterations of a loop nest: p["how"] is its directive."""
    p = n.p
    how, axes = p["how"], p["axes"]
    reds, last = reductions(n), p.get("last", [])
    binds = bool(p.get("shared"))
    t.c("{")
    if not binds:
        declare(t, reds, last)
    modifier = "task, " if p.get("task_modifier") else ""
    head = "#pragma omp " + how + ("" if not p.get("n") else " num_threads(%d)" % p["n"])
    if len(axes) > 1:
        head += " collapse(%d)" % len(axes)
    head += "".join(r.clause(modifier=modifier) for r in reds)
    head += "".join(" lastprivate(%s)" % name for name, _, _ in last)
    t.c(head + clauses(n))
    depth = len(axes)
    if binds:
        once(n, t)
        depth += 1
    elif how.startswith("parallel") or how.startswith("target parallel"):
        depth += once_in_team(n, t)
    for a in axes:
        c, m = axis_texts(a)
        t.c(c + (" {" if a is axes[-1] else ""))
        t.p(m)
    for r in reds:
        if modifier:
            t.c("#pragma omp task" + r.clause("in_reduction"))
        r.step(t)
    for name, _, e in last:
        t.c("%s = %s;" % (name, in_c(e)))
        t.p("%s = %s" % (name, in_python(e)))
    t.block(n.blocks[0])
    t.out(depth)
    t.c("}")
    if not binds:
        finish(t, reds, last)
    t.c("}")


@writer("ordered")
def w_ordered(n, t):
    """A loop with an ordered region, whose hash depends on the order."""
    p = n.p
    h = p["name"]
    c, m = axis_texts(p["axis"])
    t.c("{")
    if not p["t"]:
        t.c("u64 %s = 11;" % h)
        t.p("%s = 11" % h)
        t.c("#pragma omp parallel for ordered" + size_clause(n) + clauses(n))
        t.p("if 1:")
    else:
        t.c("#pragma omp for ordered" + clauses(n))
        once(n, t)
    t.c(c + " {")
    t.p(m)
    t.block(n.blocks[0])
    if p.get("some"):
        t.c("if (%s & 1) {" % in_c(p["some"]))
        t.p("if %s & 1:" % in_python(p["some"]))
    t.c("#pragma omp ordered", "%s = %s * 31 + %s;" % (h, h, in_c(p["e"])))
    t.p("%s = (%s * 31 + %s) & M" % (h, h, in_python(p["e"])))
    if p.get("some"):
        t.c("}")
        t.out()
    t.block(n.blocks[1])
    t.c("}")
    t.out(2)
    if not p["t"]:
        add_text(t, p["k"], h, h)
    t.c("}")


@writer("doacross")
def w_doacross(n, t):
    p = n.p
    v, s, count, top = p["name"], p["step"], p["count"], max(p["distances"])
    i, w = v + "i", v + "w"
    kind, first = p["type"], p["first"]
    t.c("{", "u64 %s[%d] = {1};" % (w, count + top + 1),
        "#pragma omp parallel for ordered(1)" + size_clause(n) + clauses(n),
        axis_texts((i, kind, first, "<" if s > 0 else ">", first + s * count, s, False, 3))[0] + " {",
        "int %sq = (int)(%s / %d);" % (v, "(%s - %s)" % ((i, number(first, kind)) if s > 0 else
                                                         (number(first, kind), i)), abs(s)))
    t.p("%s = [1] + [0] * %d" % (w, count + top), "for %sq in range(%d):" % (v, count),
        "%s = %d + %sq * %d" % (i, first, v, s))
    t.block(n.blocks[0])
    sinks = " ".join("depend(sink: %s %s %s)" % (i, "-" if s > 0 else "+", number(d * abs(s), "int"))
                     for d in p["distances"])
    t.c("#pragma omp ordered " + sinks, "%s = %s + %s;" % (row(p) + (in_c(p["e"]),)),
        "#pragma omp ordered depend(source)")
    t.p("%s = (%s + %s) & M" % (row(p) + (in_python(p["e"]),)))
    t.block(n.blocks[1])
    t.c("}")
    t.out()
    add_text(t, p["k"], "%s[%d]" % (w, count + top - 1), "%s[%d]" % (w, count + top - 1))
    t.c("}")


@writer("doacross2")
def w_doacross2(n, t):
    p = n.p
    v, a, b = p["name"], p["rows"], p["columns"]
    i, j, w = v + "i", v + "j", v + "w"
    t.c("{", "u64 %s[%d][%d] = {{3}};" % (w, a + 1, b + 1),
        "#pragma omp parallel for ordered(2)%s" % (" collapse(2)" if p["collapse"] else "") + size_clause(n) +
        clauses(n), "for (int %s = 0; %s < %d; %s++)" % (i, i, a, i),
        "for (int %s = 0; %s < %d; %s++) {" % (j, j, b, j))
    t.p("%s = [[0] * %d for _ in range(%d)]" % (w, b + 1, a + 1), "%s[0][0] = 3" % w,
        "for %s in range(%d):" % (i, a), "for %s in range(%d):" % (j, b))
    t.block(n.blocks[0])
    t.c("#pragma omp ordered depend(sink: %s - 1, %s) depend(sink: %s, %s - 1) depend(sink: %s - 1, %s - 1)" %
        (i, j, i, j, i, j), "%s = %s + %s;" % (neighbours(p) + (in_c(p["e"]),)), "#pragma omp ordered depend(source)")
    t.p("%s = M & (%s + %s)" % (neighbours(p) + (in_python(p["e"]),)))
    t.c("}")
    t.out(2)
    add_text(t, p["k"], "%s[%d][%d]" % (w, a, b), "%s[%d][%d]" % (w, a, b))
    t.c("}")


@writer("scan")
def w_scan(n, t):
    p = n.p
    v, count = p["name"], p["count"]
    r, i, y = v + "r", v + "i", v + "y"
    t.c("{", "u64 %s = %d, %s[%d];" % (r, p["initial"], y, count + 1),
        "#pragma omp parallel for reduction(inscan, + : %s)" % r + size_clause(n) + clauses(n),
        "for (int %s = 0; %s < %d; %s++) {" % (i, i, count, i))
    t.p("%s = %d" % (r, p["initial"]), "%s = [0] * %d" % (y, count + 1), "for %s in range(%d):" % (i, count))
    step, keep = "%s += %s" % (r, in_c(p["e"])), "%s[%s] = %s" % (y, i, r)
    m_step = "%s += %s" % (r, in_python(p["e"]))
    if p["inclusive"]:
        t.c(step + ";", "#pragma omp scan inclusive(%s)" % r, keep + ";")
        t.p(m_step, keep)
    else:
        t.c(keep + ";", "#pragma omp scan exclusive(%s)" % r, step + ";")
        t.p(keep, m_step)
    t.c("}")
    t.out()
    t.c("for (int %s = 0; %s < %d; %s++) {" % (i, i, count, i))
    t.p("for %s in range(%d):" % (i, count))
    add_text(t, p["k"], "%s[%s] * (%s + 1)" % (y, i, i), "%s[%s] * (%s + 1)" % (y, i, i))
    t.c("}")
    t.out()
    add_text(t, p["k"], r, r)
    t.c("}")


@writer("schedule")
def w_schedule(n, t):
    """omp_set_schedule for loops with schedule(runtime) inside, and what omp_get_schedule says then."""
    p = n.p
    v = p["name"]
    t.c("{", "omp_sched_t %ss, %so;" % (v, v), "int %sc, %sd;" % (v, v), "omp_get_schedule(&%so, &%sd);" % (v, v),
        "omp_set_schedule((omp_sched_t)(%s), %d);" % (p["sched"], p["chunk"]), "omp_get_schedule(&%ss, &%sc);" % (v, v))
    if p["chunk"] > 0:
        add_text(t, p["k"], "U(%sc)" % v, str(p["chunk"]))
    t.block(n.blocks[0])
    t.c("omp_set_schedule(%so, %sd);" % (v, v), "}")


# ------------------------------------------------------------------------------------------------------------
# Atomic operations and locks

ATOMIC_STEPS = {
    # kind: (declaration, statements with X the variable, V a private u64, E the value; the model)
    "add": ("u64 X = 3;", ["#pragma omp atomic update", "X += E;"], ["X += E"]),
    "float": ("float X = 3;", ["#pragma omp atomic", "X += (float)(E & 15);"], ["X += E & 15"]),
    "double": ("double X = 3;", ["#pragma omp atomic seq_cst", "X = X + (double)(E & 1023);"], ["X += E & 1023"]),
    "long double": ("long double X = 3;", ["#pragma omp atomic", "X -= (long double)(E & 1023);"],
                    ["X -= E & 1023"]),
    "char": ("unsigned char X = 3;", ["#pragma omp atomic", "X += (unsigned char)(E);"], ["X = (X + E) & 255"]),
    "multiply": ("unsigned X = 3;", ["#pragma omp atomic relaxed", "X *= (unsigned)(E | 1);"],
                 ["X = X * (E | 1) & 0xffffffff"]),
    "xor": ("unsigned short X = 3;", ["#pragma omp atomic", "X ^= (unsigned short)(E);"], ["X = (X ^ E) & 65535"]),
    "or": ("u64 X = 3;", ["#pragma omp atomic", "X = E | X;"], ["X |= E"]),
    "and": ("u64 X = ~0ULL;", ["#pragma omp atomic", "X &= E | 0xff00;"], ["X &= E | 0xff00"]),
    "subtract": ("int X = 3;", ["#pragma omp atomic acq_rel", "X -= (int)(E & 1023);"], ["X -= E & 1023"]),
    "shift": ("u64 X = 3;", ["#pragma omp atomic", "X <<= (E & 1);"], ["X = (X << (E & 1)) & M"]),
    "old": ("u64 X = 3;", ["#pragma omp atomic capture", "V = X++;"], ["V = X", "X += 1"]),
    "new": ("int X = 3;", ["#pragma omp atomic capture seq_cst", "V = X += 5;"], ["X += 5", "V = X"]),
    "pair": ("u64 X = 3;", ["#pragma omp atomic capture", "{ V = X; X += 7; }"], ["V = X", "X += 7"]),
    "long double capture": ("long double X = 3;", ["#pragma omp atomic capture", "V = X += 3;"],
                            ["X += 3", "V = X"]),
    "max": ("u64 X = 3;", ["#pragma omp atomic compare", "if (X < E) { X = E; }"], ["X = max(X, (E) & M)"]),
    "min": ("u64 X = 1ULL << 60;", ["#pragma omp atomic compare", "X = X > E ? E : X;"], ["X = min(X, (E) & M)"]),
    "write": ("u64 X = 3;", ["#pragma omp atomic write", "X = 12345;", "#pragma omp atomic read", "V = X;"],
              ["X = V = 12345"]),
}


@writer("atomics")
def w_atomics(n, t):
    """A parallel loop whose iterations do one operation of each kind; also what they capture is added up."""
    p = n.p
    v = p["name"]
    i, e = v + "i", p["e"]
    used = []
    t.c("{")
    for number_, kind in enumerate(p["items"]):
        x = "%sx%d" % (v, number_)
        declaration, steps, model = ATOMIC_STEPS[kind]
        if t.language == "c++" and kind in ("max", "min"):
            continue
        used.append((x, declaration, steps, model, "V" in "".join(steps)))
        t.c(declaration.replace("X", x).replace(" = 3;", " = 3;"))
        start = declaration.split("= ")[1].rstrip(";")
        t.p("%s = %s" % (x, {"~0ULL": "M", "1ULL << 60": "1 << 60"}.get(start, start)))
    t.c("#pragma omp parallel for" + size_clause(n) + clauses(n),
        "for (int %s = 0; %s < %d; %s++) {" % (i, i, p["count"], i))
    t.p("for %s in range(%d):" % (i, p["count"]))
    for x, _, steps, model, captures in used:
        if captures:
            t.c("{", "u64 %sv;" % v)
        for s in steps:
            t.c(s if s.startswith("#") else s.replace("X", x).replace("V", v + "v").replace("E", in_c(e)))
        for m in model:
            t.p(m.replace("X", x).replace("V", v + "v").replace("E", in_python(e)))
        if captures:
            add_text(t, p["k"], v + "v", v + "v")
            t.c("}")
    t.c("}")
    t.out()
    for x, declaration, _, _, _ in used:
        c = "U((i64)%s)" % x if "float" in declaration or "double" in declaration else "U(%s)" % x
        add_text(t, p["k"], c, x)
    t.c("}")


@writer("locks")
def w_locks(n, t):
    p = n.p
    v = p["name"]
    i, e = v + "i", p["e"]
    prefix = "omp_nest_lock" if p["nest"] else "omp_lock"
    short = prefix[4:]
    t.c("{", "u64 %s = 1;" % v, "%s_t %sl;" % (prefix, v))
    t.p("%s = 1" % v)
    t.c("omp_init_%s(&%sl);" % (short, v))
    t.c("#pragma omp parallel for" + size_clause(n) + clauses(n),
        "for (int %s = 0; %s < %d; %s++) {" % (i, i, p["count"], i))
    t.p("for %s in range(%d):" % (i, p["count"]))
    if p["tasks"]:
        t.c("#pragma omp task shared(%s, %sl)" % (v, v), "{")
    if p["test"]:
        t.c("while (!omp_test_%s(&%sl)) {" % (short, v), "#pragma omp taskyield" if p["tasks"] == 2 else ";", "}")
    else:
        t.c("omp_set_%s(&%sl);" % (short, v))
    if p["nest"]:
        t.c("%s += omp_test_nest_lock(&%sl);" % (v, v), "omp_set_nest_lock(&%sl);" % v)
        t.p("%s += 2" % v)
    t.c("%s += %s;" % (v, in_c(e)))
    t.p("%s += %s" % (v, in_python(e)))
    t.c(*["omp_unset_%s(&%sl);" % (short, v)] * (3 if p["nest"] else 1))
    if p["tasks"]:
        t.c("}")
    t.c("}", "omp_destroy_%s(&%sl);" % (short, v))
    t.out()
    add_text(t, p["k"], v, v)
    t.c("}")
