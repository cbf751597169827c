"""The generator's tasks, taskgroups, dependences, events and cancellation."""

from generate_base import DEPTH, Base
from tree import Node


class Tasks(Base):
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
