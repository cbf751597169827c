"""What generated programs are made of: trees of nodes, and the text that is written from them.

A node has a kind, parameters and blocks (lists of nodes). A function for each kind and language (c_*.py, fortran_*.py;
writers.py has what they share) writes a node twice side by side: as source text of the program, and as Python text. The
Python text is the sequential model of the program: it is run to learn what the program has to print. Since both come
from the tree, a tree that lost a part (shrink.py) has a program and a model again.

All values that a program adds up are unsigned 64-bit numbers, and the model's numbers are taken modulo 2^64 at the
end; expressions (below) have only operations for which that is exact.
"""

MASK = (1 << 64) - 1
ACCUMULATORS = 8


class Node:
    """kind: a key of the table of writers. p: its parameters. blocks: lists of nodes."""

    def __init__(self, kind, blocks=(), **p):
        self.kind, self.p, self.blocks = kind, p, [list(b) for b in blocks]

    def copy(self):
        node = Node(self.kind)
        node.p = {k: list(v) if isinstance(v, list) else v for k, v in self.p.items()}
        node.blocks = [[child.copy() for child in block] for block in self.blocks]
        return node

    def size(self):
        return 1 + sum(child.size() for block in self.blocks for child in block)

    def kinds(self):
        yield self.kind
        for block in self.blocks:
            for child in block:
                yield from child.kinds()


# Expressions: ("v", name), ("n", number) or (operator, left, right).


def expression(rng, names, depth=2):
    """A random expression over variables."""
    if depth == 0 or rng.random() < 0.25:
        if names and rng.random() < 0.7:
            return ("v", rng.choice(names))
        return ("n", rng.choice([1, 2, 3, 5, 77, 255, 4099, 65537, rng.randrange(1 << 30), rng.randrange(1 << 62)]))
    return (rng.choice("++*^&|-"), expression(rng, names, depth - 1), expression(rng, names, depth - 1))


def names_in(e):
    if e[0] == "v":
        return {e[1]}
    return set() if e[0] == "n" else names_in(e[1]) | names_in(e[2])


def in_c(e):
    if e[0] == "v":
        return "U(%s)" % e[1]
    if e[0] == "n":
        return "%dULL" % e[1]
    return "(%s %s %s)" % (in_c(e[1]), e[0], in_c(e[2]))


def in_python(e):
    if e[0] in "vn":
        return str(e[1])
    return "(%s %s %s)" % (in_python(e[1]), e[0], in_python(e[2]))


class Text:
    """The two texts while they are written."""

    def __init__(self, writers, language):
        self.writers, self.language = writers, language
        self.source, self.model = [], []
        self._c_indent, self._p_indent = 1, 1

    def c(self, *lines):
        for line in lines:
            if line.startswith("}"):
                self._c_indent -= 1
            self.source.append("    " * self._c_indent + line)
            if line.endswith("{"):
                self._c_indent += 1

    def f(self, *lines):
        """Fortran's lines; an `end` closes what a block, do or if has opened."""
        for line in lines:
            if line.startswith("end "):
                self._c_indent -= 1
            self.source.append("    " * self._c_indent + line)
            if line == "block" or line.startswith("do ") or line.endswith(" then"):
                self._c_indent += 1

    def p(self, *lines):
        for line in lines:
            self.model.append(" " * self._p_indent + line)
            if line.endswith(":"):
                self._p_indent += 1
                self.model.append(" " * self._p_indent + "pass")

    def out(self, levels=1):
        """The model leaves `levels` blocks."""
        self._p_indent -= levels

    def block(self, nodes):
        for node in nodes:
            self.writers[node.kind](node, self)

    def enclosed(self, nodes, *declarations):
        self.c("{")
        self.c(*declarations)
        self.block(nodes)
        self.c("}")


class Machine:
    """The model's state of the OpenMP machine: the teams that enclose its present statement."""

    def __init__(self, threads, cancellation):
        self.threads, self.cancellation = threads, cancellation
        self.max_active = 1
        self.teams = []

    def active(self):
        return sum(1 for size, _ in self.teams if size > 1)

    def parallel(self, wanted, condition=1):
        """The thread numbers of a new team, one after the other; wanted 0: the default number."""
        wanted = wanted or self.threads
        size = 1 if not condition or self.active() >= self.max_active else wanted
        self.teams.append([size, 0])
        for thread in range(size):
            self.teams[-1][1] = thread
            yield thread
        self.teams.pop()

    def size(self):
        return self.teams[-1][0] if self.teams else 1

    def sign(self, value, bits=64):
        """A number as a signed one of so many bits."""
        value &= (1 << bits) - 1
        return value - (1 << bits) if value >> (bits - 1) else value


class Case:
    """One case: its number in its file, what it sets before it starts, and its tree."""

    def __init__(self, number, max_active, nodes):
        self.number, self.max_active, self.nodes = number, max_active, nodes

    def copy(self):
        return Case(self.number, self.max_active, [n.copy() for n in self.nodes])

    def size(self):
        return sum(n.size() for n in self.nodes)

    def texts(self, writers, language):
        text = Text(writers, language)
        text.block(self.nodes)
        return text.source, text.model

    def expected(self, writers, language, threads, cancellation):
        """The numbers that the case has to print."""
        _, model = self.texts(writers, language)
        scope = {}
        exec("def case(S, A, M):\n pass\n" + "\n".join(model) + "\n", scope)  # pylint: disable=exec-used
        machine, numbers = Machine(threads, cancellation), [0] * ACCUMULATORS
        machine.max_active = self.max_active
        scope["case"](machine, numbers, MASK)
        return [n & MASK for n in numbers]

    def line(self, numbers):
        return "%d %s" % (self.number, " ".join("%x" % n for n in numbers))
