#!/usr/bin/env python3
"""A model of dynamic loops on more CPUs than there are here: the counter of a loop, and the runs that threads take
from it.

    bench/loop_model.py [--transfer NS] [--cc CC]

A discrete-event simulation. Each thread has a CPU. An addition to the counter takes a transfer of its cache line, one
after the other where several threads add at once; a chunk takes what its cost function says. How many chunks a thread
takes is decided by the runtime's own policy: core/worksharing/loop_run.h, compiled into a shared object. Beside it run
*singly* (one chunk for each addition, as libgomp's counter) and *divided* (each thread has its part of the chunks from
the start and takes one after the other, without an addition; nothing moves between threads).

The result is a table: the loop's time divided by the best possible one, which is the chunks' work divided by the CPUs,
or the longest chunk's, whichever is longer. 1.00 is perfect. The model leaves out the topology (all CPUs are equally
far from each other), what reading the clock costs, and the kernel.
"""

import argparse
import ctypes
import heapq
import os
import random
import subprocess
import tempfile

TICKS = 3  # in a nanosecond, as GHCOMP_TICKS_PER_US assumes
OWN = 5  # ns: what handing out a chunk costs without a transfer
CHUNKS_FOR_EACH = 400

SHIM = """
#include "core/worksharing/loop_run.h"
unsigned part(uint32_t running) { return ghcomp_loop_run_part(running); }
uint64_t chunks(uint64_t last, uint64_t ticks, uint64_t took, uint64_t left, unsigned part)
{
    return ghcomp_loop_run_chunks((struct ghcomp_loop_run){last, ticks, took}, left, 1, part);
}
"""


def policy(cc):
    """The runtime's policy, compiled."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "cbits")
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "shim.c"), os.path.join(folder, "shim.so")
        with open(source, "w", encoding="utf-8") as out:
            out.write(SHIM)
        subprocess.run([cc, "-O1", "-shared", "-fPIC", "-I", here, source, "-o", library], check=True)
        shim = ctypes.CDLL(library)
    shim.chunks.restype = ctypes.c_uint64
    shim.chunks.argtypes = [ctypes.c_uint64] * 4 + [ctypes.c_uint]
    return shim


def costs(shape, count, ns):
    """ns of each chunk, `ns` on average."""
    rng = random.Random(1)
    if shape == "even":
        return [ns] * count
    if shape == "growing":
        return [2 * ns * i / count for i in range(count)]
    if shape == "falling":
        return [2 * ns * (count - i) / count for i in range(count)]
    if shape == "random":
        return [2 * ns * rng.random() for _ in range(count)]
    return [0.05 * ns if i < count * 9 // 10 else 9.55 * ns for i in range(count)]  # a jump near the end


def by_counter(cost, threads, transfer, length):
    """The time of a loop; length(thread, now, left) says how many chunks a thread takes."""
    taken, free_at, end = 0, 0.0, 0.0
    queue = [(0.0, t) for t in range(threads)]
    while queue:
        now, thread = heapq.heappop(queue)
        run = length.ask(thread, now)
        begins = max(now, free_at)
        free_at = begins + (transfer if threads > 1 else OWN)
        if taken >= len(cost):
            end = max(end, free_at)
            continue
        chunks = cost[taken:taken + run]
        taken += len(chunks)
        length.took(thread, run, now, free_at, taken)
        heapq.heappush(queue, (free_at + sum(chunks) + OWN * len(chunks), thread))
    return end


class Runs:
    def __init__(self, shim, threads, count):
        self.shim, self.part, self.count = shim, shim.part(threads), count
        self.last = [(0, 0.0, 0.0, 0)] * threads

    def ask(self, thread, now):
        run, had, took, past = self.last[thread]
        return self.shim.chunks(run, int((now - had) * TICKS), int(took * TICKS), self.count - past, self.part)

    def took(self, thread, run, now, had, past):
        self.last[thread] = (run, had, had - now, past)


class Singly:
    def ask(self, _thread, _now):
        return 1

    def took(self, *_facts):
        pass


def divided(cost, threads):
    bounds = [len(cost) * t // threads for t in range(threads + 1)]
    return max(sum(cost[a:b]) + OWN * (b - a) for a, b in zip(bounds, bounds[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--transfer", type=float, default=70, help="ns that a cache line takes from CPU to CPU (70)")
    parser.add_argument("--cc", default="gcc", help="the C compiler (gcc)")
    options = parser.parse_args()
    shim = policy(options.cc)
    print(f"transfer {options.transfer:g} ns; time of a loop divided by the best possible one: runs, singly, divided\n")
    print("| costs | ns a chunk | " + " | ".join(f"{n} CPUs" for n in (2, 4, 8, 16, 64, 192)) + " |")
    print("|---|---:|" + "---|" * 6)
    for shape in ("even", "growing", "falling", "random", "jump"):
        for ns in (5, 50, 500, 5000):
            cells = []
            for threads in (2, 4, 8, 16, 64, 192):
                count = CHUNKS_FOR_EACH * threads
                cost = costs(shape, count, ns)
                best = max(sum(cost) / threads + OWN * CHUNKS_FOR_EACH, max(cost))
                times = (by_counter(cost, threads, options.transfer, Runs(shim, threads, count)),
                         by_counter(cost, threads, options.transfer, Singly()), divided(cost, threads))
                cells.append(", ".join(f"{time / best:.2f}" for time in times))
            print(f"| {shape} | {ns} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
