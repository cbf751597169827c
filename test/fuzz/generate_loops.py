"""The generator's loops, ordered and doacross loops, scans, atomic operations and locks."""

from generate_base import WORK, Base
from tree import Node


class Loops(Base):
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
    # Loops whose iterations wait for each other

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

    # --------------------------------------------------------------------------------------------------------
    # Atomic operations and locks

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
