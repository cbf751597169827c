"""What the writers of all languages share: a table of writers, the model's side of constructs, and of reductions.

A language's writers are c_*.py and fortran_*.py, with what only they use in c_base.py and fortran_base.py. Nothing here
depends on a language: tree.py has the idea of the two texts, program and model. Tested by self_test.py.
"""

from tree import in_python

# Calls of the library that look the same in all languages, and what the model says of them.
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


def table():
    """A language's empty table of writers, and the decorator that enters a function there."""
    writers = {"once": w_once}

    def writer(kind):
        def keep(function):
            writers[kind] = function
            return function

        return keep

    return writers, writer


def size_clause(n):
    return " num_threads(%d)" % n.p["n"] if n.p["n"] else ""


# ------------------------------------------------------------------------------------------------------------
# The model's side


def model_add(t, k, value):
    """A[k] gets a value."""
    t.p("A[%d] %s= %s" % (k, "^" if k == 5 else "+", value))


def once(n, t):
    """A worksharing construct is executed by one of the threads that meet it."""
    t.p("if %s == 0:" % n.p["t"])


def w_once(n, t):
    """The writer of `once`: what all teams of a league share is executed once."""
    once(n, t)
    t.block(n.blocks[0])
    t.out()


def once_in_team(n, t):
    """The same for a construct that makes its team itself; the number of blocks that it opens, two."""
    t.p("for _ in S.parallel(%d):" % n.p["n"], "if S.teams[-1][1] == 0:")
    return 2


def enter_team(n, t):
    """The block that each thread of a parallel region executes."""
    p = n.p
    wanted = "1 + (%s & 3)" % in_python(p["e"]) if p["how"] == "expression" else str(p["n"])
    condition = "%s & 1" % in_python(p["if"]) if p.get("if") else "1"
    t.p("for %s in S.parallel(%s, %s):" % (p["t"], wanted, condition))


def axis_model(a):
    """One loop of a nest. a: (name, type, first, condition, bound, step, opaque, style); a bound that is a tuple (name,
    number) is that loop variable plus the number."""
    name, _, first, condition, bound, step, _, _ = a
    end = "%s + %d" % bound if isinstance(bound, tuple) else str(bound)
    end += {"<=": " + 1", ">=": " - 1"}.get(condition, "")
    return "for %s in range(%d, %s, %d):" % (name, first, end, step)


def row(p, brackets="[]"):
    """What an iteration of a doacross loop sets, and of what: its own element of a row, and those before it."""
    top = max(p["distances"])

    def element(distance):
        return "%sw%s%sq + %d%s" % (p["name"], brackets[0], p["name"], top - distance, brackets[1])

    return element(0), " + ".join("%s * %d" % (element(d), 2 * d + 1) for d in p["distances"])


def neighbours(p, element="%s[%s][%s]"):
    """The same for two loops: an element of a matrix, and the three above and left of it."""
    w, i, j = (p["name"] + letter for letter in "wij")
    return element % (w, i + " + 1", j + " + 1"), "%s + %s * 3 + %s" % (
        element % (w, i, j + " + 1"), element % (w, i + " + 1", j), element % (w, i, j))


# ------------------------------------------------------------------------------------------------------------
# Reductions

BITS = {"u64": 64, "unsigned": 32, "unsigned short": 16, "unsigned char": 8}
LOGICAL = {"&&": "and", "||": "or", "eqv": "==", "neqv": "!="}


class Reduction:
    """One reduction variable, r of a node's p["red"]: its model. The languages' classes inherit from it."""

    def __init__(self, r):
        self.name, self.op, self.type, self.k, self.e, self.initial = r

    def model_start(self):
        if self.type == "pair":
            return "%s = [%d, %d]" % (self.name, self.initial, self.initial)
        if self.type == "array":
            return "%s = [1, 2, 3, %d]" % (self.name, self.initial)
        return "%s = %d" % (self.name, self.initial)

    def model_step(self):
        """How a variable that is no number gets a value."""
        n, p = self.name, in_python(self.e)
        if self.type == "pair":
            return "%s = [%s[0] + %s, %s[1] ^ %s]" % (n, n, p, n, p)
        if self.type == "array":
            return "%s[1 + (%s & 1)] += %s" % (n, p, p)
        return "%s = int(bool(%s) %s ((%s & 63) != 7))" % (n, n, LOGICAL[self.op], p)

    def model_result(self):
        n = self.name
        if self.type == "pair":
            return "%s[0] * 3 + %s[1]" % (n, n)
        if self.type == "array":
            return "%s[0] + %s[1] * 3 + %s[2] * 5 + %s[3] * 7" % (n, n, n, n)
        return n


def shared_of(nodes):
    """The reduction variables, and the variables of lastprivate, of worksharing constructs that bind to the parallel
    region with these nodes, as the nodes have them; the region's writer declares them."""
    found, last = [], []
    for n in nodes:
        if n.p.get("shared"):
            found += n.p.get("red", [])
            last += n.p.get("last", []) + n.p.get("plain", [])
        if n.kind != "parallel":
            for block in n.blocks:
                more = shared_of(block)
                found, last = found + more[0], last + more[1]
    return found, last
