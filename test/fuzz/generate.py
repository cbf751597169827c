"""Random cases for C, C++ and Fortran: which constructs may stand where. constructs.py and fortran.py write them.

The same seed gives the same cases. A file is either `sized`, then its results may depend on the size of teams, which
the model knows, or not, then it also runs where teams may be smaller than they ask for (OMP_DYNAMIC).
"""

import random

from constructs import BITS, QUERIES, UNSIZED_QUERIES
from languages import LANGUAGES
from tree import Case, Node, expression

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


class Generator:
    def __init__(self, rng, language, sized):
        self.rng, self.language, self.sized = rng, language, sized
        self.has = LANGUAGES[language]
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

    def case(self, number):
        ctx = Context(mode="seq", depth=0, names=[], t=None, work=1, room=THREADS, final=False, nested=0,
                      repeat=False, sized=self.sized, task=False, varying=[], league=False)
        nodes = self.block(ctx, self.rng.choice([1, 2, 2, 3, 4]))
        return Case(number, self.rng.choice([1, 1, 2, 2, 3, 4]), nodes)

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

    # --------------------------------------------------------------------------------------------------------

    CHOICES = {
        # kind: weight in seq, par, one, teams
        "add": (1, 4, 5, 2),
        "query": (1, 3, 2, 0),
        "repeat": (1, 2, 1, 0),
        "when": (0, 0, 1, 0),
        "parallel": (9, 1, 1.5, 2),
        "worksharing": (0, 6, 0, 0),
        "sections": (1, 1.5, 0.3, 0),
        "single": (0, 2, 0, 0),
        "masked": (0, 1.5, 0, 0),
        "copyprivate": (0, 1, 0, 0),
        "barrier": (0, 1.5, 0, 0),
        "scope": (0, 1, 0, 0),
        "ordered": (1, 1, 0.3, 0),
        "parallel loop": (5, 0.5, 1, 2),
        "doacross": (1, 0.1, 0.2, 0),
        "doacross2": (0.6, 0.1, 0.1, 0),
        "scan": (1, 0.1, 0.2, 0),
        "exchange": (1, 0.2, 0.3, 0),
        "copyin": (1, 0.1, 0.2, 0),
        "atomics": (1.2, 0.2, 0.2, 0),
        "locks": (1.2, 0.2, 0.2, 0),
        "task": (1, 3, 4, 0),
        "included": (0.2, 0.3, 0.4, 0),
        "taskwait": (0, 1, 1.5, 0),
        "taskyield": (0, 0.5, 0.5, 0),
        "taskgroup": (0.5, 1, 1.5, 0),
        "depend": (1, 1, 2, 0),
        "detach": (0.5, 0.7, 1, 0),
        "taskloop": (1, 1, 2, 0),
        "cancel": (1.5, 0.2, 0.4, 0),
        "teams": (0.8, 0, 0, 0),
        "teams loop": (0.8, 0, 0, 0),
        "distribute": (0, 0, 0, 3),
        "target": (0.8, 0.2, 0.3, 0),
        "target loop": (0.8, 0, 0.1, 0),
        "memory": (0.6, 0.3, 0.3, 0),
        "allocate": (0.5, 0.1, 0.1, 0),
        "schedule": (1, 0.2, 0.2, 0),
        "throw": (0.5, 1, 2, 0),
        "objects": (1, 0.2, 0.3, 0),
        "iterators": (1, 0.2, 0.3, 0),
        "workshare": (1, 0.2, 0.3, 0),
        "allocatables": (1, 0.2, 0.3, 0),
    }
    MODES = {"seq": 0, "par": 1, "one": 2, "teams": 3}
    FLAT = {"add", "query", "taskyield", "taskwait", "barrier", "memory", "copyprivate"}

    def node(self, ctx):
        self.left -= 1
        if self.left < 0 and ctx.depth > 0:
            return self.make_add(ctx) if self.chance(0.3) and (ctx.sized or ctx.mode != "par") else None
        if ctx.mode in ("leaf", "calls"):
            return self.make_add(ctx)
        column = self.MODES[ctx.mode]
        kinds, weights = [], []
        for kind, row in self.CHOICES.items():
            weight = row[column]
            if kind in self.has["lacks"]:
                continue
            if ctx.depth >= DEPTH and kind not in self.FLAT:
                continue
            if ctx.mode == "par" and not ctx.sized and kind in (
                "add", "query", "copyprivate", "memory", "task", "included", "taskgroup", "depend", "detach",
                "taskloop", "parallel", "parallel loop", "doacross", "doacross2", "scan", "exchange", "copyin",
                "atomics", "locks", "cancel", "target", "allocate", "schedule", "throw", "objects", "iterators",
                "scope", "workshare", "allocatables"
            ):
                continue
            if not ctx.sized and kind in ("exchange", "copyin") or ctx.task and kind == "copyin":
                continue
            if weight:
                kinds.append(kind)
                weights.append(weight)
        kind = self.rng.choices(kinds, weights)[0]
        return getattr(self, "make_" + kind.replace(" ", "_"))(ctx)

    # --------------------------------------------------------------------------------------------------------
    # Plain statements

    def k(self):
        return self.rng.choice([0, 0, 1, 2, 3, 4, 5, 6, 7] if not self.low else [0, 1, 2, 3, 4])

    def make_add(self, ctx):
        k = self.k()
        how = self.rng.choice(["atomic", "atomic", "call", "seq_cst", "relaxed", "acq_rel", "hint(omp_sync_hint_none)"])
        if ctx.mode in ("teams", "calls"):
            k, how = k % 5, "call"
        if how == "atomic" and self.chance(0.2):
            how = "update"
        return Node("add", k=k, e=self.expression(ctx), how=how)

    def make_query(self, ctx):
        q = self.rng.choice(sorted(QUERIES) if ctx.sized else UNSIZED_QUERIES)
        if ctx.league:
            q = "omp_get_max_active_levels()"
        if self.chance(0.5) and ctx.sized:
            q = "omp_get_num_threads()"
        return Node("query", k=self.k(), q=q, m=self.rng.choice([1, 3, 1001]))

    def make_repeat(self, ctx):
        count = self.count(ctx, 4)
        name = self.name("q")
        inside = ctx.inside(names=ctx.names + [name], work=ctx.work * max(count, 1), repeat=True)
        return Node("repeat", [self.some(inside)], name=name, count=count)

    def make_when(self, ctx):
        return Node("when", [self.some(ctx.inside())], e=self.expression(ctx))

    def count(self, ctx, most):
        limit = max(1, min(most, WORK // ctx.work))
        return self.rng.choice([0, 1, 2, limit, self.rng.randint(1, limit), self.rng.randint(1, limit)])

    # --------------------------------------------------------------------------------------------------------
    # Parallel regions

    def threads(self, ctx, default=True):
        """A team's size; 0 for the default, which may be up to 8."""
        sizes = [n for n in (1, 2, 2, 3, 3, 4, 5, 7, 8) if n <= ctx.room and n * ctx.work <= WORK]
        if default and ctx.nested == 0 and ctx.room >= 8 and self.chance(0.4):
            return 0
        return self.rng.choice(sizes or [1])

    def binding(self):
        return ["proc_bind(%s)" % p for p in ("close", "spread", "master", "primary")]

    def in_region(self, ctx, n, t):
        return ctx.inside(mode="par", t=t, names=ctx.names + ([t] if ctx.sized else []), work=ctx.work * (n or 8),
                          room=ctx.room // (n or 8), nested=ctx.nested + 1, repeat=False, varying=[t],
                          final=False, task=False)

    def make_parallel(self, ctx):
        n, t = self.threads(ctx), self.name("t")
        how = "clause"
        if n and ctx.sized and self.chance(0.2) and ctx.mode != "teams":
            how = "icv"
        elif n >= 4 and self.chance(0.3):
            how, n = "expression", 4
        inside = self.in_region(ctx, n, t)
        p = {"n": n, "t": t, "how": how, "e": self.expression(ctx), "sized": ctx.sized}
        if self.chance(0.15) and ctx.sized:
            p["if"] = self.expression(ctx)
        if self.chance(0.25):
            p["private"] = (self.name("f"), "u64", self.expression(ctx))
            inside.names = inside.names + [p["private"][0]]
            inside.varying = inside.varying + [p["private"][0]]
        if ctx.sized and self.chance(0.3):
            p["red"] = [self.reduction(inside) for _ in range(self.rng.choice([1, 1, 2]))]
        p["clauses"] = self.pick(self.binding(), ["default(shared)"])
        return Node("parallel", [self.block(inside, self.rng.choice([1, 2, 3, 4]))], **p)

    def reduction(self, ctx, plain=False, task=False):
        """A tuple for constructs.Reduction."""
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

    def make_exchange(self, ctx):
        n = self.threads(ctx)
        rounds = self.rng.randint(1, 6) if ctx.work * (n or 8) * 6 <= WORK else 1
        return Node("exchange", name=self.name("b"), n=n, k=self.k(), m=self.rng.randint(1, 1 << 40), rounds=rounds,
                    clauses=self.pick(self.binding()))

    def make_copyin(self, ctx):
        n = self.threads(ctx)
        kept = ctx.mode == "seq" and ctx.depth == 0 and not ctx.task
        return Node("copyin", name=self.name("c"), n=n, e=self.expression(ctx), k=self.k(), k2=self.k(),
                    m=self.rng.randint(1, 1 << 20), kept=kept, clauses=[])

    # --------------------------------------------------------------------------------------------------------
    # Worksharing

    def one(self, ctx, **more):
        return ctx.inside(mode="one", t=None, names=[n for n in ctx.names if n not in ctx.varying], varying=[], **more)

    def make_barrier(self, ctx):
        return Node("barrier")

    def make_single(self, ctx):
        return Node("single", [self.block(self.one(ctx), self.rng.choice([1, 2, 3, 4]))], t=ctx.t,
                    clauses=self.pick("nowait"))

    def make_masked(self, ctx):
        filters = [None, 0, 0] + ([1, 2, 5] if ctx.sized else [])
        return Node("masked", [self.block(self.one(ctx), self.rng.choice([1, 2, 3]))], t=ctx.t,
                    filter=self.rng.choice(filters))

    def make_copyprivate(self, ctx):
        # The value is the executing thread's: it must be the same for all of them.
        e = expression(self.rng, [n for n in ctx.names if n[0] in "iq"])
        return Node("copyprivate", name=self.name("v"), k=self.k(), e=e)

    def make_scope(self, ctx):
        p = {"clauses": []}
        if self.chance(0.6):
            p["red"], p["shared"] = [self.reduction(ctx)], True
        elif self.chance(0.4):
            p["clauses"] = ["nowait"]
        return Node("scope", [self.block(ctx.inside(), self.rng.choice([0, 1]))
                              if ctx.depth + 1 >= DEPTH else [self.make_add(ctx)]], t=ctx.t, **p)

    def make_sections(self, ctx):
        binds = ctx.mode == "par"
        n = 0 if binds else self.threads(ctx)
        inside = self.one(ctx, **({} if binds else {"nested": ctx.nested + 1, "room": ctx.room // (n or 8)}))
        p = {"t": ctx.t if binds else None, "n": n, "clauses": []}
        if self.chance(0.4):
            p["red"] = [self.reduction(inside)]
            p["shared"] = binds
        elif binds:
            p["clauses"] = self.pick("nowait")
        blocks = [self.some(inside) for _ in range(self.rng.choice([1, 2, 3, 4, 6]))]
        return Node("sections", blocks, **p)

    def schedules(self, kinds=("static", "dynamic", "guided", "runtime", "auto"), modifiers=True, large=True, axes=()):
        kind = self.rng.choice(kinds)
        text = kind
        if kind in ("static", "dynamic", "guided") and self.chance(0.6):
            chunks = ["1", "2", "3", "7", "64", "1000", "opaque_int(3)"]
            if kind != "static" and large:
                chunks += ["1000000", "2147483647", "opaque_int(2147483647)", "1LL << 40",
                           "9223372036854775807LL", "opaque_i64(4611686018427387904LL)"]
            chunk = self.rng.choice(chunks)
            if kind == "static" and chunk in ("64", "1000") and any(axis[1] == "char" for axis in axes):
                chunk = "7"  # GCC takes the team's size times the chunk as a number of the loop variable's type
            text += ", " + chunk
        if modifiers and self.chance(0.3):
            modifier = self.rng.choice(["monotonic", "nonmonotonic"])
            text = "%s: %s" % (modifier, text)
        return "schedule(%s)" % text

    def axis(self, cap, kinds=None, start=0):
        """One loop of a nest, of up to `cap` iterations; first + count * step fits into the type."""
        rng = self.rng
        kind = rng.choice(kinds or self.has["axis"])
        least, most = self.has["types"][kind]
        count = rng.choice([0, 1, 2, cap, rng.randint(0, cap), rng.randint(0, cap), rng.randint(0, cap)])
        # GCC computes the number of iterations in the loop's type: the distance and a step more fit into it.
        widest = min(most // (count + 1), most // 8)
        # and it takes a negative step of an unsigned int as a large positive one.
        up = rng.random() < 0.65 or kind == "unsigned"
        if least == 0 and not up:
            widest //= 2
        step = rng.choice([1, 1, 1, 1, 2, 3, 7, 1000, widest, rng.randint(1, max(1, widest))])
        step = max(1, min(step, widest))
        span = step * count
        first = rng.choice([least, most - span, 0, 1, -5, rng.randint(least, most - span)])
        first = min(max(first, least), most - span)
        if not up:
            first += span
        after = first + (span if up else -span)
        opaque = rng.random() < 0.5
        slack = rng.choice([0, 0, min(step - 1, 1), rng.randint(0, step - 1)])
        conditions = ["<", "<="] if up else [">", ">="]
        if step == 1 and (up or least < 0):  # GCC 12 executes no iteration of `i != 0; i -= 1` with i unsigned
            conditions.append("!=")
        condition = rng.choice(conditions)
        if condition == "!=":
            bound = after
        elif count == 0:
            away = rng.choice([0, 1, 5, 1 << 20])
            bound = max(first - away, least) if up else min(first + away, most)
            if len(condition) == 2 and bound == first:
                condition = condition[0]
            opaque = opaque or bound in (least, most)  # else the compiler says that the condition never holds
        elif condition in "<>":
            bound = after - slack if up else after + slack
        else:
            last = after - step if up else after + step
            bound = last + slack if up else last - slack
        return (self.name("i"), kind, first, condition, bound, step if up else -step, opaque,
                rng.randint(0, 3)), count

    def nest(self, ctx, triangles=False, most=3):
        """The loops of a nest and the number of its iterations."""
        cap = max(1, min(60, WORK // ctx.work))
        axes, total = [], 1
        for _ in range(self.rng.choice([1, 1, 1, 1, 2, 3][: 3 + most])):
            axis, count = self.axis(max(1, min(cap // max(total, 1), 60 if not axes else 6)))
            axes.append(axis)
            total *= count
        if triangles and self.has["triangles"] and self.chance(0.1) and cap >= 30:
            first, second = self.name("i"), self.name("i")
            extra = self.rng.randint(0, 2)
            axes = [(first, "int", 0, "<", self.rng.randint(1, 6), 1, False, 0),
                    (second, "int", self.rng.randint(0, 2), "<", (first, extra), 1, False, 0)]
            total = 25
        return axes, total

    def loop(self, ctx, how, **p):
        """A loop node: its clauses follow from its directive. The body is executed by one thread."""
        taskloop, simd = "taskloop" in how, how.endswith("simd")
        flat = "target" in how or "loop" in how.split() or "distribute" in how or how.startswith("teams")
        axes, total = self.nest(ctx, triangles=how in ("for", "parallel for"),
                                most=1 if simd and not self.has["simd nests"] else 3)
        triangle = any(isinstance(a[4], tuple) for a in axes)
        inside = self.one(ctx, work=ctx.work * max(total, 1), repeat=False)
        inside.names = inside.names + [a[0] for a in axes]
        if p.get("n") is not None:
            inside.nested, inside.room = ctx.nested + 1, ctx.room // (p["n"] or 8)
        if flat:
            inside.mode = "calls" if "loop" in how.split() else "leaf"
        p["clauses"] = []
        reduces = self.chance(0.45) and not (how == "distribute") or simd
        if reduces and how != "loop":
            p["red"] = [self.reduction(inside, plain=flat or taskloop) for _ in range(self.rng.choice([1, 1, 2]))]
        if (not reduces and self.chance(0.25) and total and not triangle and "loop" not in how.split()
                and not simd and "target" not in how):
            p["last"] = [(self.name("l"), self.k(), self.expression(inside))]
        if how.split()[-1] == "for" or how in ("for simd", "parallel for simd"):
            if self.chance(0.7):
                p["clauses"] += [] if triangle else [self.schedules(axes=axes)]
            if how == "for" and not p.get("red") and not p.get("last"):
                p["clauses"] += self.pick("nowait")
            if (how in ("for", "parallel for") and p.get("red") and "nowait" not in p["clauses"] and self.chance(0.15)
                    and all(r[2] in ("u64", "int", "double", "unsigned") for r in p["red"])):
                p["task_modifier"] = True
        if "distribute" in how and self.chance(0.4):
            p["clauses"].append("dist_schedule(static%s)" % self.rng.choice(["", ", 1", ", 5"]))
        if taskloop:
            strict = self.rng.choice(["", "strict: "])
            p["clauses"] += self.rng.choice([
                [], ["grainsize(%s%d)" % (strict, self.rng.choice([1, 2, 5, 1000]))],
                ["num_tasks(%s%d)" % (strict, self.rng.choice([1, 2, 3, 7, 1000]))]])
            p["clauses"] += self.pick("untied", "mergeable", "priority(2)", "final(0)",
                                      ["if(opaque_int(%d))" % self.rng.randint(0, 1)] if "parallel" not in how else [
                                          "if(taskloop: opaque_int(%d))" % self.rng.randint(0, 1)])
            if not p.get("red") and not p.get("last"):
                p["clauses"] += self.pick("nogroup")
        if how.startswith("parallel"):
            p["clauses"] += self.pick(self.binding())
        if how == "loop":
            p["clauses"].append("bind(parallel)")
        p["shared"] = how in ("for", "for simd", "loop")
        block = [] if simd else self.some(inside)
        if not block and not p.get("red") and not p.get("last") and not simd:
            block = [self.make_add(inside)]
        return Node("loop", [block], how=how, axes=axes, **p)

    def make_worksharing(self, ctx):
        how = self.rng.choice(["for"] * 9 + ["for simd", "loop"])
        if how in self.has["lacks"]:
            how = "for"
        return self.loop(ctx, how, t=ctx.t)

    def make_parallel_loop(self, ctx):
        hows = ["parallel for"] * 8 + ["parallel for simd", "parallel loop"]
        if ctx.mode == "teams":
            hows = ["parallel for"]
        else:
            hows += ["parallel masked taskloop", "parallel master taskloop"]
        how = self.rng.choice(hows)
        return self.loop(ctx, how, n=self.threads(ctx))

    def make_taskloop(self, ctx):
        return self.loop(ctx, "taskloop")

    def make_teams_loop(self, ctx):
        how = self.rng.choice(["teams distribute parallel for", "teams distribute", "teams loop"])
        node = self.loop(ctx, how)
        node.p["clauses"] += self.pick(["num_teams(3)", "num_teams(1)", "num_teams(2 : 5)"],
                                       ["thread_limit(2)", "thread_limit(5)"])
        return node

    def make_distribute(self, ctx):
        # All teams share the iterations; the model executes a teams region's block once for each team.
        how = self.rng.choice(["distribute", "distribute parallel for"])
        node = self.loop(ctx, how)
        node.p.pop("red", None)
        node.p.pop("last", None)
        node.p["clauses"] = [c for c in node.p["clauses"] if not c.startswith("if")]
        if not node.blocks[0]:
            node.blocks[0] = [Node("add", k=1, e=("n", 5), how="call")]
        return Node("once", [[node]], t=ctx.t)

    def make_target_loop(self, ctx):
        how = self.rng.choice(["target parallel for", "target teams distribute parallel for", "target teams distribute",
                               "target teams loop"])
        return self.loop(ctx, how, **({"n": self.rng.choice([1, 2, 3])} if how == "target parallel for" else {}))

    def make_ordered(self, ctx):
        binds = ctx.mode == "par"
        n = 0 if binds else self.threads(ctx)
        axis, total = self.axis(max(1, min(30, WORK // ctx.work)))
        inside = self.one(ctx, work=ctx.work * max(total, 1))
        inside.mode = "leaf"
        inside.names = inside.names + [axis[0]]
        p = {"axis": axis, "n": n, "t": ctx.t if binds else None, "name": self.name("h"), "k": self.k(),
             "e": self.expression(inside), "clauses": []}
        if binds:
            p["shared"], p["plain"] = True, [(p["name"], p["k"], None)]
        if self.chance(0.7):
            p["clauses"].append(self.schedules(modifiers=False, axes=[axis]))
        if self.chance(0.3):
            p["some"] = self.expression(inside)
        blocks = [self.block(inside, self.rng.choice([0, 1])) for _ in range(2)]
        return Node("ordered", blocks,
                    **p)

    def make_doacross(self, ctx):
        kind = self.rng.choice(self.has["doacross"])
        count = max(1, self.count(ctx, 40))
        step = self.rng.choice([1, 1, 2, 5, -1, -3])
        least, most = self.has["types"][kind]
        span = abs(step) * count
        low = self.rng.choice([0, 10, least + 100, most - span - 100])
        low = min(max(low, least + 100), most - span - 100)
        inside = self.one(ctx, work=ctx.work * count)
        name = self.name("d")
        inside.mode, inside.names = "leaf", inside.names + [name + "i"]
        blocks = [self.block(inside, self.rng.choice([0, 1])) for _ in range(2)]
        return Node("doacross", blocks,
                    name=name, n=self.threads(ctx), type=kind, count=count, step=step,
                    first=low if step > 0 else low + span,
                    distances=self.rng.choice([[1], [1], [2], [1, 2], [1, 5], [3]]), e=self.expression(inside),
                    k=self.k(), clauses=[self.schedules(modifiers=False)] if self.chance(0.6) else [])

    def make_doacross2(self, ctx):
        limit = WORK // ctx.work
        rows = self.rng.randint(1, 6 if limit >= 36 else 1)
        columns = self.rng.randint(1, 6 if limit >= 36 else 1)
        name = self.name("d")
        inside = self.one(ctx, work=ctx.work * 36)
        inside.mode, inside.names = "leaf", inside.names + [name + "i", name + "j"]
        return Node("doacross2", [self.block(inside, self.rng.choice([0, 1]))], name=name, n=self.threads(ctx),
                    rows=rows, columns=columns, collapse=self.chance(0.4), e=self.expression(inside), k=self.k(),
                    clauses=[self.schedules(modifiers=False)] if self.chance(0.6) else [])

    def make_scan(self, ctx):
        name = self.name("s")
        inside = self.one(ctx)
        inside.names = inside.names + [name + "i"]
        return Node("scan", name=name, n=self.threads(ctx), count=self.count(ctx, 50), initial=self.rng.randint(0, 9),
                    inclusive=self.chance(0.5), e=self.expression(inside), k=self.k(),
                    clauses=[])

    def make_atomics(self, ctx):
        name = self.name("a")
        inside = self.one(ctx)
        inside.names = inside.names + [name + "i"]
        items = self.rng.sample(sorted(self.has["atomics"]), self.rng.randint(1, 6))
        return Node("atomics", name=name, n=self.threads(ctx), count=self.count(ctx, 40), items=items,
                    e=self.expression(inside), k=self.k(), clauses=[self.schedules()] if self.chance(0.5) else [])

    def make_locks(self, ctx):
        name = self.name("l")
        inside = self.one(ctx)
        inside.names = inside.names + [name + "i"]
        # A nest lock belongs to a task, and a task with it is not to be suspended.
        return Node("locks", name=name, n=self.threads(ctx), count=self.count(ctx, 40), nest=self.chance(0.5),
                    tasks=self.rng.choice([0, 0, 1, 2]), test=self.chance(0.4), e=self.expression(inside), k=self.k(),
                    clauses=[self.schedules()] if self.chance(0.5) else [])

    def make_schedule(self, ctx):
        sched = self.rng.choice(["omp_sched_static", "omp_sched_dynamic", "omp_sched_guided"])
        chunk = self.rng.choice([1, 2, 5, 1000, 2147483647 if "static" not in sched else 100])
        if self.chance(0.2):
            sched += " | omp_sched_monotonic"
        inside = ctx.inside()
        block = self.some(inside)
        loop = self.loop(inside, "parallel for", n=self.threads(inside))
        loop.p["clauses"] = [c for c in loop.p["clauses"] if "schedule" not in c] + (
            [] if any(isinstance(a[4], tuple) for a in loop.p["axes"]) else ["schedule(runtime)"])
        return Node("schedule", [block + [loop]], name=self.name("s"), sched=sched, chunk=chunk, k=self.k())

    # --------------------------------------------------------------------------------------------------------
    # Tasks

    def make_task(self, ctx):
        inside = self.one(ctx, task=True)
        inside.names = list(ctx.names)
        p = {"clauses": self.pick("untied", "mergeable", ["priority(1)", "priority(7)"], "final(opaque_int(0))")}
        if self.chance(0.15):
            p["if"] = self.expression(ctx)
        if self.chance(0.3):
            p["private"] = (self.name("f"), self.rng.choice(self.has["private"]),
                            self.expression(ctx))
        return Node("task", [self.some(inside)], **p)

    def make_included(self, ctx):
        inside = self.one(ctx, task=True, final=True)
        inside.names = list(ctx.names)
        return Node("included", [self.some(inside)], k=self.k(), clauses=self.pick("untied", "mergeable"))

    def make_taskwait(self, ctx):
        return Node("taskwait")

    def make_taskyield(self, ctx):
        return Node("taskyield")

    def make_taskgroup(self, ctx):
        inside = self.one(ctx)
        inside.names = list(ctx.names)
        p = {"clauses": self.pick("untied", "mergeable", "priority(3)")}
        if self.chance(0.6):
            p["red"] = [self.reduction(inside, plain=self.chance(0.7), task=True)
                        for _ in range(self.rng.choice([1, 1, 2]))]
            p["tasks"] = self.rng.randint(0, 6)
        return Node("taskgroup", [self.some(inside)], **p)

    DEPENDENCES = ["inout", "inout", "inout", "out", "in", "in", "mutexinoutset", "two mutexes", "iterator",
                   "iterator out", "depobj", "taskwait", "undeferred"]
    NEW_DEPENDENCES = []  # fuzz.py adds what the compiler here knows: inoutset

    def make_depend(self, ctx):
        steps = []
        for _ in range(self.rng.randint(1, 10)):
            inside = self.one(ctx, task=True, depth=DEPTH - 1 if self.chance(0.9) else ctx.depth)
            inside.names = list(ctx.names)
            how = self.rng.choice(self.DEPENDENCES + self.NEW_DEPENDENCES)
            a = self.rng.randrange(4)
            b = self.rng.choice([x for x in range(4) if x != a])
            block = self.some(inside) if self.chance(0.15) and how != "taskwait" else []
            steps.append(Node("dep", [block], how=how, a=a, b=b, k=self.k(), e=self.expression(ctx),
                              clauses=self.pick("untied", "mergeable", "priority(5)") if self.chance(0.4) else []))
        return Node("depend", [steps], name=self.name("x"), k=self.k())

    def make_detach(self, ctx):
        inside = self.one(ctx, task=True)
        # Where there is no team, and where many tasks wait, libgomp completes a task before its creator goes on.
        who = ["itself"] if ctx.final or not ctx.nested or ctx.work > 8 else ["itself", "first", "task", "creator"]
        return Node("detach", [[self.make_add(inside)] if self.chance(0.4) else []], name=self.name("e"), k=self.k(),
                    e=self.expression(ctx), who=self.rng.choice(who), clauses=self.pick("untied", "priority(1)"))

    def make_cancel(self, ctx):
        hows = ["for", "sections", "taskgroup"] + (["parallel"] if ctx.sized else [])
        how = self.rng.choice(hows)
        count = self.rng.randint(1, 12 if ctx.work <= 100 else 2)
        return Node("cancel", how=how, name=self.name("c"), n=self.threads(ctx), k=self.rng.randint(0, 4), count=count,
                    which=self.rng.randrange(count), before=self.rng.randint(0, 3),
                    clauses=[self.schedules()] if how == "for" and self.chance(0.6) else [],
                    **{"if": self.rng.choice([None, None, 0, 1])})

    # --------------------------------------------------------------------------------------------------------
    # Teams, target, memory, C++, Fortran

    def make_teams(self, ctx):
        n, t = self.rng.choice([1, 2, 3, 4]), self.name("t")
        inside = ctx.inside(mode="teams", t=t, names=ctx.names + [t], work=ctx.work * n, room=ctx.room // n,
                            sized=False, league=True, varying=[t])
        self.low = True
        block = self.block(inside, self.rng.choice([1, 2, 3]))
        self.low = False
        return Node("teams", [block], teams=n, t=t, clauses=[])

    def make_target(self, ctx):
        how = self.rng.choice(["plain", "plain", "data", "enter", "nowait"])
        inner = self.rng.choice(["", " parallel for", " teams distribute parallel for", " teams loop"])
        return Node("target", name=self.name("g"), count=max(1, self.count(ctx, 20)), e=self.expression(ctx), how=how,
                    inner=inner, k=self.k(), clauses=self.pick(["if(target: 0)", "if(target: opaque_int(1))"],
                                                               "device(omp_get_initial_device())"))

    def make_memory(self, ctx):
        how = self.rng.choice(["omp_default_mem_alloc", "omp_null_allocator", "omp_thread_mem_alloc",
                               "omp_low_lat_mem_alloc", "traits", "traits"])
        return Node("memory", name=self.name("m"), how=how, bytes=8 * self.rng.choice([3, 5, 64, 1000, 20000]),
                    alignment=self.rng.choice([8, 16, 64, 256, 4096]), pool=1 << 21,
                    fallback="omp_atv_default_mem_fb", k=self.k(), e=self.expression(ctx), exact=self.chance(0.5))

    def make_allocate(self, ctx):
        return Node("allocate", name=self.name("m"), n=self.threads(ctx), length=self.rng.choice([2, 10, 300]),
                    count=self.count(ctx, 20), space=self.rng.choice(["default", "large_cap", "thread"]), k=self.k(),
                    e=self.expression(ctx), clauses=[])

    def make_throw(self, ctx):
        return Node("throw", [self.some(ctx.inside()) if ctx.mode != "par" else [], self.some(ctx.inside())
                              if ctx.mode != "par" else []], k=self.rng.randint(0, 4), e=self.expression(ctx),
                    **{"if": self.expression(ctx)})

    def make_objects(self, ctx):
        return Node("objects", name=self.name("o"), n=self.threads(ctx), e=self.expression(ctx),
                    count=self.count(ctx, 20), k=self.k(), clauses=[self.schedules()] if self.chance(0.5) else [])

    def make_iterators(self, ctx):
        return Node("iterators", name=self.name("j"), n=self.threads(ctx), count=self.count(ctx, 30),
                    step=self.rng.choice([1, 1, 2, 7]), k=self.k(),
                    clauses=[self.schedules()] if self.chance(0.6) else [])

    def make_workshare(self, ctx):
        return Node("workshare", name=self.name("w"), n=self.threads(ctx), count=max(1, self.count(ctx, 30)),
                    e=self.expression(ctx), k=self.k(), clauses=[])

    def make_allocatables(self, ctx):
        count = 0
        while not count:  # else the last value is not defined
            axis, count = self.axis(max(1, min(30, WORK // ctx.work)), ["int", "i64"])
        return Node("allocatables", name=self.name("y"), n=self.threads(ctx), axis=axis, e=self.expression(ctx),
                    length=self.rng.choice([2, 10, 300]), k=self.k(),
                    clauses=[self.schedules()] if self.chance(0.5) else [])


def cases(seed, file, count, language, sized):
    """The cases of one file."""
    found = []
    for number in range(count):
        rng = random.Random("%s/%s/%s/%s" % (seed, file, number, language))
        found.append(Generator(rng, language, sized).case(number))
    return found
