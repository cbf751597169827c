"""Writers for C and C++: how a node of each kind looks in the program and in the model (tree.py has the idea,
generate.py makes the nodes).

In the program's text, A[0..4] are added to atomically, A[5] by an atomic exclusive or, A[6] and A[7] inside critical
regions: the order of threads and tasks does not change them. All names of variables are unique in a case.
"""

from tree import Node, in_c, in_python

PRELUDE = r"""
#include <limits.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;
typedef long long i64;
#define U(x) ((u64)(x))
static u64 A[8];
static void add(int k, u64 v)
{
#pragma omp atomic
    A[k] += v;
}
static u64 tp;
#pragma omp threadprivate(tp)
struct pair { u64 s, x; };
struct big { u64 x[40]; };
struct aligned { u64 x[8]; } __attribute__((aligned(64)));
#pragma omp declare reduction(merge : struct pair : omp_out.s += omp_in.s, omp_out.x ^= omp_in.x) \
    initializer(omp_priv = {0, 0})
static int opaque_int(int x) { static volatile int zero; return x + zero; }
static unsigned opaque_unsigned(unsigned x) { static volatile unsigned zero; return x + zero; }
static i64 opaque_i64(i64 x) { static volatile i64 zero; return x + zero; }
static u64 opaque_u64(u64 x) { static volatile u64 zero; return x + zero; }
static inline void unused(void)
{
    (void)add, (void)opaque_int, (void)opaque_unsigned, (void)opaque_i64, (void)opaque_u64;
}
"""

PRELUDE_CXX = r"""
#include <vector>

static int live; /* objects of Sum that exist */
struct Sum {
    u64 v;
    Sum() : v(0) { count(1); }
    explicit Sum(u64 x) : v(x) { count(1); }
    Sum(const Sum &o) : v(o.v) { count(1); }
    Sum &operator=(const Sum &o) { v = o.v; return *this; }
    ~Sum() { v = 77; count(-1); }
    Sum &operator+=(const Sum &o) { v += o.v; return *this; }
    static void count(int d)
    {
#pragma omp atomic
        live += d;
    }
};
#pragma omp declare reduction(+ : Sum : omp_out += omp_in)
struct Thrown { u64 v; };
"""

MAIN = r"""
int main(int argc, char **argv)
{
    int from = argc > 1 ? atoi(argv[1]) : 0, to = argc > 2 ? atoi(argv[2]) : CASES - 1;
    for (int c = 0; c < CASES; c++) {
        if (cases[c].number < from || cases[c].number > to)
            continue;
        memset(A, 0, sizeof A);
        omp_set_max_active_levels(cases[c].max_active);
        /* Where there is no parallel region the runtime may defer tasks all the same, up to here. */
#pragma omp taskgroup
        cases[c].run();
        printf("%d", cases[c].number);
        for (int k = 0; k < 8; k++)
            printf(" %llx", A[k]);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
"""


def program(cases, language):
    """The whole text of a source file."""
    parts = [PRELUDE.strip("\n")]
    if language == "c++":
        parts.append(PRELUDE_CXX.strip("\n"))
    for case in cases:
        source, _ = case.texts(WRITERS, language)
        parts.append("\nstatic void case_%d(void)\n{\n%s\n}" % (case.number, "\n".join(source)))
    parts.append("\n#define CASES %d" % len(cases))
    parts.append("static const struct { int number, max_active; void (*run)(void); } cases[CASES] = {")
    parts += ["    {%d, %d, case_%d}," % (c.number, c.max_active, c.number) for c in cases]
    parts.append("};\n" + MAIN.strip("\n"))
    return "\n".join(parts) + "\n"


WRITERS = {}


def writer(kind):
    def keep(function):
        WRITERS[kind] = function
        return function

    return keep


def clauses(n):
    return "".join(" " + c for c in n.p.get("clauses", []))


def size_clause(n):
    return " num_threads(%d)" % n.p["n"] if n.p["n"] else ""


def add_text(t, k, c, p, how="atomic"):
    """A[k] gets a value."""
    if k == 5:
        t.c("#pragma omp atomic", "A[5] ^= %s;" % c)
        t.p("A[5] ^= %s" % p)
        return
    if k >= 6:
        t.c("#pragma omp critical%s" % ("(six)" if k == 6 else ""), "A[%d] += %s;" % (k, c))
    elif how == "call":
        t.c("add(%d, %s);" % (k, c))
    else:
        t.c("#pragma omp atomic" + ("" if how == "atomic" else " " + how), "A[%d] += %s;" % (k, c))
    t.p("A[%d] += %s" % (k, p))


def add(t, k, e, how="atomic"):
    add_text(t, k, in_c(e), in_python(e), how)


@writer("add")
def w_add(n, t):
    add(t, n.p["k"], n.p["e"], n.p["how"])


QUERIES = {
    "omp_get_num_threads()": "S.size()",
    "omp_get_level()": "len(S.teams)",
    "omp_get_active_level()": "S.active()",
    "omp_in_parallel()": "int(S.active() > 0)",
    "omp_get_team_size(omp_get_level())": "S.size()",
    "omp_get_team_size(0)": "1",
    "omp_get_ancestor_thread_num(0)": "0",
    "omp_get_max_active_levels()": "S.max_active",
    "omp_get_team_size(omp_get_level() + 1)": "-1",
    "omp_get_ancestor_thread_num(-1)": "-1",
    "omp_is_initial_device()": "1",
    "omp_get_num_teams()": "1",
    "omp_get_team_num()": "0",
    "omp_get_cancellation()": "int(S.cancellation)",
    "omp_get_dynamic()": "0",
}
UNSIZED_QUERIES = ["omp_get_level()", "omp_get_team_size(0)", "omp_get_ancestor_thread_num(0)",
                   "omp_get_max_active_levels()", "omp_get_ancestor_thread_num(-1)", "omp_is_initial_device()",
                   "omp_get_num_teams()", "omp_get_team_num()", "omp_get_cancellation()"]


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


# ------------------------------------------------------------------------------------------------------------
# Reductions

BITS = {"u64": 64, "unsigned": 32, "unsigned short": 16, "unsigned char": 8}


class Reduction:
    """One reduction variable: r of a node's p["red"] is a tuple (name, operator, type, k, e, initial)."""

    def __init__(self, r, language):
        self.name, self.op, self.type, self.k, self.e, self.initial = r
        self.language = language

    def declaration(self):
        n = self.name
        if self.type == "pair":
            return "struct pair %s = {%d, %d};" % (n, self.initial, self.initial)
        if self.type == "array":
            return "u64 %s[4] = {1, 2, 3, %d};" % (n, self.initial)
        if self.type == "Sum":
            return "Sum %s(%d);" % (n, self.initial)
        return "%s %s = %d;" % (self.type, n, self.initial)

    def model_start(self):
        n = self.name
        if self.type == "pair":
            return "%s = [%d, %d]" % (n, self.initial, self.initial)
        if self.type == "array":
            return "%s = [1, 2, 3, %d]" % (n, self.initial)
        return "%s = %d" % (n, self.initial)

    def clause(self, keyword="reduction", modifier=""):
        item = self.name + ("[1:2]" if self.type == "array" else "")
        op = "merge" if self.type == "pair" else self.op
        return " %s(%s%s : %s)" % (keyword, modifier, op, item)

    def step(self):
        """The statement that adds one value: (program, model)."""
        n, c, p = self.name, in_c(self.e), in_python(self.e)
        if self.type == "pair":
            return "%s.s += %s, %s.x ^= %s;" % (n, c, n, c), "%s = [%s[0] + %s, %s[1] ^ %s]" % (n, n, p, n, p)
        if self.type == "array":
            return "%s[1 + (%s & 1)] += %s;" % (n, c, c), "%s[1 + (%s & 1)] += %s" % (n, p, p)
        if self.type == "Sum":
            return "%s += Sum(%s);" % (n, c), "%s += %s" % (n, p)
        if self.op in ("&&", "||"):
            word = {"&&": "and", "||": "or"}[self.op]
            return ("%s = %s %s ((%s & 63) != 7);" % (n, n, self.op, c),
                    "%s = int(bool(%s) %s ((%s & 63) != 7))" % (n, n, word, p))
        bits = BITS.get(self.type)
        if self.op in ("min", "max"):
            sign = "<" if self.op == "min" else ">"
            if bits:
                c, p = "(%s)%s" % (self.type, c), "(%s & %d)" % (p, (1 << bits) - 1)
            else:
                c, p = "(%s)((i64)(%s & 32767) - 10000)" % (self.type, c), "((%s & 32767) - 10000)" % p
            return "%s = %s %s %s ? %s : %s;" % (n, c, sign, n, c, n), "%s = %s(%s, %s)" % (n, self.op, n, p)
        if not bits:
            c, p = "(%s)(%s & 1023)" % (self.type, c), "(%s & 1023)" % p
            return "%s %s= %s;" % (n, self.op, c), "%s %s= %s" % (n, self.op, p)
        if self.op == "*":
            c, p = "(%s | 1)" % c, "(%s | 1)" % p
        return ("%s %s= (%s)%s;" % (n, self.op, self.type, c),
                "%s = (%s %s %s) & %d" % (n, n, self.op, p, (1 << bits) - 1))

    def result(self):
        n = self.name
        if self.type == "pair":
            return "%s.s * 3 + %s.x" % (n, n), "%s[0] * 3 + %s[1]" % (n, n)
        if self.type == "array":
            return ("%s[0] + %s[1] * 3 + %s[2] * 5 + %s[3] * 7" % (n, n, n, n),
                    "%s[0] + %s[1] * 3 + %s[2] * 5 + %s[3] * 7" % (n, n, n, n))
        if self.type == "Sum":
            return n + ".v", n
        return ("U((i64)%s)" % n if self.type in ("double", "float", "long double") else "U(%s)" % n), n

    def finish(self, t):
        c, p = self.result()
        add_text(t, self.k, c, p, "call" if self.k < 5 else "atomic")


def reductions(n, t):
    return [Reduction(r, t.language) for r in n.p.get("red", [])]


def shared_of(nodes, language):
    """The reduction variables, and the variables of lastprivate, of worksharing constructs that bind to the parallel
    region with these nodes; the region's writer declares them."""
    found, last = [], []
    for n in nodes:
        if n.p.get("shared"):
            found += [Reduction(r, language) for r in n.p.get("red", [])]
            last += n.p.get("last", [])
            last += n.p.get("plain", [])
        if n.kind not in ("parallel",):
            for block in n.blocks:
                f, l = shared_of(block, language)
                found, last = found + f, last + l
    return found, last


def declare(t, reds, last):
    for r in reds:
        t.c(r.declaration())
        t.p(r.model_start())
    for name, _, _ in last:
        t.c("u64 %s = 11;" % name)
        t.p("%s = 11" % name)


def finish(t, reds, last):
    for r in reds:
        r.finish(t)
    for name, k, _ in last:
        add_text(t, k, name, name, "call")


# ------------------------------------------------------------------------------------------------------------
# Parallel regions


@writer("parallel")
def w_parallel(n, t):
    p = n.p
    reds = reductions(n, t)
    more, last = shared_of(n.blocks[0], t.language)
    t.c("{")
    declare(t, reds + more, last)
    head, wanted = "#pragma omp parallel", str(p["n"])
    if p["how"] == "icv":
        t.c("int old%s = omp_get_max_threads();" % p["t"], "omp_set_num_threads(%d);" % p["n"])
    elif p["how"] == "expression":
        head += " num_threads((int)(1 + (%s & 3)))" % in_c(p["e"])
        wanted = "1 + (%s & 3)" % in_python(p["e"])
    elif p["n"]:
        head += " num_threads(%d)" % p["n"]
    condition = "1"
    if p.get("if"):
        head += " if(%s & 1)" % in_c(p["if"])
        condition = "%s & 1" % in_python(p["if"])
    head += "".join(r.clause() for r in reds) + clauses(n)
    if p.get("private"):
        name, kind, e = p["private"]
        t.c("u64 %s = %s;" % (name, in_c(e)))
        t.p("%s0 = %s" % (name, in_python(e)))
        head += " firstprivate(%s)" % name
    t.c(head, "{", "int %s = omp_get_thread_num();" % p["t"], "(void)%s;" % p["t"])
    t.p("for %s in S.parallel(%s, %s):" % (p["t"], wanted, condition))
    if p.get("private"):
        t.p("%s = %s0" % (name, name))
        if p["sized"]:
            t.c("%s += %s;" % (name, p["t"]))
            t.p("%s += %s" % (name, p["t"]))
    for r in reds:
        c, m = r.step()
        t.c(c)
        t.p(m)
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


def once(n, t):
    """The model's condition: a worksharing construct is executed by one of the threads that meet it."""
    t.p("if %s == 0:" % n.p["t"])


@writer("once")
def w_once(n, t):
    """What all teams of a league share is executed once."""
    once(n, t)
    t.block(n.blocks[0])
    t.out()


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
    reds = reductions(n, t)
    t.c("{")
    if p["t"]:
        once(n, t)
        t.c("#pragma omp sections" + "".join(r.clause() for r in reds) + clauses(n), "{")
    else:
        declare(t, reds, [])
        t.c("#pragma omp parallel sections" + size_clause(n) + "".join(r.clause() for r in reds) + clauses(n), "{")
        t.p("for _ in S.parallel(%d):" % p["n"])
        t.p("if S.teams[-1][1] == 0:")
    for block in n.blocks:
        t.c("#pragma omp section", "{")
        for r in reds:
            c, m = r.step()
            t.c(c)
            t.p(m)
        t.block(block)
        t.c("}")
    t.c("}")
    t.out(1 if p["t"] else 2)
    if not p["t"]:
        finish(t, reds, [])
    t.c("}")


@writer("scope")
def w_scope(n, t):
    reds = reductions(n, t)
    t.c("#pragma omp scope" + "".join(r.clause() for r in reds) + clauses(n), "{")
    for r in reds:
        c, m = r.step()
        t.c(c)
        t.p(m)
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


# ------------------------------------------------------------------------------------------------------------
# Loops

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
    """for (...) of one loop, and the model's range. a: (name, type, first, condition, bound, step, opaque, style); a
    bound that is a tuple (name, number) is that loop variable plus the number."""
    name, kind, first, condition, bound, step, opaque, style = a
    if isinstance(bound, tuple):
        c_bound, p_bound = "%s + %d" % bound, "%s + %d" % bound
    else:
        c_bound, p_bound = number(bound, kind, opaque), str(bound)
    p_bound += {"<=": " + 1", ">=": " - 1"}.get(condition, "")
    size = number(abs(step), kind)
    sign = "+" if step > 0 else "-"
    if abs(step) == 1 and style < 2:
        change = name + sign * 2 if style == 0 else sign * 2 + name
    else:
        change = "%s %s= %s" % (name, sign, size) if style != 2 else "%s = %s %s %s" % (name, name, sign, size)
    c = "for (%s %s = %s; %s %s %s; %s)" % (kind, name, number(first, kind, opaque), name, condition, c_bound, change)
    return c, "for %s in range(%d, %s, %d):" % (name, first, p_bound, step)


@writer("loop")
def w_loop(n, t):
    """Every construct that shares the iterations of a loop nest: p["how"] is its directive."""
    p = n.p
    how, axes = p["how"], p["axes"]
    reds, last = reductions(n, t), p.get("last", [])
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
    depth = 0
    if binds:
        once(n, t)
        depth += 1
    elif how.startswith("parallel") or how.startswith("target parallel"):
        t.p("for _ in S.parallel(%d):" % p["n"], "if S.teams[-1][1] == 0:")
        depth += 2
    for a in axes:
        c, m = axis_texts(a)
        t.c(c + (" {" if a is axes[-1] else ""))
        t.p(m)
        depth += 1
    for r in reds:
        c, m = r.step()
        if modifier:
            t.c("#pragma omp task" + r.clause("in_reduction"))
        t.c(c)
        t.p(m)
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
    t.c("#pragma omp ordered " + sinks,
        "%s[%sq + %d] = %s + %s;" % (w, v, top, " + ".join(
            "%s[%sq + %d] * %d" % (w, v, top - d, 2 * d + 1) for d in p["distances"]), in_c(p["e"])),
        "#pragma omp ordered depend(source)")
    t.p("%s[%sq + %d] = (%s + %s) & M" % (w, v, top, " + ".join(
        "%s[%sq + %d] * %d" % (w, v, top - d, 2 * d + 1) for d in p["distances"]), in_python(p["e"])))
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
    step = "%s[%s + 1][%s + 1] = %%s%s[%s][%s + 1] + %s[%s + 1][%s] * 3 + %s[%s][%s] + %%s" % (
        (w, i, j) + (w, i, j) + (w, i, j) + (w, i, j))
    t.c("#pragma omp ordered depend(sink: %s - 1, %s) depend(sink: %s, %s - 1) depend(sink: %s - 1, %s - 1)" %
        (i, j, i, j, i, j), step % ("", in_c(p["e"])) + ";", "#pragma omp ordered depend(source)")
    t.p(step % ("M & (", in_python(p["e"])) + ")")
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


# ------------------------------------------------------------------------------------------------------------
# Tasks


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
    reds = reductions(n, t)
    t.c("{")
    declare(t, reds, [])
    t.c("#pragma omp taskgroup" + "".join(r.clause("task_reduction") for r in reds), "{")
    t.block(n.blocks[0])
    for number_ in range(n.p.get("tasks", 0)):
        for r in reds:
            c, m = r.step()
            t.c("#pragma omp task" + r.clause("in_reduction") + clauses(n), "{", c)
            t.p(m)
            if number_ % 2 == 1:
                t.c("#pragma omp task" + r.clause("in_reduction"), c)
                t.p(m)
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
# Cancellation. After what cancels, and after what waits for that, nothing runs; the model knows OMP_CANCELLATION.


@writer("cancel")
def w_cancel(n, t):
    p = n.p
    v, how, k = p["name"], p["how"], p["k"]
    i, found, seen = v + "i", v + "f", v + "s"
    if how == "parallel":
        t.c("{", "#pragma omp parallel" + size_clause(n), "{", "int %s = omp_get_thread_num();" % i)
        t.p("for %s in S.parallel(%d):" % (i, p["n"]))
        add_text(t, k, "U(%s) + 5" % i, "%s + 5" % i)
        t.c("#pragma omp barrier", "if (%s == 0) {" % i, "#pragma omp cancel parallel", "}", "#pragma omp barrier")
        t.p("if not S.cancellation:")
        add_text(t, k, "1000", "1000")
        t.out(2)
        t.c("}", "}")
    elif how == "for":
        t.c("{", "u64 %s = 0, %s = 0;" % (found, seen), "#pragma omp parallel for" + size_clause(n) + clauses(n),
            "for (int %s = 0; %s < %d; %s++) {" % (i, i, p["count"], i), "#pragma omp atomic", "%s += 1;" % seen,
            "if (%s == %d) {" % (i, p["which"]), "#pragma omp atomic write", "%s = %s + 1;" % (found, i),
            "#pragma omp cancel for%s" % (" if(%d)" % p["if"] if p["if"] is not None else ""))
        t.p("if not S.cancellation or %s:" % (p["if"] == 0))
        add_text(t, k, "1000", "1000")
        t.out()
        t.c("}", "#pragma omp cancellation point for", "}")
        add_text(t, k, "%s * 77 + (%s >= 1 && %s <= %d)" % (found, seen, seen, p["count"]),
                 "%d * 77 + 1" % (p["which"] + 1))
        t.c("}")
    elif how == "sections":
        t.c("{", "u64 %s = 0, %s = 0;" % (found, seen), "#pragma omp parallel sections" + size_clause(n), "{")
        t.p("if 1:")
        for number_ in range(p["count"]):
            t.c("#pragma omp section", "{", "#pragma omp atomic", "%s += 1;" % seen)
            if number_ == p["which"]:
                t.c("#pragma omp atomic write", "%s = 5;" % found, "#pragma omp cancel sections")
                t.p("if not S.cancellation:")
                add_text(t, k, "1000", "1000")
                t.out()
            else:
                t.c("#pragma omp cancellation point sections")
            t.c("}")
        t.c("}")
        t.out()
        add_text(t, k, "%s * 77 + (%s >= 1 && %s <= %d)" % (found, seen, seen, p["count"]), "5 * 77 + 1")
        t.c("}")
    else:  # taskgroup
        t.c("{", "u64 %s = 0, %s = 0;" % (found, seen), "#pragma omp taskgroup", "{")
        t.p("if 1:")
        for number_ in range(p["before"]):
            t.c("#pragma omp task shared(%s)" % seen, "{")
            add_text(t, k, str(number_ + 3), str(number_ + 3))
            t.c("}")
        if p["before"]:
            t.c("#pragma omp taskwait")
        t.c("#pragma omp task shared(%s)" % found, "{", "#pragma omp atomic write", "%s = 5;" % found,
            "#pragma omp cancel taskgroup")
        t.p("if not S.cancellation:")
        add_text(t, k, "1000", "1000")
        t.out()
        t.c("}")
        t.c("for (int %s = 0; %s < %d; %s++) {" % (i, i, p["count"], i),
            "#pragma omp task shared(%s)" % seen, "{", "#pragma omp cancellation point taskgroup",
            "#pragma omp atomic", "%s += 1;" % seen, "}", "}", "}")
        t.out()
        # The cancelling task itself may be discarded only by itself: it always starts.
        add_text(t, k, "%s * 77 + (%s <= %d)" % (found, seen, p["count"]), "5 * 77 + 1")
        t.c("}")


# ------------------------------------------------------------------------------------------------------------
# Teams, target, memory


@writer("teams")
def w_teams(n, t):
    p = n.p
    t.c("#pragma omp teams num_teams(%d : %d)%s" % (p["teams"], p["teams"], clauses(n)), "{",
        "int %s = omp_get_team_num();" % p["t"], "(void)%s;" % p["t"])
    t.p("for %s in range(%d):" % (p["t"], p["teams"]))
    t.block(n.blocks[0])
    t.c("}")
    t.out()


@writer("target")
def w_target(n, t):
    p = n.p
    v, count = p["name"], p["count"]
    i, y, z, e = v + "i", v + "y", v + "z", p["e"]
    loop = "for (int %s = 0; %s < %d; %s++)" % (i, i, count, i)
    t.c("{", "u64 %s[%d], %s[%d], %s = %s;" % (y, count, z, count, v, in_c(e)), loop,
        "    %s[%s] = %s, %s[%s] = %s * 3;" % (y, i, i, z, i, i))
    t.p("%s = %s" % (v, in_python(e)))
    maps = "map(tofrom: %s[0:%d]) map(to: %s[0:%d])" % (y, count, z, count)
    how = p["how"]
    if how == "data":
        t.c("#pragma omp target data " + maps, "{")
        maps = "map(tofrom: %s[0:%d]) map(to: %s[0:%d])" % (y, count, z, count)
    if how == "enter":
        t.c("#pragma omp target enter data map(to: %s[0:%d], %s[0:%d])" % (y, count, z, count))
    head = "#pragma omp target%s " % p["inner"] + maps + clauses(n)
    if how == "nowait":
        head += " nowait depend(out: %s[0])" % y
    t.c(head)
    if p["inner"] == "":
        t.c(loop)
    elif p["inner"] == " teams":
        t.c("#pragma omp distribute parallel for", loop)
    else:
        t.c(loop)
    t.c("    %s[%s] += %s[%s] * %s;" % (y, i, z, i, v))
    if how == "nowait":
        t.c("#pragma omp task shared(%s) depend(inout: %s[0])" % (y, y), "%s[0] += 5;" % y, "#pragma omp taskwait")
    if how == "data":
        t.c("#pragma omp target update from(%s[0:%d])" % (y, count), "}")
    if how == "enter":
        t.c("#pragma omp target exit data map(from: %s[0:%d]) map(release: %s[0:%d])" % (y, count, z, count))
    t.c(loop + " {")
    t.p("for %s in range(%d):" % (i, count))
    extra = "5 * (%s == 0)" % i if how == "nowait" else "0"
    add_text(t, p["k"], "%s[%s] * (%s + 1)" % (y, i, i),
             "(%s + %s * 3 * %s + %s) * (%s + 1)" % (i, i, v, extra, i))
    t.c("}", "}")
    t.out()


@writer("memory")
def w_memory(n, t):
    p = n.p
    v, e = p["name"], p["e"]
    how = p["how"]
    t.c("{")
    t.p("%s = %s" % (v, in_python(e)))
    if how == "traits":
        t.c("omp_alloctrait_t %st[3] = {{omp_atk_alignment, %d}, {omp_atk_pool_size, %d}, {omp_atk_fallback, %s}};" %
            (v, p["alignment"], p["pool"], p["fallback"]),
            "omp_allocator_handle_t %sa = omp_init_allocator(omp_default_mem_space, 3, %st);" % (v, v))
    else:
        t.c("omp_allocator_handle_t %sa = %s;" % (v, how))
    align = p["alignment"] if how == "traits" else 8
    t.c("u64 *%sp = (u64 *)omp_alloc(%d, %sa);" % (v, p["bytes"], v),
        "u64 *%sq = (u64 *)omp_calloc(5, 16, %sa);" % (v, v))
    t.c("if (%sp && %sq) {" % (v, v), "%sp[1] = %s;" % (v, in_c(e)), "%sp[%d - 1] = %sq[9];" % (v, p["bytes"] // 8, v),
        "%sp = (u64 *)omp_realloc(%sp, %d, %sa, %sa);" % (v, v, p["bytes"] * 2, v, v), "}")
    add_text(t, p["k"], "!%sp || !%sq ? 77 : %sp[1] + %sp[%d - 1] + (u64)((size_t)%sp %% %d + (size_t)%sq %% %d)" %
             (v, v, v, v, p["bytes"] // 8, v, align, v, align), v)
    t.c("omp_free(%sp, %s);" % (v, v + "a" if p["exact"] else "omp_null_allocator"), "omp_free(%sq, %sa);" % (v, v))
    if how == "traits":
        t.c("omp_destroy_allocator(%sa);" % v)
    t.c("}")


@writer("allocate")
def w_allocate(n, t):
    p = n.p
    v = p["name"]
    t.c("{", "u64 %s[%d];" % (v, p["length"]), "%s[1] = %s;" % (v, in_c(p["e"])),
        "#pragma omp parallel for%s firstprivate(%s) allocate(omp_%s_mem_alloc : %s)" %
        (size_clause(n), v, p["space"], v) + clauses(n),
        "for (int %si = 0; %si < %d; %si++) {" % (v, v, p["count"], v))
    t.p("for %si in range(%d):" % (v, p["count"]))
    add_text(t, p["k"], "%s[1] + %si" % (v, v), "%s + %si" % (in_python(p["e"]), v))
    t.c("}", "}")
    t.out()


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
# C++


@writer("throw")
def w_throw(n, t):
    """An exception that does not leave its region."""
    p = n.p
    t.c("try {")
    t.p("if 1:")
    t.block(n.blocks[0])
    t.c("if (%s & 1) {" % in_c(p["if"]), "throw Thrown{%s};" % in_c(p["e"]), "}")
    t.p("if %s & 1:" % in_python(p["if"]))
    add_text_model(t, p["k"], p["e"])
    t.out()
    t.p("else:")
    t.block(n.blocks[1])
    t.out(2)
    t.c("} catch (const Thrown &thrown) {")
    t.c("add(%d, thrown.v);" % p["k"])
    t.c("}")


def add_text_model(t, k, e):
    t.p("A[%d] += %s" % (k, in_python(e)))


@writer("objects")
def w_objects(n, t):
    """Objects as private, firstprivate and lastprivate variables: each that is made ends, too."""
    p = n.p
    v = p["name"]
    t.c("{", "Sum %sf(%s), %sl;" % (v, in_c(p["e"]), v),
        "#pragma omp parallel for firstprivate(%sf) lastprivate(%sl)" % (v, v) + size_clause(n) + clauses(n),
        "for (int %si = 0; %si < %d; %si++) {" % (v, v, p["count"], v), "Sum %sp(%sf);" % (v, v),
        "%sp += Sum(%si);" % (v, v), "%sl = %sp;" % (v, v))
    t.p("%sl = 0" % v, "for %si in range(%d):" % (v, p["count"]), "%sl = %s + %si" % (v, in_python(p["e"]), v))
    add_text(t, p["k"], "%sp.v" % v, "%sl" % v)
    t.c("}")
    t.out()
    add_text(t, p["k"], "%sl.v" % v, "%sl" % v)
    t.c("}")


@writer("iterators")
def w_iterators(n, t):
    p = n.p
    v = p["name"]
    t.c("{", "std::vector<u64> %s(%d);" % (v, p["count"]),
        "for (size_t i = 0; i < %s.size(); i++)" % v, "    %s[i] = i * i;" % v,
        "#pragma omp parallel for" + size_clause(n) + clauses(n),
        "for (std::vector<u64>::iterator %si = %s.begin(); %si < %s.end(); %si += %d) {" %
        (v, v, v, v, v, p["step"]))
    t.p("for %si in range(0, %d, %d):" % (v, p["count"], p["step"]))
    add_text(t, p["k"], "*%si + 1" % v, "%si * %si + 1" % (v, v))
    t.c("}", "}")
    t.out()


__all__ = ["WRITERS", "program", "Node"]
