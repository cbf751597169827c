"""The rows of bench/haskell.py: what each measures, which series it has, and the project's aim.

A series is a way to do the row's work. `c-ours`, `libgomp` and `libomp` are one C kernel, called from Haskell, on three
runtimes; `ours` has Haskell bodies on our team; `alone` and `c-alone` are sequential; the others are Haskell's own.
"""

import collections

# Title, program, series of the program, and what is set in the environment.
Series = collections.namedtuple("Series", "title program series runtime env")


def series_of(name):
    """The series by name; one that is not in the table has the same name in bench/hs."""
    plain = {
        "c-ours": Series("C on ours", "kernels", "c-openmp", "ours", {}),
        "c-ours-dynamic": Series("C on ours, OMP_DYNAMIC", "kernels", "c-openmp", "ours", {"OMP_DYNAMIC": "true"}),
        "libgomp": Series("C on libgomp", "peers", "c-openmp", "libgomp", {}),
        "libgomp-dynamic": Series("C on libgomp, OMP_DYNAMIC", "peers", "c-openmp", "libgomp", {"OMP_DYNAMIC": "true"}),
        "libomp": Series("C on libomp", "peers", "c-openmp", "libomp", {}),
        "c-alone": Series("sequential C", "kernels", "c-alone", "ours", {}),
        "alone": Series("sequential Haskell", "kernels", "alone", "ours", {}),
    }
    if name in plain:
        return plain[name]
    if name in SLICES:
        return Series("time slices of %d ms" % SLICES[name], "kernels", name, "ours",
                      {"GHCRTS": "-C%g -V0.001" % (SLICES[name] / 1e3)})
    if name.endswith("-llvm"):
        base = series_of(name[:-len("-llvm")])
        return base._replace(title=base.title + ", LLVM", program="kernels-llvm")
    return Series(TITLES.get(name, name), "kernels", name, "ours", {})


SLICES = {"slice-%dms" % ms: ms for ms in (1, 5, 20, 100)}

TITLES = {
    "ours": "Haskell on ours", "ours-for": "parallelFor", "ours-index": "Haskell on ours, IndexOrder",
    "ours-static": "StaticChunks 1", "ours-region": "for, in a region",
    "ours-dynamic": "ours, Dynamic 1", "ours-list": "parList", "ours-buffer": "parBuffer",
    "strategies": "parallel: parMap", "strategies-chunk": "parallel: parListChunk",
    "strategies-buffer": "parallel: parBuffer", "monad-par": "monad-par", "monad-par-chunk": "monad-par, chunks",
    "eager": "-feager-blackholing", "stm": "STM", "omp-lock": "omp_lock_t", "mvar": "MVar", "forkio": "forkIO",
    "forkio-all": "forkIO (caller waits)", "forkon": "forkOn", "forkos": "forkOS",
    "par-traversable": "parallel: parTraversable",
    "unboxed-ours": "unboxed, ours", "boxed-ours": "boxed, ours", "unboxed-alone": "unboxed", "boxed-alone": "boxed",
    "peek-alone": "CDouble by peek", "peek-forkon": "CDouble by peek, forkOn", "peek-ours": "CDouble by peek, ours",
    "unboxed-forkon": "unboxed, forkOn", "boxed-forkon": "boxed, forkOn", "unsafe": "unsafe call", "safe": "safe call",
    "safe-deep": "safe call, deep stack",
    "plain": "C alone", "haskell-alone": "Haskell alone", "lock": "rts_lock, rts_unlock", "linear": "linear arrays",
    "linear-team": "linear arrays, a team", "linear-steps": "linear arrays, parSteps",
    "linear-passes": "linear arrays, parPasses", "linear-alone": "linear arrays, one thread",
    "prim": "prim call", "prim-pure": "prim, pure", "loop": "loop alone", "batch": "batch",
    "unsafe-batch": "unsafeRunBatch", "columns": "callColumns",
    "funptr": "FunPtr", "funptr-guarded": "withFunPtr", "call": "one by one", "each-shared": "each, shared",
}

# threads: "all" of the requested numbers, "cpus" (those of them that leave each thread a CPU), "full" (one for each
# CPU), "spare" (that, and one less, which leaves Haskell a CPU), or numbers. sizes and quick: texts as the programs
# take them, "-" for none. ours and peers name the series whose ratio the table shows; limit is the most that ratio may
# be.
Row = collections.namedtuple("Row", "what kernel threads sizes quick series ours peers limit")


def row(what, kernel, threads, series, sizes=("-",), quick=None, ours=(), peers=(), limit=None):
    return Row(what, kernel, threads, list(sizes), list(quick or sizes), series.split(), tuple(ours), tuple(peers),
               limit)


C_PEERS = ("libgomp", "libomp")
BY_HAND = ("forkio", "forkio-all", "forkon")
LOOP_SIZES = ["%dx%d" % (n, pieces) for n in (50, 500, 5000, 50000, 500000) for pieces in (2, 8, 64)]
LOOP_QUICK = ["50x2", "500x2", "5000x2", "5000x8", "50000x2", "500000x2"]

EVALUATORS = ("strategies", "strategies-chunk", "strategies-buffer", "monad-par", "monad-par-chunk")
EVALUATED = "alone ours ours-dynamic ours-list ours-buffer " + " ".join(EVALUATORS)

ROWS = {
    "fork-join": row(
        "a region that each thread comes to once; forkIO: as many threads, waited for", "bench_region, counting", "all",
        "c-ours libgomp libomp ours ours-for forkio forkon monad-par", ours=("c-ours",), peers=C_PEERS),
    "barrier": row(
        "a barrier of the team, in one region; forkIO: a barrier of MVars", "bench_barriers, barriers", "all",
        "c-ours libgomp libomp ours forkio", ours=("c-ours",), peers=C_PEERS),
    "critical": row(
        "an entry of a critical section, of all threads' entries; forkIO: of an MVar", "bench_critical, criticals",
        "all", "c-ours libgomp libomp ours forkio", ours=("c-ours",), peers=C_PEERS),
    "sum-sin": row(
        "the sum of sin(i) for so many i, parallel for with a reduction", "bench_sum_sin, summing", "cpus",
        "c-alone c-ours libgomp libomp alone ours ours-index forkio forkio-all forkon sparks monad-par",
        sizes=("1000000",), ours=("ours",), peers=BY_HAND + ("sparks", "monad-par")),
    "trivial": row(
        "the sum of the squares of so many indices: the loop itself", "summing", "cpus",
        "alone ours ours-index forkio forkon sparks", sizes=("50", "500", "1000", "10000", "100000", "1000000"),
        quick=("500", "10000", "1000000"), ours=("ours", "ours-index"), peers=("alone",), limit=1.05),
    "ffi-scaling": row(
        "a safe call of a C loop with so many units of work", "bench_work", (1, 2, 4, 8),
        "c-alone c-ours libgomp libomp",
        sizes=("10000",), ours=("c-ours",), peers=C_PEERS),
    "ffi-sines": row(
        "a safe call of a C loop that adds so many sines up", "bench_sum_sin", (1, 2, 4, 8),
        "c-alone c-ours libgomp libomp", sizes=("1000000",), ours=("c-ours",), peers=C_PEERS),
    "crossover": row(
        "the sum of sin(i) for so many i, on a team or alone", "bench_sum_sin, summing", "full",
        "c-alone c-ours libgomp libomp alone ours", sizes=("10", "30", "100", "300", "1000", "3000", "10000", "100000"),
        quick=("30", "100", "300", "1000", "10000")),
    "elements": row(
        "the sum of sin(i) for more i", "bench_sum_sin, summing", "full",
        "alone alone-llvm c-alone forkio forkio-llvm forkio-all forkio-all-llvm c-ours libgomp libomp ours ours-llvm",
        sizes=("10000", "100000", "1000000", "10000000"), quick=("10000", "1000000"),
        ours=("forkio-all", "forkio-all-llvm"), peers=("c-ours",)),
    "code-generator": row(
        "so many times 100 steps of the logistic map: GHC's own code generator, LLVM and gcc",
        "bench_logistic, summing", "cpus",
        "c-alone c-ours libgomp libomp alone alone-llvm forkio forkio-llvm forkio-all forkio-all-llvm sparks "
        "sparks-llvm ours ours-llvm",
        sizes=("20000",), ours=("ours",), peers=("forkio", "forkio-all", "sparks")),
    "tasks": row(
        "a task of about 0.4 us (20 units of work), of so many; forkIO: a thread for each", "bench_tasks, spreading",
        "cpus", "c-ours libgomp libomp ours forkio sparks monad-par", sizes=("100", "1000", "10000"),
        quick=("100", "10000"), ours=("c-ours", "ours"), peers=C_PEERS),
    "long-tasks": row(
        "a task of about 15 us in C (1,500 units of work), of so many; forkIO: a thread for each",
        "bench_tasks, spreading", "full", "c-alone c-ours libgomp libomp alone ours forkio sparks",
        sizes=("100", "500", "1000", "5000", "10000"), quick=("100", "1000"), ours=("c-ours",), peers=C_PEERS),
    "dgemm": row(
        "the product of two matrices of so many rows, row by row", "bench_dgemm, multiplying", "full",
        "c-alone c-ours libgomp libomp alone ours ours-llvm linear linear-llvm forkon forkon-llvm",
        sizes=("128", "256", "512", "1024"),
        quick=("128", "512"), ours=("c-ours",), peers=C_PEERS),
    "gflops": row(
        "the same product in C by teams of several sizes", "bench_dgemm", (1, 2, 4), "c-ours libgomp libomp",
        sizes=("128", "256", "512", "1024"), quick=("128", "512"), ours=("c-ours",), peers=C_PEERS),
    "boxed": row(
        "the same product; elements unboxed, C's own converted at each access, or boxed",
        "multiplying, multiplyingByPeek, multiplyingBoxed", "full",
        "c-alone unboxed-alone unboxed-forkon unboxed-ours peek-alone peek-forkon peek-ours boxed-alone boxed-forkon "
        "boxed-ours", sizes=("128", "256", "512"), quick=("128",)),
    "loop-bound": row(
        "a loop of indices x pieces, a unit of work each, called by main's thread", "looping", "full",
        "alone ours forkio forkio-all forkon monad-par", sizes=LOOP_SIZES, quick=LOOP_QUICK, ours=("ours",),
        peers=BY_HAND, limit=1.05),
    "loop-unbound": row(
        "the same, called by a thread that is not bound", "looping", "full",
        "alone ours forkio forkio-all forkon monad-par", sizes=LOOP_SIZES, quick=LOOP_QUICK, ours=("ours",),
        peers=BY_HAND, limit=1.05),
    "reduce": row(
        "the sum of indices x pieces units of work", "reducing", "full",
        "alone ours ours-index forkio forkio-all forkon sparks monad-par",
        sizes=[s for s in LOOP_SIZES if not s.endswith("x64")], quick=LOOP_QUICK, ours=("ours", "ours-index"),
        peers=BY_HAND + ("sparks",), limit=1.05),
    "depth": row(
        "a sum of units of work, halved so many times", "halving", "full", "ours linear sparks monad-par forkio",
        sizes=["50000x%d" % d for d in (0, 1, 2, 4, 6, 8, 10)], quick=("50000x1", "50000x4", "50000x8"),
        ours=("ours",), peers=("sparks",)),
    "parts": row(
        "so many units of work in an array, in so many parts; the peers add them up instead of writing them",
        "filling, reducing", "full", "alone linear linear-team sparks forkon monad-par",
        sizes=["2000000x%d" % n for n in (2, 4, 8, 16, 32)], quick=("2000000x2", "2000000x32"), ours=("linear",),
        peers=("alone",), limit=1 / 1.8),
    "chunk": row(
        "a chunk of one index of parallelFor, or of a C loop with schedule(dynamic, 1), the index's own work included "
        "(about 3 ns)", "chunks, bench_chunks", "cpus", "ours ours-static ours-region c-ours libgomp libomp"),
    "heat": row(
        "a step of points x steps: neighbours' points of the step before; a barrier or a region between the steps; "
        "two copies of the rod before the first",
        "bench_heat, heating", "full",
        "c-alone c-ours libgomp libomp alone ours linear linear-steps linear-alone linear-steps-llvm linear-alone-llvm",
        sizes=("4000x240", "40000x240"), quick=("4000x240",), ours=("c-ours",), peers=C_PEERS),
    "shared": row(
        "an iteration of both passes over elements x iterations: a sine, a cosine and a root of each, then means of "
        "neighbours; a barrier or a token between the passes", "inPlace, byTokens", "cpus",
        "alone ours linear linear-passes linear-alone", sizes=("10000x1000", "100000x100", "1000000x10"),
        quick=("10000x1000",), ours=("linear", "linear-passes"), peers=("ours",)),
    "shared-parts": row(
        "the same over elements x parts by tokens alone", "byTokens", "full", "alone linear linear-team",
        sizes=["1000000x%d" % n for n in (1, 2, 4, 8, 16, 32, 64)], quick=("1000000x2", "1000000x32"),
        ours=("linear", "linear-team"), peers=("alone",)),
    "halves": row(
        "a pass over elements x iterations, a sine, a cosine and a root of each: Haskell does one half and C the other "
        "at the same time; a barrier after each pass, or tokens that are combined", "OursHalves", (2,),
        "alone c-alone ours linear linear-team linear-passes",
        sizes=("10000x1000", "100000x100", "1000000x10"), quick=("10000x1000",),
        ours=("linear", "linear-team", "linear-passes"), peers=("ours",)),
    "callback": row(
        "a call of a Haskell function by the threads of a team, of all threads' calls", "bench_callbacks", (1, 2, 4, 8),
        "funptr funptr-guarded call range array each each-shared batch"),
    "callback-work": row(
        "a call that adds so many units of work up, and C code that does the same itself",
        "bench_callbacks, bench_called_work", (1, 2, 4), "plain funptr call range", sizes=("1", "10", "100", "1000"),
        ours=("funptr", "call", "range"), peers=("plain",)),
    "latency": row(
        "a region of some 400 us from one Haskell thread, nothing else", "bench_work", "spare", "c-ours libgomp libomp",
        ours=("c-ours",), peers=C_PEERS),
    "latency-allocating": row(
        "the same beside a Haskell thread that allocates without a pause", "bench_work", "spare",
        "c-ours c-ours-dynamic libgomp libgomp-dynamic libomp", ours=("c-ours",), peers=C_PEERS),
    "latency-collecting": row(
        "the same beside a Haskell thread that has 4 MB of live data collected every 10 ms", "bench_work", "spare",
        "c-ours c-ours-dynamic libgomp libgomp-dynamic libomp", ours=("c-ours",), peers=C_PEERS),
    "overlap": row(
        "a C region and a Haskell thread's work at once, each about as long as the other on one thread",
        "bench_sum_sin, sinRange", "cpus", "c-ours libgomp libomp", ours=("c-ours",), peers=C_PEERS),
    "enter": row(
        "taking a Capability and giving it back in C, of all threads' entries", "bench_enter", "cpus", "lock"),
    "call": row(
        "a call of a C function that adds one; prim: the Capability's number, or, pure, a cache line's size",
        "calling, primitive", (1,), "prim prim-pure prim-pure-llvm loop loop-llvm unsafe safe"),
    "batched": row(
        "a call of it, of so many in turn, or in one batch", "calling, batching", (1,),
        "unsafe safe safe-deep batch unsafe-batch columns",
        sizes=("1", "2", "5", "10", "20", "50", "100", "1000", "10000"), quick=("1", "100", "10000")),
    "callers": row(
        "regions a second from so many Haskell threads, each in a loop of calls; 200 units of work, teams of four",
        "callers", (4,), "c-ours libgomp libomp c-ours-dynamic libgomp-dynamic ours", sizes=("1", "4", "16", "64"),
        quick=("1", "64"), ours=("c-ours",), peers=("libomp",), limit=1.0),
    "evaluate": row(
        "an element of a list of elements x units of work, mapped and then added up by one thread; peers' chunks: 64 a "
        "list", "mapping", "full", EVALUATED, sizes=("100000x2", "10000x20", "1000x200", "100x5000"),
        quick=("10000x20", "100x5000"), ours=("ours", "ours-list"), peers=EVALUATORS,
        limit=1.0),
    "evaluate-irregular": row(
        "the same with elements of unequal work: each second half as many units, each fourth once as many, up to 128 "
        "times", "mapping", "full", EVALUATED, sizes=("10000x10", "1000x100", "100x2000"), quick=("1000x100",),
        ours=("ours", "ours-list"), peers=EVALUATORS, limit=1.0),
    "divide": row(
        "Fibonacci's number of n x the n from which on it is divided into two unequal tasks", "dividing", "full",
        "alone ours sparks monad-par", sizes=("27x15", "30x22"), ours=("ours",), peers=("sparks", "monad-par"),
        limit=1.0),
    "commit": row(
        "an operation on a bank of accounts x percent of operations that only look, by the members of a team, of all "
        "members' operations", "committing", (1, 2, 4, 8), "stm omp-lock mvar", sizes=("1x0", "64x0", "64x95"),
        quick=("64x0", "64x95")),
    "duplicates": row(
        "a lazy value that all members of a team need at the same moment, of values x steps of about a nanosecond; "
        "begun and ended: evaluations in percent of the values", "duplicating", "full",
        "slice-1ms slice-5ms slice-20ms slice-100ms eager",
        sizes=("20000x10000", "2000x100000", "200x1000000", "40x10000000"), quick=("2000x100000",)),
    "k-means": row(
        "a point of points x centres in a step of k-means: its nearest centre, and the sums of each centre's points",
        "clustering", "cpus", "alone ours ours-index forkio forkio-all", sizes=("100000x8", "10000x8"),
        quick=("10000x8",), ours=("ours", "ours-index"), peers=("forkio", "forkio-all"), limit=1.0),
    "cholesky": row(
        "a factorisation of tiles x rows of a tile, a task or a thread for each step; forkIO: waits by MVars",
        "factoring", "cpus", "alone ours forkio", sizes=("8x32", "16x16"), quick=("8x32",), ours=("ours",),
        peers=("forkio",), limit=0.9),
    "pipeline": row(
        "four maps over so many numbers, one after the other", "staging", "cpus", "alone ours forkio forkio-all",
        sizes=("10000", "1000000"), quick=("10000",), ours=("ours",), peers=("forkio", "forkio-all"), limit=1.0),
    "mandelbrot": row(
        "a picture of rows x columns of Mandelbrot's set; forkIO: threads that take the next row", "drawing", "cpus",
        "alone ours ours-dynamic forkio forkio-all", sizes=("64x64", "256x256"), quick=("64x64",),
        ours=("ours", "ours-dynamic"), peers=("forkio", "forkio-all"), limit=0.95),
    "tree": row(
        "an element of a tree of elements x units of work, evaluated and then added up by one thread", "visiting",
        "cpus", "alone ours par-traversable", sizes=("100000x2", "10000x20", "1000x200", "10000x200"),
        quick=("10000x20",), ours=("ours",), peers=("par-traversable",), limit=0.9),
    "hand-over": row(
        "an item that one of two threads hands to the other one by an MVar, on so many Capabilities; ours: two members "
        "of a team, which are bound threads as forkOS's are", "handing", "cpus", "ours forkio forkos", ours=("ours",),
        peers=("forkos",), limit=1.05),
    "mixed": row(
        "such regions a second from one Haskell thread beside two that allocate; haskell: those two's units a second",
        "mixed", (2,), "haskell-alone c-ours libgomp libomp c-ours-dynamic libgomp-dynamic ours", ours=("c-ours",),
        peers=C_PEERS),
}

# Values that a program prints besides its row's: unit, True when less is better. "" is a row's own value.
RATES = {"callers": "/s", "mixed": "/s", "gflops": "GFLOPS"}
EXTRA = {"p99": ("us", True), "max": ("us", True), "productivity": ("%", False), "sequential": ("us", True),
         "overlap": ("%", False), "os-threads": ("", True), "units": ("/s", False), "least-share": ("%", False),
         "begun": ("%", True), "ended": ("%", True)}

# A row's own value from the nanoseconds that its program prints, and the size.
CONVERTED = {"gflops": lambda ns, size: 2 * int(size) ** 3 / ns}

# Rows whose programs ask the RTS for its statistics, and have a Capability for each CPU, however large the team is.
LATENCIES = ("latency", "latency-allocating", "latency-collecting")

# Rows of results of their own: measured only when --rows names them.
EVALUATION = ("evaluate", "evaluate-irregular", "divide", "commit", "duplicates")
SHARED = ("shared", "shared-parts", "halves")
SHAPES = ("k-means", "cholesky", "pipeline", "mandelbrot", "tree", "hand-over")

# Rows whose series are all ours (our library's ways of doing the same thing), and series of other rows that are ours
# although their names do not say so; "alone" and GHC's own calls are not.
ALL_OURS = ("callback", "enter")
ALSO_OURS = {("depth", "linear"), ("parts", "linear"), ("parts", "linear-team"), ("heat", "linear"),
             ("heat", "linear-steps"), ("heat", "linear-alone"), ("heat", "linear-steps-llvm"),
             ("heat", "linear-alone-llvm"), ("shared", "linear"), ("shared", "linear-passes"),
             ("shared", "linear-alone"), ("shared-parts", "linear"), ("shared-parts", "linear-team"),
             ("halves", "linear"), ("halves", "linear-team"), ("halves", "linear-passes"), ("dgemm", "linear"),
             ("dgemm", "linear-llvm"),
             ("batched", "batch"), ("batched", "unsafe-batch"), ("batched", "columns"), ("callback-work", "funptr"),
             ("callback-work", "call"), ("callback-work", "range")}


def is_ours(row_name, name):
    """Whether that series of that row is ours: it runs on our team or through our library."""
    return "ours" in name.split("-") or row_name in ALL_OURS or (row_name, name) in ALSO_OURS


def less_is_better(row_name, extra):
    return EXTRA[extra][1] if extra else row_name not in RATES


# Times that may not be exceeded: row, series, threads, size, nanoseconds.
TIMES_WANTED = [("chunk", "ours", 1, "-", 12), ("chunk", "ours", 2, "-", 50), ("batched", "columns", 1, "100", 4),
                ("batched", "columns", 1, "10000", 4)]

# Ratios that may not be exceeded, besides those of the rows: row, series, its peers, limit. Tokens cost nothing: not
# beside a team with barriers, and not beside a raw loop by one thread. (The series of linear arrays include the copies
# of the rod at the start, about a hundredth.)
RATIOS_WANTED = [("heat", "linear-steps", ("ours",), 1.0), ("heat", "linear-alone", ("alone",), 1.02),
                 ("halves", "linear-passes", ("ours",), 1.0)]

# What a team of two should gain on two CPUs: row, series, sequential series, how many times as fast.
GAINS = [("long-tasks", "c-ours", "c-alone"), ("long-tasks", "libgomp", "c-alone"),
         ("long-tasks", "libomp", "c-alone"), ("long-tasks", "ours", "alone"), ("ffi-sines", "c-ours", "c-alone"),
         ("ffi-sines", "libgomp", "c-alone"), ("ffi-sines", "libomp", "c-alone")]
GAINS_WANTED = [("long-tasks", "c-ours", 2, 1.9)]

# Regions beside other Haskell threads: with a CPU left for these, at most so many times what the region takes alone;
# without one, no more than the best of the peers. By the name of the value.
BESIDE_WANTED = {"": 1.1, "p99": 1.5}

# A row's predicted time, where there is one: what it is called, and the function of a cell's medians and its size. A
# batch should cost one safe call's release of the Capability, and then as much as unsafe calls.
PREDICTED = {"batched": ("predicted: one release", lambda medians, size: (
    (medians["safe"] - medians["unsafe"]) / int(size) + medians["unsafe"]))}

# Pictures, each lines over the row's sizes or teams: row, title, what x is ("size" or "threads"), the cells' threads or
# size, series.
CHARTS = [
    ("ffi-scaling", "A C loop of 10,000 units of work, by a safe call", "threads", "10000",
     "c-alone c-ours libgomp libomp"),
    ("crossover", "A team or one thread: the sum of sines", "size", 2, "c-alone c-ours libgomp libomp alone ours"),
    ("elements", "The sum of more sines, by two threads", "size", 2,
     "c-ours ours ours-llvm forkio-all forkio-all-llvm"),
    ("ffi-sines", "The sum of a million sines, by a safe call", "threads", "1000000",
     "c-alone c-ours libgomp libomp"),
    ("long-tasks", "A task of 15 us, of so many, by two threads", "size", 2, "c-alone c-ours libgomp libomp ours"),
    ("batched", "A call of C, of so many in a batch", "size", 1, "unsafe safe batch columns"),
    ("gflops", "dgemm by two threads", "size", 2, "c-ours libgomp libomp"),
    ("gflops", "dgemm of 1,024 rows", "threads", "1024", "c-ours libgomp libomp"),
    ("callback-work", "Callbacks for so many units of work, by two threads", "size", 2, "plain funptr call range"),
    ("callback", "A callback that does next to nothing", "threads", "-", "funptr call range array each batch"),
    ("shared-parts", "Two passes over a million elements, in so many parts", "size", 2, "alone linear linear-team"),
    ("parts", "Two million units of work in so many parts", "size", 2, "alone linear linear-team sparks forkon"),
]

# Pictures of a row that has one cell: row, title, series.
BARS = [("call", "A call that does next to nothing, by its convention", "prim prim-pure unsafe safe")]
