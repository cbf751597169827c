"""The generator's plain statements, parallel regions and the constructs that are not loops in them."""

from generate_base import DEPTH, WORK, Base
from tree import Node, expression
from writers import QUERIES, UNSIZED_QUERIES


class Regions(Base):
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

    # --------------------------------------------------------------------------------------------------------
    # Parallel regions

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
    # What the team executes

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
