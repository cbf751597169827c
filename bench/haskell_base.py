"""The figures of the research prototype that this project set out from, beside those of a result of bench/haskell.py.

The prototype measured an Intel Core i7-10750H (6 cores, 12 threads) with GCC 15 and GHC 9.10, with four threads unless
something else is said; times of two machines do not compare, so each row has a ratio of two times of one machine. With
fewer CPUs than threads the same number of threads means less: a team of two stands for one of four where speed-ups are
compared, as time multiplied by threads; and a team of one leaves Haskell a CPU of two, as the prototype's four threads
left it some of six cores. The prototype's times of a pass were of 1,000, 100 and 10 iterations; here they are of one.
"""

# What is compared; the prototype's figures and their ratio; the same ratio from medians: m(row, threads, size, series),
# a further argument names one of the row's other values. Below 1 means: better than what it is divided by.
COMPARED = [
    ("fork and join, to libgomp, 1 thread", "33 ns, 464 ns", 0.033 / 0.464,
     lambda m: (m("fork-join", 1, "-", "c-ours"), m("fork-join", 1, "-", "libgomp"))),
    ("the same, 2 threads", "499 ns, 765 ns", 0.499 / 0.765,
     lambda m: (m("fork-join", 2, "-", "c-ours"), m("fork-join", 2, "-", "libgomp"))),
    ("the same, 4 threads", "945 ns, 931 ns", 0.945 / 0.931,
     lambda m: (m("fork-join", 4, "-", "c-ours"), m("fork-join", 4, "-", "libgomp"))),
    ("barrier, to libgomp, 1 thread", "2 ns, 276 ns", 0.002 / 0.276,
     lambda m: (m("barrier", 1, "-", "c-ours"), m("barrier", 1, "-", "libgomp"))),
    ("the same, 2 threads", "137 ns, 242 ns", 0.137 / 0.242,
     lambda m: (m("barrier", 2, "-", "c-ours"), m("barrier", 2, "-", "libgomp"))),
    ("the same, 4 threads", "270 ns, 248 ns", 0.27 / 0.248,
     lambda m: (m("barrier", 4, "-", "c-ours"), m("barrier", 4, "-", "libgomp"))),
    ("critical, to libgomp, 1 thread", "26 ns, 21 ns", 0.026 / 0.021,
     lambda m: (m("critical", 1, "-", "c-ours"), m("critical", 1, "-", "libgomp"))),
    ("the same, 2 threads", "132 ns, 35 ns", 0.264 / 0.069,
     lambda m: (m("critical", 2, "-", "c-ours"), m("critical", 2, "-", "libgomp"))),
    ("sum of a million sines, to libgomp, 1 thread", "15.4 ms, 16.0 ms", 15.388 / 15.973,
     lambda m: (m("sum-sin", 1, "1000000", "c-ours"), m("sum-sin", 1, "1000000", "libgomp"))),
    ("the same, 2 threads", "7.64 ms, 7.45 ms", 7.641 / 7.453,
     lambda m: (m("sum-sin", 2, "1000000", "c-ours"), m("sum-sin", 2, "1000000", "libgomp"))),
    ("dgemm of 128, to libgomp, 4 threads", "1.05 ms, 0.93 ms", 1.05 / 0.93,
     lambda m: (m("gflops", 4, "128", "c-ours"), m("gflops", 4, "128", "libgomp"))),
    ("dgemm of 1,024, to libgomp, 4 threads", "655 ms, 670 ms", 654.66 / 670.05,
     lambda m: (m("gflops", 4, "1024", "c-ours"), m("gflops", 4, "1024", "libgomp"))),
    ("a million sines by a safe call, 2 threads to 1", "17.3 ms, 32.5 ms", 17.3 / 32.5,
     lambda m: (m("ffi-sines", 2, "1000000", "c-ours"), m("ffi-sines", 1, "1000000", "c-ours"))),
    ("100 tasks of 15 us, time x threads, to sequential C", "0.4 ms x 4, 1.5 ms", 4 / 3.81,
     lambda m: (m("long-tasks", 2, "100", "c-ours") * 2, m("long-tasks", 2, "100", "c-alone"))),
    ("the same, 1,000", "5.0 ms x 4, 15.6 ms", 4 / 3.12,
     lambda m: (m("long-tasks", 2, "1000", "c-ours") * 2, m("long-tasks", 2, "1000", "c-alone"))),
    ("the same, 10,000", "42.6 ms x 4, 155.9 ms", 4 / 3.66,
     lambda m: (m("long-tasks", 2, "10000", "c-ours") * 2, m("long-tasks", 2, "10000", "c-alone"))),
    ("sequential Haskell on unboxed elements, dgemm of 256, to CDouble by peek", "53.4 ms, 57.3 ms", 53.4 / 57.3,
     lambda m: (m("boxed", 2, "256", "unboxed-alone"), m("boxed", 2, "256", "peek-alone"))),
    ("the same, 512", "384.6 ms, 457.9 ms", 384.6 / 457.9,
     lambda m: (m("boxed", 2, "512", "unboxed-alone"), m("boxed", 2, "512", "peek-alone"))),
    ("1,000 sines on a team, time x threads, to sequential C", "5.2 us x 4, 10.2 us", 5.2 * 4 / 10.2,
     lambda m: (m("crossover", 2, "1000", "c-ours") * 2, m("crossover", 2, "1000", "c-alone"))),
    ("100,000 sines likewise", "386 us x 4, 1.53 ms", 385.5 * 4 / 1528.7,
     lambda m: (m("crossover", 2, "100000", "c-ours") * 2, m("crossover", 2, "100000", "c-alone"))),
    ("forkIO to OpenMP in C, 10,000 sines", "107 us, 42.9 us", 107.3 / 42.9,
     lambda m: (m("elements", 2, "10000", "forkio-all"), m("elements", 2, "10000", "c-ours"))),
    ("the same, a million", "8.64 ms, 6.63 ms", 8637.3 / 6626.1,
     lambda m: (m("elements", 2, "1000000", "forkio-all"), m("elements", 2, "1000000", "c-ours"))),
    ("the same, 10 million", "85.3 ms, 40.2 ms", 85324.7 / 40187.1,
     lambda m: (m("elements", 2, "10000000", "forkio-all"), m("elements", 2, "10000000", "c-ours"))),
    ("the same by LLVM, 10,000", "43 us, 28 us", 43 / 28,
     lambda m: (m("elements", 2, "10000", "forkio-all-llvm"), m("elements", 2, "10000", "c-ours"))),
    ("the same by LLVM, 10 million", "30.9 ms, 28.7 ms", 30924 / 28747,
     lambda m: (m("elements", 2, "10000000", "forkio-all-llvm"), m("elements", 2, "10000000", "c-ours"))),
    ("100 million uses of a pure primitive, to an unsafe call each", "below 1 ms, 310 ms", 1 / 310,
     lambda m: (m("call", 1, "-", "prim-pure"), m("call", 1, "-", "unsafe"))),
    ("the same by LLVM", "the same", 1 / 310,
     lambda m: (m("call", 1, "-", "prim-pure-llvm"), m("call", 1, "-", "unsafe"))),
    ("a safe call to an unsafe one", "89.8 ns, 3.1 ns", 89.8 / 3.1,
     lambda m: (m("call", 1, "-", "safe"), m("call", 1, "-", "unsafe"))),
    ("a call in a batch of 10, to a safe call", "12.4 ns, 97.4 ns", 12.4 / 97.4,
     lambda m: (m("batched", 1, "10", "columns"), m("batched", 1, "10", "safe"))),
    ("the same, a batch of 100", "3.7 ns, 97.8 ns", 3.7 / 97.8,
     lambda m: (m("batched", 1, "100", "columns"), m("batched", 1, "100", "safe"))),
    ("a callback for some 20 ns of work, to C alone, 1 thread", "466 ns, 16.9 ns", 46.60 / 1.69,
     lambda m: (m("callback-work", 1, "1", "funptr"), m("callback-work", 1, "1", "plain"))),
    ("the same, 2 threads", "604 ns, 11.7 ns", 60.43 / 1.17,
     lambda m: (m("callback-work", 2, "1", "funptr"), m("callback-work", 2, "1", "plain"))),
    ("the same, 4 threads", "579 ns, 7.1 ns", 57.91 / 0.71,
     lambda m: (m("callback-work", 4, "1", "funptr"), m("callback-work", 4, "1", "plain"))),
    ("a region beside allocation, median, to alone; CPUs are left for Haskell", "313 to 543 us, 314 to 478 us",
     428 / 396, lambda m: (m("latency-allocating", 1, "-", "c-ours"), m("latency", 1, "-", "c-ours"))),
    ("the same, 99th percentile", "538 to 651 us, 636 to 658 us", 594.5 / 647,
     lambda m: (m("latency-allocating", 1, "-", "c-ours", "p99"), m("latency", 1, "-", "c-ours", "p99"))),
    ("a region beside major collections, median, to alone; CPUs are left", "315 to 556 us, 314 to 478 us",
     435.5 / 396, lambda m: (m("latency-collecting", 1, "-", "c-ours"), m("latency", 1, "-", "c-ours"))),
    ("the same, 99th percentile", "549 to 744 us, 636 to 658 us", 646.5 / 647,
     lambda m: (m("latency-collecting", 1, "-", "c-ours", "p99"), m("latency", 1, "-", "c-ours", "p99"))),
    ("a region beside allocation, no CPU left, which the prototype did not measure", "313 to 543 us, 314 to 478 us",
     428 / 396, lambda m: (m("latency-allocating", 2, "-", "c-ours"), m("latency", 2, "-", "c-ours"))),
    ("the same with OMP_DYNAMIC=true, which the prototype does not have", "the same", 428 / 396,
     lambda m: (m("latency-allocating", 2, "-", "c-ours-dynamic"), m("latency", 2, "-", "c-ours"))),
    ("a region beside major collections, no CPU left", "315 to 556 us, 314 to 478 us", 435.5 / 396,
     lambda m: (m("latency-collecting", 2, "-", "c-ours"), m("latency", 2, "-", "c-ours"))),
    ("the same, 99th percentile", "549 to 744 us, 636 to 658 us", 646.5 / 647,
     lambda m: (m("latency-collecting", 2, "-", "c-ours", "p99"), m("latency", 2, "-", "c-ours", "p99"))),
    ("a C region and Haskell at once, to one after the other", "58 ms, 68 ms", 58 / 68,
     lambda m: (m("overlap", 1, "-", "c-ours"), m("overlap", 1, "-", "c-ours", "sequential"))),
    ("a pass over 10,000 elements, half of it in C, tokens to a barrier", "194 us, 203 us", 194.2 / 202.5,
     lambda m: (m("halves", 2, "10000x1000", "linear-passes"), m("halves", 2, "10000x1000", "ours"))),
    ("the same, 100,000 elements", "2.22 ms, 2.32 ms", 221.7 / 231.9,
     lambda m: (m("halves", 2, "100000x100", "linear-passes"), m("halves", 2, "100000x100", "ours"))),
    ("the same, a million elements", "22.2 ms, 22.5 ms", 221.8 / 224.6,
     lambda m: (m("halves", 2, "1000000x10", "linear-passes"), m("halves", 2, "1000000x10", "ours"))),
    ("a million elements by sparks and tokens in one part, to a plain loop", "43.6 ms, 41.9 ms", 43.6 / 41.9,
     lambda m: (m("shared-parts", 2, "1000000x1", "linear"), m("shared-parts", 2, "1000000x1", "alone"))),
    ("a million elements by tokens in 32 parts, to 2 parts", "38.4 ms, 39.0 ms", 38.4 / 39.0,
     lambda m: (m("shared-parts", 2, "1000000x32", "linear-team"), m("shared-parts", 2, "1000000x2", "linear-team"))),
    ("sparks, 2 parts, to one thread", "22.3 ms, 44.4 ms", 22.3 / 44.4,
     lambda m: (m("shared-parts", 2, "1000000x2", "linear"), m("shared-parts", 2, "1000000x2", "alone"))),
    ("sparks, 32 parts, time x threads, to one thread", "13.5 ms x 4, 46.1 ms", 13.5 * 4 / 46.1,
     lambda m: (m("shared-parts", 2, "1000000x32", "linear") * 2, m("shared-parts", 2, "1000000x32", "alone"))),
    ("sparks, 64 parts", "13.7 ms x 4, 45.7 ms", 13.7 * 4 / 45.7,
     lambda m: (m("shared-parts", 2, "1000000x64", "linear") * 2, m("shared-parts", 2, "1000000x64", "alone"))),
]


TIMES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def pair(values, unit, quantity):
    """Two quantities in one unit of time, which suits the greater one."""
    if unit != "ns":
        return ", ".join(quantity(v, unit) for v in values)
    factor, name = max((f, n) for n, f in TIMES.items() if f <= max(max(values), 1))

    def text(number):
        if 0 < number < 0.001:
            return "below 0.001"
        return "%.3g" % number if number < 1e3 else "{:,.0f}".format(number)

    return ", ".join("%s %s" % (text(v / factor), name) for v in values)


def ran(keys, title):
    """What was run, in the words of the tables of the same page: rows, sizes and threads, and whose time it is."""
    of = ["%s%s, %s" % (row, "" if size == "-" else " " + size, "1 thread" if threads == 1 else "%d threads" % threads)
          for row, threads, size, _, _ in keys]
    by = [title(name) + (", " + value if value else "") for _, _, _, name, value in keys]
    if of[0] == of[1]:
        return "%s: %s; %s" % (of[0], by[0], by[1])
    return "; ".join("%s: %s" % one for one in zip(of, by))


def table(result, quantity, title):
    """Markdown. A row whose ratio is clearly (by more than 5 %) above the prototype's own is bold. `title` is of a
    series. Of rates the ratio is turned round: it is of times in any case."""
    medians, units = {}, {}
    for e in result["rows"]:
        for name, v in e["values"].items():
            key = (e["row"], e["threads"], e["size"], name, e["value"])
            medians[key] = v["median"] * TIMES.get(e["unit"], 1)
            units[key] = "ns" if e["unit"] in TIMES else e["unit"]
    lines = []
    for what, figures, ratio, here in COMPARED:
        asked = []

        def m(row, threads, size, name, value=""):
            asked.append((row, threads, size, name, value))
            return medians[asked[-1]]

        try:
            top, bottom = here(m)
        except KeyError:  # not measured
            continue
        unit = units[asked[0]]
        mine = top / bottom if unit == "ns" else bottom / top
        own = "%.2f" % mine
        lines.append("| %s | %s | %.2f | %s | %s | %s |" % (
            what, figures, ratio, ran(asked, title), pair([medians[key] for key in asked], unit, quantity),
            "**%s**" % own if mine > ratio * 1.05 else own))
    head = ["| | prototype | ratio | what ran here | here | ratio |", "|---|---:|---:|---|---:|---:|"]
    return head + lines if lines else []
