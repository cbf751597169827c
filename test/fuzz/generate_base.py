"""What all parts of the generator use: where a node stands (Context), random choices, sizes, reductions.

The parts are generate_regions.py, generate_loops.py, generate_tasks.py and generate_target.py, each a class with a
method for each kind of node; generate.py makes one generator of them. The order of the random numbers is fixed: code
that draws another number, or one more, changes the programs of all seeds. Tested by self_test.py.
"""

from tree import Node, expression
from writers import BITS

WORK = 2500  # executions of a statement in a case
THREADS = 16  # product of the sizes of nested teams
DEPTH = 5


class Context:
    """Where the next node stands.

    mode: "seq" outside of all regions, "par" directly in a parallel region (all threads execute it, worksharing is
    possible), "one" in a block that one thread executes, "teams" directly in a teams region, "leaf" where only plain
    statements may stand. names: integer variables. t: the variable with the thread's number. work: how often a
    statement here is executed. room: what is left of THREADS.
    """

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def inside(self, **changes):
        fields = dict(self.__dict__, depth=self.depth + 1)
        fields.update(changes)
        return Context(**fields)


class Base:
    """One case's random numbers and names, and what all parts choose alike. `node` is generate.py's."""

    def __init__(self, rng, language, sized, has):
        """has: the language's row of languages.py."""
        self.rng, self.language, self.sized, self.has = rng, language, sized, has
        self.last = 0
        self.left = rng.choice([3, 5, 8, 12, 20])  # how many more nodes
        self.low = False  # directly in a teams region there are no critical regions

    def name(self, letter):
        self.last += 1
        return "%s%d" % (letter, self.last)

    def chance(self, p):
        return self.rng.random() < p

    def expression(self, ctx, depth=2):
        return expression(self.rng, ctx.names, depth)

    def pick(self, *clauses):
        """Some of the clauses, each in one of its forms."""
        found = []
        for forms in clauses:
            if self.chance(0.3):
                found.append(self.rng.choice(forms) if isinstance(forms, list) else forms)
        return found

    def block(self, ctx, count):
        nodes = []
        for _ in range(count):
            node = self.node(ctx)
            if node:
                nodes.append(node)
        return nodes

    def some(self, ctx):
        """A short block."""
        return self.block(ctx, self.rng.choice([0, 1, 1, 1, 2, 2, 3]))

    def k(self):
        return self.rng.choice([0, 0, 1, 2, 3, 4, 5, 6, 7] if not self.low else [0, 1, 2, 3, 4])

    def count(self, ctx, most):
        limit = max(1, min(most, WORK // ctx.work))
        return self.rng.choice([0, 1, 2, limit, self.rng.randint(1, limit), self.rng.randint(1, limit)])

    def make_add(self, ctx):
        k = self.k()
        how = self.rng.choice(["atomic", "atomic", "call", "seq_cst", "relaxed", "acq_rel", "hint(omp_sync_hint_none)"])
        if ctx.mode in ("teams", "calls"):
            k, how = k % 5, "call"
        if how == "atomic" and self.chance(0.2):
            how = "update"
        return Node("add", k=k, e=self.expression(ctx), how=how)

    def threads(self, ctx, default=True):
        """A team's size; 0 for the default, which may be up to 8."""
        sizes = [n for n in (1, 2, 2, 3, 3, 4, 5, 7, 8) if n <= ctx.room and n * ctx.work <= WORK]
        if default and ctx.nested == 0 and ctx.room >= 8 and self.chance(0.4):
            return 0
        return self.rng.choice(sizes or [1])

    def binding(self):
        return ["proc_bind(%s)" % p for p in ("close", "spread", "master", "primary")]

    def one(self, ctx, **more):
        return ctx.inside(mode="one", t=None, names=[n for n in ctx.names if n not in ctx.varying], varying=[], **more)

    def reduction(self, ctx, plain=False, task=False):
        """A tuple for writers.Reduction."""
        integer = ["u64", "u64", "unsigned", "unsigned short", "unsigned char"]
        kinds = [("+", t) for t in integer + ["int", "i64", "double", "float", "long double", "short"]]
        kinds += [("-", t) for t in ["u64", "int", "double"]]
        kinds += [(op, t) for op in "*&|^" for t in integer]
        kinds += [(op, "int") for op in self.has["logical"]] * 3
        kinds += [(op, t) for op in ("min", "max") for t in ("u64", "int", "i64", "double", "short")]
        if not plain:
            kinds += [("+", "array")] * 4
            if not task or self.has["task pairs"]:
                kinds += [("merge", "pair")] * 4
            if self.language == "c++":
                kinds += [("+", "Sum")] * 6
        op, kind = self.rng.choice(kinds)
        initial = {"&&": 1, "&": 255}.get(op, self.rng.randint(0, 1) if op in ("||", "eqv", "neqv")
                                          else self.rng.randint(1, 100))
        if op == "&" and kind == "u64":
            initial = self.rng.randrange(1 << 31)
        if op == "*" and kind in BITS:
            initial |= 1
        return (self.name("r"), op, kind, self.k(), self.expression(ctx), initial)
