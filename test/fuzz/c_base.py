"""What all writers for C and C++ use: the table of writers, clauses, accumulators and reductions.

In the program's text, A[0..4] are added to atomically, A[5] by an atomic exclusive or, A[6] and A[7] inside critical
regions: the order of threads and tasks does not change them. All names of variables are unique in a case.

writers.py has what the languages share. Tested by self_test.py.
"""

import writers
from tree import in_c, in_python
from writers import BITS

WRITERS, writer = writers.table()


def clauses(n):
    return "".join(" " + c for c in n.p.get("clauses", []))


def add_text(t, k, c, p, how="atomic"):
    """A[k] gets a value."""
    if k == 5:
        t.c("#pragma omp atomic", "A[5] ^= %s;" % c)
    elif k >= 6:
        t.c("#pragma omp critical%s" % ("(six)" if k == 6 else ""), "A[%d] += %s;" % (k, c))
    elif how == "call":
        t.c("add(%d, %s);" % (k, c))
    else:
        t.c("#pragma omp atomic" + ("" if how == "atomic" else " " + how), "A[%d] += %s;" % (k, c))
    writers.model_add(t, k, p)


def add(t, k, e, how="atomic"):
    add_text(t, k, in_c(e), in_python(e), how)


# ------------------------------------------------------------------------------------------------------------
# Reductions


class Reduction(writers.Reduction):
    def declaration(self):
        n = self.name
        if self.type == "pair":
            return "struct pair %s = {%d, %d};" % (n, self.initial, self.initial)
        if self.type == "array":
            return "u64 %s[4] = {1, 2, 3, %d};" % (n, self.initial)
        if self.type == "Sum":
            return "Sum %s(%d);" % (n, self.initial)
        return "%s %s = %d;" % (self.type, n, self.initial)

    def clause(self, keyword="reduction", modifier=""):
        item = self.name + ("[1:2]" if self.type == "array" else "")
        op = "merge" if self.type == "pair" else self.op
        return " %s(%s%s : %s)" % (keyword, modifier, op, item)

    def step(self, t):
        """The statement that adds one value."""
        c, p = self.texts()
        t.c(c)
        t.p(p)

    def texts(self):
        n, c = self.name, in_c(self.e)
        if self.type == "pair":
            return "%s.s += %s, %s.x ^= %s;" % (n, c, n, c), self.model_step()
        if self.type == "array":
            return "%s[1 + (%s & 1)] += %s;" % (n, c, c), self.model_step()
        if self.op in ("&&", "||"):
            return "%s = %s %s ((%s & 63) != 7);" % (n, n, self.op, c), self.model_step()
        return self.number_texts(n, c, in_python(self.e))

    def number_texts(self, n, c, p):
        if self.type == "Sum":
            return "%s += Sum(%s);" % (n, c), "%s += %s" % (n, p)
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
            return "%s.s * 3 + %s.x" % (n, n)
        if self.type == "array":
            return self.model_result()
        if self.type == "Sum":
            return n + ".v"
        return "U((i64)%s)" % n if self.type in ("double", "float", "long double") else "U(%s)" % n

    def finish(self, t):
        add_text(t, self.k, self.result(), self.model_result(), "call" if self.k < 5 else "atomic")


def reductions(n):
    return [Reduction(r) for r in n.p.get("red", [])]


def shared_of(nodes):
    red, last = writers.shared_of(nodes)
    return [Reduction(r) for r in red], last


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
