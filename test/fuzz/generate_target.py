"""The generator's teams and target regions, memory, and what only C++ or only Fortran has."""

from generate_base import WORK, Base
from tree import Node


class Target(Base):
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

    # --------------------------------------------------------------------------------------------------------
    # C++

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

    # --------------------------------------------------------------------------------------------------------
    # Fortran

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
