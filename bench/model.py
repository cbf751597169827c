"""A model of a team's fork, barriers and join: transfers of cache lines, wake-ups, and time slices on the CPUs.

A discrete-event simulation. Threads are generators that yield what they do: write a line, wait for one, sleep, wake
others. The machine has a number of cores and these costs (ns), which bench/c/large.c measures:

  transfer   a line comes from another core. Writes of one line come one after the other; so do reads of a line that
             was written, a quarter of a transfer apart (an assumption: two cores do not show it).
  switch     a thread leaves its core to the next one in the run queue.
  wake, latency             waking a thread when a core is idle: what the waker pays, and when the thread runs.
  wake_busy, busy_latency   the same when no core is idle.

A thread that waits keeps its core until another one wants it; then it goes to the end of the run queue and checks again
in its next time slice. The code of the threads is what cbits/core does: `flat` is team.c, pool.c and barrier.c, `tree`
is fork_tree.c, combining_tree.c and barrier_tree.c. The model leaves out which thread the kernel runs next, the
topology (all cores are equally far from each other), and what the threads compute, except `own` ns in each barrier or
region, which are fitted at two threads.

Deterministic. Used by bench/large.py.
"""

import heapq
from collections import deque

OWN_LINE = 2  # ns: a line that this core has already
READS_APART = 0.25  # of a transfer
FAN = 4  # GHCOMP_TREE_FAN_IN


class Line:
    def __init__(self):
        self.value, self.copies, self.busy, self.waiters = 0, set(), 0.0, []


class Thread:
    """`state`: running, queued, spinning, asleep or over. `waits`: what the thread waits for."""

    def __init__(self, code):
        self.code, self.core, self.state, self.waits, self.result = code, None, "new", None, None


class Machine:
    def __init__(self, cores, costs):
        self.costs, self.now, self.events, self.order = costs, 0.0, [], 0
        self.idle, self.queue, self.spinners, self.switches = list(range(cores))[::-1], deque(), {}, 0

    # ---- time and cores ----

    def at(self, time, action, *arguments):
        self.order += 1
        heapq.heappush(self.events, (time, self.order, action, arguments))

    def run(self):
        while self.events:
            self.now, _, action, arguments = heapq.heappop(self.events)
            action(*arguments)

    def ready(self, thread):
        """The thread takes an idle core, the core of a thread that spins, or its place in the run queue."""
        if self.idle:
            thread.core = self.idle.pop()
            self.at(self.now, self.go_on, thread)
            return
        thread.state = "queued"
        self.queue.append(thread)
        if self.spinners:
            core = next(iter(self.spinners))
            waiter = self.spinners.pop(core)
            waiter.state = "queued"
            self.queue.append(waiter)
            self.leave_core(waiter)

    def leave_core(self, thread):
        core, thread.core = thread.core, None
        self.switches += 1
        if self.queue:
            following = self.queue.popleft()
            following.core, following.state = core, "running"
            self.at(self.now + self.costs["switch"], self.go_on, following)
        else:
            self.idle.append(core)

    def go_on(self, thread):
        if thread.waits is not None:
            self.look(thread)
        else:
            self.step(thread, thread.result)

    # ---- what threads do ----

    def step(self, thread, result=None):
        thread.state, thread.result = "running", None
        try:
            what = thread.code.send(result)
        except StopIteration:
            thread.state = "over"
            self.leave_core(thread)
            return
        getattr(self, "do_" + what[0])(thread, *what[1:])

    def do_work(self, thread, ns):
        self.at(self.now + ns, self.step, thread)

    def do_now(self, thread):
        self.step(thread, self.now)

    def do_write(self, thread, line, change):
        """Ends when this core has the line and has changed it; the result is the new value."""
        cost = OWN_LINE if line.copies == {thread.core} else self.costs["transfer"]
        line.busy = max(self.now, line.busy) + cost
        self.at(line.busy, self.written, thread, line, change)

    def written(self, thread, line, change):
        line.value = change(line.value)
        line.copies = {thread.core}
        waiters, line.waiters = line.waiters, []
        for waiter in waiters:
            if self.spinners.get(waiter.core) is waiter:
                del self.spinners[waiter.core]
                self.look(waiter)
        self.step(thread, line.value)

    def do_wait(self, thread, lines, over, parks):
        """Until over(one of the lines). The thread spins on the first line; while others wait for a core it checks the
        last one. With `parks`, a list of sleeping threads, it sleeps at once. The result is whether it slept."""
        thread.waits = (lines, over, parks)
        self.look(thread)

    def look(self, thread):
        thread.state = "running"
        line = thread.waits[0][-1 if self.queue else 0]
        if thread.core in line.copies:
            done = self.now + OWN_LINE
        else:
            begin = max(self.now, line.busy)
            line.busy = begin + READS_APART * self.costs["transfer"]
            line.copies.add(thread.core)
            done = begin + self.costs["transfer"]
        self.at(done, self.judge, thread, line)

    def judge(self, thread, line):
        lines, over, parks = thread.waits
        if over(line):
            thread.waits = None
            self.step(thread, False)
        elif parks is not None:
            thread.waits, thread.state = None, "asleep"
            parks.append(thread)
            self.leave_core(thread)
        elif self.queue:
            thread.state = "queued"
            self.queue.append(thread)
            self.leave_core(thread)
        elif line is not lines[0] or thread.core not in line.copies:
            self.look(thread)
        else:
            thread.state = "spinning"
            self.spinners[thread.core] = thread
            line.waiters.append(thread)

    def do_wake(self, thread, parked, count):
        """Wakes up to `count` of the parked threads; the waker pays for one after the other."""
        cost = 0.0
        for _ in range(min(count, len(parked))):
            sleeper = parked.popleft()
            sleeper.result = True
            if self.idle:
                sleeper.core = self.idle.pop()
                self.at(self.now + cost + self.costs["latency"], self.go_on, sleeper)
                cost += self.costs["wake"]
            else:
                self.at(self.now + cost + self.costs["busy_latency"], self.ready, sleeper)
                cost += self.costs["wake_busy"]
        self.at(self.now + cost, self.step, thread)


def plus(amount):
    return lambda value: value + amount


def say(new):
    return lambda value: new


class Team:
    """One team of `size` threads: its lines, and what its members do with them. `own`: ns of a barrier or region that
    neither lines nor wake-ups take."""

    def __init__(self, machine, size, tree, sleeps, own):
        self.machine, self.size, self.tree, self.sleeps, self.own = machine, size, tree, sleeps, own
        self.arrived, self.eventcount, self.unfinished, self.wake_next = Line(), Line(), Line(), Line()
        self.asleep, self.master_asleep = deque(), deque()
        self.mail = [Line() for _ in range(size)]
        self.parked = [deque() for _ in range(size)]
        self.until = [0] * size
        self.listed, self.began, self.times = [], [], []
        self.levels, width = [], size  # the tree: a level's nodes are (arrived, finished, number of children)
        while width > 1:
            nodes = (width + FAN - 1) // FAN
            self.levels.append([(Line(), Line(), min(FAN, width - i * FAN)) for i in range(nodes)])
            width = nodes
        self.go = [Line() for _ in self.levels[0]]

    # ---- barriers ----

    def climb(self, tid, which):
        """True for the last member. `which`: 0 at a barrier, 1 at the join, where the master is not counted."""
        index = tid
        for level in self.levels:
            index //= FAN
            node = level[index]
            all_of_them = node[2] - (which == 1 and level is self.levels[0] and index == 0)
            if (yield ("write", node[which], plus(1))) < all_of_them:
                return False
            yield ("write", node[which], say(0))
        return True

    def barrier(self, tid, episode):
        parks = self.asleep if self.sleeps else None
        yield ("work", self.own)
        if self.tree:
            last = yield from self.climb(tid, 0)
        else:
            last = (yield ("write", self.arrived, plus(1))) == self.size
            if last:
                yield ("write", self.arrived, say(0))
        if last:
            yield ("write", self.eventcount, say(episode))
            if self.asleep:
                yield ("wake", self.asleep, 2)
            if self.tree:
                yield ("write", self.go[0], say(episode))
        else:
            lines = [self.go[tid // FAN], self.eventcount] if self.tree else [self.eventcount]
            if (yield ("wait", lines, lambda line: line.value >= episode, parks)):
                yield ("wake", self.asleep, 2)
        if self.tree and tid + 1 < len(self.go):
            yield ("write", self.go[tid + 1], say(episode))

    # ---- regions ----

    def post(self, tid, until):
        """True if the worker sleeps."""
        self.until[tid] = until
        yield ("write", self.mail[tid], plus(1))
        return bool(self.parked[tid])

    def start(self, first, until):
        if (yield from self.post(first, until)):
            yield ("wake", self.parked[first], 1)

    def pass_on(self, first, until):
        while first < until:
            middle = first + (until - first) // 2
            yield from self.start(middle, until)
            until = middle

    def wake_listed(self):
        while True:
            first = (yield ("write", self.wake_next, plus(2))) - 2
            if first >= len(self.listed):
                return
            for tid in self.listed[first : first + 2]:
                yield ("wake", self.parked[tid], 1)

    def release(self, oversubscribed):
        self.unfinished.value = self.size - 1
        if self.tree and not oversubscribed:
            middle = 1 + self.size // 2
            yield from self.start(1, middle)
            if middle < self.size:
                yield from self.start(middle, self.size)
            return
        self.wake_next.value, listed = 1 << 30, []
        for tid in range(1, self.size):
            if (yield from self.post(tid, 0)):
                listed.append(tid)
        self.listed, self.wake_next.value = listed, 0
        if listed:
            yield from self.wake_listed()

    def finish(self, tid):
        if self.tree:
            if not (yield from self.climb(tid, 1)):
                return
            left = yield ("write", self.unfinished, say(0))
        else:
            left = yield ("write", self.unfinished, plus(-1))
        if left == 0 and self.master_asleep:
            yield ("wake", self.master_asleep, 1)

    def master(self, regions, oversubscribed):
        for _ in range(regions):
            self.began.clear()
            begin = yield ("now",)
            yield ("work", self.own)
            yield from self.release(oversubscribed)
            self.began.append((yield ("now",)) - begin)
            self.began_master = self.began[-1]
            parks = self.master_asleep if self.sleeps else None
            yield ("wait", [self.unfinished], lambda line: line.value == 0, parks)
            self.times.append((yield ("now",)) - begin)
            self.begin = begin

    def worker(self, tid, regions):
        for region in range(1, regions + 1):
            parks = self.parked[tid] if self.sleeps else None
            woken = yield ("wait", [self.mail[tid]], lambda line: line.value >= region, parks)
            if self.tree and self.until[tid]:
                yield from self.pass_on(tid + 1, self.until[tid])
            elif woken and not self.until[tid]:
                yield from self.wake_listed()
            self.last_begin = yield ("now",)
            yield from self.finish(tid)


def barrier(size, cores, tree, costs, own, sleeps=False, rounds=12):
    """(ns, context switches) of a barrier, back to back."""
    machine = Machine(cores, costs)
    team = Team(machine, size, tree, sleeps, own)
    seen = []

    def member(tid):
        for episode in range(1, rounds + 1):
            yield from team.barrier(tid, episode)
            if tid == 0:
                seen.append(((yield ("now",)), machine.switches))

    for tid in range(size):
        machine.ready(Thread(member(tid)))
    machine.run()
    assert len(seen) == rounds, "the model's barrier hangs"
    half = rounds // 2
    return tuple((seen[-1][i] - seen[half - 1][i]) / (rounds - half) for i in (0, 1))


def region(size, cores, tree, costs, own, regions=12):
    """ns of a region, back to back, no thread asleep."""
    machine = Machine(cores, costs)
    team = Team(machine, size, tree, False, own)
    machine.ready(Thread(team.master(regions, size > cores)))
    for tid in range(1, size):
        machine.ready(Thread(team.worker(tid, regions)))
    machine.run()
    assert len(team.times) == regions, "the model's region hangs"
    late = team.times[regions // 2 :]
    return sum(late) / len(late)


def woken(size, cores, tree, costs, own):
    """ns from a region's begin until the master's part begins, until the last member's part begins, until the region
    ends; all workers sleep at first."""
    machine = Machine(cores, costs)
    team = Team(machine, size, tree, True, own)
    for tid in range(1, size):
        machine.ready(Thread(team.worker(tid, 1)))
    machine.run()
    machine.ready(Thread(team.master(1, False)))
    machine.run()
    assert len(team.times) == 1, "the model's sleepers hang"
    return team.began_master, max(team.began_master, team.last_begin - team.begin), team.times[0]
