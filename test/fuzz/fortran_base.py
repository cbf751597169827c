"""What all Fortran writers use: the table of writers, expressions, clauses, accumulators and reductions.

A Fortran writer (fortran_regions.py, fortran_loops.py, fortran_tasks.py, fortran_target.py) takes the same nodes as
C's of the same kind and writes them in free form with t.f, and the model with t.p. writers.py has what the languages
share. Variables are declared in BLOCK constructs, so that they are local where C's are. All programs compute in
integer(8), whose sums and products wrap under -fwrapv: modulo 2^64 they are the model's. Where the sign matters (min,
max) the model takes the number as signed.

Tested by self_test.py, which compares expressions of this module with Python's.
"""

import re

import writers
from tree import MASK, in_python, names_in

WRITERS, writer = writers.table()


def literal(value, kind=8):
    """A constant; the lowest number of a kind has no literal of its own."""
    value &= (1 << 8 * kind) - 1
    value -= (value >> (8 * kind - 1)) << 8 * kind
    if value == -(1 << (8 * kind - 1)):
        return "(%d_%d - 1_%d)" % (value + 1, kind, kind)
    return "(%d_%d)" % (value, kind) if value < 0 else "%d_%d" % (value, kind)


def in_fortran(e):
    """An expression; a constant one is computed here, since gfortran refuses constants that overflow."""
    if not names_in(e):
        return literal(eval(in_python(e), {}) & MASK)  # pylint: disable=eval-used
    if e[0] == "v":
        return "int(%s, 8)" % e[1]
    a, b = in_fortran(e[1]), in_fortran(e[2])
    function = {"&": "iand", "|": "ior", "^": "ieor"}.get(e[0])
    return "%s(%s, %s)" % (function, a, b) if function else "(%s %s %s)" % (a, e[0], b)


def odd(e):
    """The condition for `if`: the model's is `e & 1`."""
    return "iand(%s, 1_8) == 1" % in_fortran(e)


REPLACEMENTS = (
    (r"1LL << 40", "1099511627776_8"),
    (r"(\d+)LL\b", r"\1_8"),
    (r"if\((\w+: )?opaque_int\((\d)\)\)", r"if(\1opaque_int(\2) /= 0)"),
    (r"if\((\w+: )?(\d)\)", lambda m: "if(%s%s)" % (m[1] or "", ".true." if m[2] != "0" else ".false.")),
    (r"final\(opaque_int\((\d)\)\)", r"final(opaque_int(\1) /= 0)"),
    (r"final\(0\)", "final(.false.)"),
    (r"final\(1\)", "final(.true.)"),
)


def translated(clause):
    for pattern, instead in REPLACEMENTS:
        clause = re.sub(pattern, instead, clause)
    return clause


def clauses(n):
    """The clauses without nowait, which stands at the end of a construct (end_of)."""
    return "".join(" " + translated(c) for c in n.p.get("clauses", []) if c != "nowait")


def end_of(n):
    return " nowait" if "nowait" in n.p.get("clauses", []) else ""


def block(t, *declarations):
    """Opens a BLOCK with variables; the writer closes it with `end block`."""
    t.f("block", *declarations)


def add_text(t, k, f, p, how="atomic"):
    """A(k) gets a value."""
    if k == 5:
        t.f("!$omp atomic", "A(5) = ieor(A(5), %s)" % f)
    elif k >= 6:
        name = " (six)" if k == 6 else ""
        t.f("!$omp critical" + name, "A(%d) = A(%d) + (%s)" % (k, k, f), "!$omp end critical" + name)
    elif how == "call":
        t.f("call add(%d, %s)" % (k, f))
    else:
        t.f("!$omp atomic" + ("" if how == "atomic" else " " + how), "A(%d) = A(%d) + (%s)" % (k, k, f))
    writers.model_add(t, k, p)


def add(t, k, e, how="atomic"):
    add_text(t, k, in_fortran(e), in_python(e), how)


# ------------------------------------------------------------------------------------------------------------
# Reductions

# The generator's names of types, which are C's, and the Fortran kinds: bytes of integers.
INTEGERS = {"u64": 8, "i64": 8, "unsigned": 4, "int": 4, "unsigned short": 2, "short": 2, "unsigned char": 1}
REALS = {"double": 8, "float": 4, "long double": 10}
INTRINSICS = {"&": "iand", "|": "ior", "^": "ieor", "min": "min", "max": "max"}
LOGICALS = {"&&": ".and.", "||": ".or.", "eqv": ".eqv.", "neqv": ".neqv."}


def type_of(name):
    if name in INTEGERS:
        return "integer(%d)" % INTEGERS[name]
    return "real(%d)" % REALS[name]


class Reduction(writers.Reduction):
    def declaration(self):
        if self.type == "pair":
            return "type(pair) :: %s" % self.name
        if self.type == "array":
            return "integer(8) :: %s(0:3)" % self.name
        if self.op in LOGICALS:
            return "logical :: %s" % self.name
        return "%s :: %s" % (type_of(self.type), self.name)

    def start(self, t):
        n, i = self.name, self.initial
        if self.type == "pair":
            t.f("%s = pair(%d, %d)" % (n, i, i))
        elif self.type == "array":
            t.f("%s = [1, 2, 3, %d]" % (n, i))
        elif self.op in LOGICALS:
            t.f("%s = %s" % (n, ".true." if i else ".false."))
        else:
            t.f("%s = %s" % (n, literal(i, INTEGERS[self.type]) if self.type in INTEGERS else i))
        t.p(self.model_start())

    def clause(self, keyword="reduction", modifier=""):
        op = "merge" if self.type == "pair" else LOGICALS.get(self.op) or INTRINSICS.get(self.op) or self.op
        return " %s(%s%s : %s)" % (keyword, modifier, op, self.name)

    def step(self, t):
        """The statement that adds one value."""
        n, f = self.name, in_fortran(self.e)
        if self.type == "pair":
            t.f("%s%%s = %s%%s + %s" % (n, n, f), "%s%%x = ieor(%s%%x, %s)" % (n, n, f))
        elif self.type == "array":
            place = "%s(1 + iand(%s, 1_8))" % (n, f)
            t.f("%s = %s + %s" % (place, place, f))
        elif self.op in LOGICALS:
            t.f("%s = %s %s (iand(%s, 63_8) /= 7)" % (n, n, LOGICALS[self.op], f))
        else:
            self.step_number(t, f, in_python(self.e))
            return
        t.p(self.model_step())

    def step_number(self, t, f, p):
        n, op = self.name, self.op
        bits = self.type in ("u64", "unsigned", "unsigned short", "unsigned char")
        if op in ("min", "max"):
            if bits:
                p = "S.sign(%s)" % p
            else:
                f, p = "(iand(%s, 32767_8) - 10000)" % f, "((%s & 32767) - 10000)" % p
        elif not bits:
            f, p = "iand(%s, 1023_8)" % f, "(%s & 1023)" % p
        elif op == "*":
            f, p = "ior(%s, 1_8)" % f, "(%s | 1)" % p
        if self.type in INTEGERS:
            f = "int(%s, %d)" % (f, INTEGERS[self.type])
        else:
            f = "real(%s, %d)" % (f, REALS[self.type])
        if op in INTRINSICS:
            t.f("%s = %s(%s, %s)" % (n, INTRINSICS[op], n, f))
        else:
            t.f("%s = %s %s %s" % (n, n, op, f))
        t.p("%s = %s(%s, %s)" % (n, op, n, p) if op in ("min", "max") else "%s = %s %s %s" % (n, n, op, p))

    def result(self):
        """(Program, model); a small integer counts as unsigned."""
        n = self.name
        if self.type == "pair":
            return "%s%%s * 3 + %s%%x" % (n, n), self.model_result()
        if self.type == "array":
            return "%s(0) + %s(1) * 3 + %s(2) * 5 + %s(3) * 7" % (n, n, n, n), self.model_result()
        if self.op in LOGICALS:
            return "merge(1_8, 0_8, %s)" % n, self.model_result()
        if self.type in INTEGERS and INTEGERS[self.type] < 8:
            mask = (1 << 8 * INTEGERS[self.type]) - 1
            return "iand(int(%s, 8), %s)" % (n, literal(mask)), "(%s & %d)" % (n, mask)
        return "int(%s, 8)" % n, n

    def finish(self, t):
        f, p = self.result()
        add_text(t, self.k, f, p, "call" if self.k < 5 else "atomic")


def reductions(n):
    return [Reduction(r) for r in n.p.get("red", [])]


def shared_of(nodes):
    red, last = writers.shared_of(nodes)
    return [Reduction(r) for r in red], last


def declare(t, reds, last, *more):
    """Opens a BLOCK with these variables."""
    block(t, *([r.declaration() for r in reds] + ["integer(8) :: " + name for name, _, _ in last] + list(more)))
    for r in reds:
        r.start(t)
    for name, _, _ in last:
        t.f("%s = 11" % name)
        t.p("%s = 11" % name)


def finish(t, reds, last):
    """Adds up the variables of `declare` and closes its BLOCK."""
    for r in reds:
        r.finish(t)
    for name, k, _ in last:
        add_text(t, k, name, name, "call")
    t.f("end block")
