#!/usr/bin/env python3
"""bench/haskell.py on made-up samples: rows and series fit, ratios are right, wrong samples are refused."""

import os
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import haskell  # noqa: E402
import made_up  # noqa: E402
from common import Failed  # noqa: E402
from haskell_base import COMPARED  # noqa: E402
from haskell_rows import BARS, CHARTS, EXTRA, ROWS, series_of  # noqa: E402


def result(row, cells, extra=""):
    """A result of one row, with cells (threads, size, {series: samples})."""
    return made_up.result(
        [{"row": row, "value": extra, "threads": m, "size": size, "unit": haskell.unit_of(row, extra),
          "values": made_up.spreads(values)} for m, size, values in cells],
        timing={"batch_ms": 10, "batches": 5})


class Rows(unittest.TestCase):
    def test_a_series_that_no_program_has_is_found(self):
        there = {series_of(n).program: set() for n in ("ours", "libgomp", "ours-llvm")}
        for row, spec in ROWS.items():
            for name in spec.series:
                there[series_of(name).program].add((row, series_of(name).series))
        self.assertEqual(haskell.unmatched(there), [])
        there["kernels"].remove(("loop-bound", "ours"))
        there["kernels"].add(("loop-bound", "mine"))
        self.assertEqual(haskell.unmatched(there), ["kernels has no series ours of row loop-bound",
                                                    "no row has kernels' series mine of row loop-bound"])
        del there["kernels-llvm"]
        self.assertEqual(len(haskell.unmatched(there)), 2)

    def test_compared_series_are_measured(self):
        for row, spec in ROWS.items():
            self.assertLessEqual(set(spec.ours + spec.peers), set(spec.series), row)
            self.assertLessEqual(set(spec.quick), set(spec.sizes), row)

    def test_numbers_of_threads(self):
        self.assertEqual([haskell.thread_numbers(kind, [1, 2, 4], 2) for kind in ("all", "cpus", "full", "spare",
                                                                                  (8,))],
                         [[1, 2, 4], [1, 2], [2], [1, 2], [8]])
        self.assertEqual(haskell.thread_numbers("spare", [1, 2], 1), [1])


class Tables(unittest.TestCase):
    def test_ratio_where_less_is_better(self):
        entry = result("loop-bound", [(2, "50x2", {"ours": [50], "forkio": [100], "forkon": [40]})])["rows"][0]
        self.assertEqual(haskell.ratio(entry, "ours", ("forkio", "forkon")), 1.25)
        self.assertIsNone(haskell.ratio(entry, "ours", ("sparks",)))

    def test_ratio_of_rates(self):
        entry = result("callers", [(4, "64", {"c-ours": [200], "libomp": [100]})])["rows"][0]
        self.assertEqual(haskell.ratio(entry, "c-ours", ("libomp",)), 0.5)

    def test_a_loop_slower_than_by_hand_is_named(self):
        text = haskell.markdown(result("loop-bound", [
            (2, "50x2", {"ours": [104], "forkio": [100], "forkon": [200]}),
            (2, "500x8", {"ours": [110], "forkio": [100], "forkon": [200]})]))
        self.assertIn("| 1.10 (500 x 8) | at most 1.05 | **not** at 500 x 8 |", text)

    def test_a_chunk_s_time_is_judged(self):
        self.assertIn("| 12 ns | at most 12 ns | yes |", haskell.markdown(result("chunk", [(1, "-", {"ours": [12]})])))
        self.assertIn("| **no** |", haskell.markdown(result("chunk", [(2, "-", {"ours": [51]})])))

    def test_a_time_of_one_size_is_judged(self):
        text = haskell.markdown(result("batched", [(1, "10", {"columns": [9]}), (1, "100", {"columns": [3]}),
                                                   (1, "10000", {"columns": [5]})]))
        self.assertIn("1 thread, 100 | 3 ns | at most 4 ns | yes |", text)
        self.assertIn("1 thread, 10,000 | 5 ns | at most 4 ns | **no** |", text)
        self.assertNotIn("1 thread, 10 |", text)

    def test_a_series_is_judged_by_peers_of_its_own(self):
        text = haskell.markdown(result("heat", [(2, "4000x240", {"ours": [100], "linear-steps": [99]}),
                                                (2, "40000x240", {"ours": [100], "linear-steps": [120]})]))
        self.assertIn("| 1.20 (40,000 x 240) | at most 1.00 | **not** at 40,000 x 240 |", text)

    def test_predicted_times(self):
        text = haskell.markdown(result("batched", [(1, "1", {"safe": [70], "unsafe": [2], "batch": [80]}),
                                                   (1, "100", {"safe": [70], "unsafe": [2], "batch": [15]}),
                                                   (1, "1000", {"batch": [15]})]))
        self.assertRegex(text, r"predicted: one release \|")
        self.assertIn("| 80 ns ±0% | 70 ns |", text)
        self.assertIn("| 15 ns ±0% | 2.68 ns |", text)
        self.assertRegex(text, r"\| 15 ns ±0% \| - \|")

    def test_predicted_times_are_in_the_picture(self):
        cells = [(1, size, {"safe": [70], "unsafe": [2], "columns": [took]}) for size, took in (("1", 80), ("100", 4))]
        with tempfile.TemporaryDirectory() as folder:
            haskell.charts(result("batched", cells), folder)
            with open(os.path.join(folder, "haskell-batched-by-size.svg"), encoding="utf-8") as f:
                self.assertIn("predicted: one release", f.read())

    def test_crossover_is_the_last_change(self):
        cells = [(2, str(n), {"c-alone": [alone], "c-ours": [ours]})
                 for n, alone, ours in ((10, 5, 4), (100, 5, 9), (1000, 50, 40), (10000, 500, 300))]
        self.assertEqual(haskell.crossover(result("crossover", cells)["rows"]),
                         ["- C on ours is faster than sequential C from 1,000 on."])

    def test_units(self):
        self.assertEqual([haskell.quantity(v, "ns") for v in (0, 4e-10, 1.234, 1234, 1.234e6, 2e9)],
                         ["0 ns", "below 0.001 ns", "1.23 ns", "1.23 us", "1.23 ms", "2,000 ms"])
        self.assertEqual([haskell.quantity(12345.6, "/s"), haskell.quantity(20, ""), haskell.quantity(3.456, "us")],
                         ["12,346/s", "20", "3.46 us"])
        self.assertEqual([haskell.less_is_better("callers", e) for e in ("", "p99")], [False, True])
        self.assertEqual([haskell.less_is_better("gflops", ""), haskell.less_is_better("overlap", "overlap"),
                          haskell.less_is_better("overlap", "sequential")], [False, False, True])

    def test_the_fixed_cost_in_parts(self):
        by_row = {row: result(row, [(2, size, values)])["rows"] for row, size, values in (
            ("crossover", "10", {"c-ours": [5]}), ("fork-join", "-", {"c-ours": [500]}), ("call", "-", {"safe": [80]}))}
        self.assertEqual(haskell.fixed_cost(by_row), [
            "- C on ours: a region with nothing in it takes 500 ns, a safe call of it 80 ns, fork and join 420 ns."])

    def test_the_least_work_for_callbacks(self):
        cells = [(m, str(n), {"plain": [10 * n], "range": took}) for m in (2, 4) for n, took in (
            (1, [29, 30, 30, 31]), (10, [120]), (101, [1030]))]
        self.assertEqual(haskell.grain(result("callback-work", cells)["rows"], 2), [
            "- range, %d threads: a call costs 40 ns (39.5 ns to 40.5 ns), a tenth of the whole beside 360 ns of work."
            % m for m in (2, 4)])

    def test_a_call_that_costs_less_than_its_time_varies(self):
        cells = [(1, "1", {"range": [8, 8, 30, 40]}), (1, "1000", {"range": [10000]})]
        self.assertEqual(haskell.grain(result("callback-work", cells)["rows"], 2), [
            "- range, 1 thread: a call costs less than its time varies, 24.5 ns."])

    def test_gains_of_a_team_are_judged(self):
        cells = [(2, size, {"c-alone": [1900], "c-ours": [took], "libgomp": [1900]})
                 for size, took in (("100", 1900), ("500", 1000))]
        text = haskell.markdown(result("long-tasks", cells))
        self.assertIn("| long-tasks, sequential C to C on ours, 2 threads, at worst | 1.00 times as fast (100) | "
                      "at least 1.9 | **not** at 100 |", text)
        self.assertIn("| sequential C to C on ours: times as fast | 1.00 | 1.90 |", text)
        self.assertIn("| sequential C to C on libgomp: times as fast | 1.00 | 1.00 |", text)

    def test_regions_beside_haskell_are_judged_by_the_cpus_that_are_left(self):
        def rows(row, value, at):
            return result(row, [(m, "-", values) for m, values in at.items()], value)["rows"]
        peers = {"c-ours": [100], "libgomp": [90], "libomp": [200]}
        made = result("latency", [(1, "-", {"c-ours": [100]}), (2, "-", {"c-ours": [100]})])
        made["rows"] += rows("latency", "p99", {1: {"c-ours": [100]}})
        made["rows"] += rows("latency-allocating", "", {1: {"c-ours": [109]}, 2: peers})
        made["rows"] += rows("latency-allocating", "p99", {1: {"c-ours": [151]}})
        text = haskell.markdown(made)
        self.assertIn("p50, 1 thread / alone, a CPU left for Haskell | 1.09 | at most 1.10 | yes |", text)
        self.assertIn("p99, 1 thread / alone, a CPU left for Haskell | 1.51 | at most 1.50 | **no** |", text)
        self.assertIn("p50, 2 threads / best of the peers, no CPU left | 1.11 | at most 1.00 | **no** |", text)

    def test_a_ratio_names_the_peers_that_were_measured(self):
        text = haskell.markdown(result("loop-bound", [(2, "50x2", {"ours": [100], "forkio": [200], "forkon": [300]})]))
        self.assertIn("| loop-bound, Haskell on ours / best of forkIO, forkOn, at worst | 0.50 (50 x 2) |", text)
        self.assertNotIn("caller waits", text)
        text = haskell.markdown(result("loop-bound", [(2, "50x2", {"ours": [100], "forkio": [200],
                                                                   "forkio-all": [50]})]))
        self.assertIn("Haskell on ours / best of forkIO, forkIO (caller waits), at worst | 2.00 (50 x 2) |", text)

    def test_a_row_without_sizes_is_judged_by_its_teams(self):
        text = haskell.markdown(result("hand-over", [(1, "-", {"ours": [100], "forkos": [100]}),
                                                     (2, "-", {"ours": [120], "forkos": [100]})]))
        self.assertIn("at worst | 1.20 (2 threads) | at most 1.05 | **not** at 2 threads |", text)

    def test_beside_the_prototype(self):
        text = haskell.markdown(result("fork-join", [(2, "-", {"c-ours": [70], "libgomp": [100]}),
                                                     (4, "-", {"c-ours": [50], "libgomp": [100]})]))
        self.assertIn("| the same, 2 threads | 499 ns, 765 ns | 0.65 | fork-join, 2 threads: C on ours; C on libgomp | "
                      "70 ns, 100 ns | **0.70** |", text)
        self.assertIn("| the same, 4 threads | 945 ns, 931 ns | 1.02 | fork-join, 4 threads: C on ours; C on libgomp | "
                      "50 ns, 100 ns | 0.50 |", text)

    def test_rates_beside_the_prototype_have_ours_first_and_the_ratio_of_times(self):
        text = haskell.markdown(result("gflops", [(4, "128", {"c-ours": [4], "libgomp": [5]})]))
        self.assertIn("| gflops 128, 4 threads: C on ours; C on libgomp | 4 GFLOPS, 5 GFLOPS | **1.25** |", text)

    def test_times_beside_the_prototype_have_one_unit(self):
        text = haskell.markdown(made_up.result(
            [{"row": "overlap", "value": value, "threads": 1, "size": "-", "unit": unit,
              "values": made_up.spreads({"c-ours": [took]})} for value, unit, took in (
                  ("", "ns", 20.4e6), ("sequential", "us", 34290.))], timing={"batch_ms": 10, "batches": 5}))
        self.assertIn("| overlap, 1 thread: C on ours; C on ours, sequential | 20.4 ms, 34.3 ms | 0.59 |", text)

    def test_what_ran_beside_the_prototype_is_named(self):
        text = haskell.markdown(result("latency", [(2, "-", {"c-ours": [480000]})]) | {"rows": [
            *result("latency", [(2, "-", {"c-ours": [480000]})])["rows"],
            *result("latency-allocating", [(2, "-", {"c-ours": [1000000], "c-ours-dynamic": [860000]})])["rows"]]})
        self.assertIn("| latency-allocating, 2 threads: C on ours; latency, 2 threads: C on ours | 1 ms, 0.48 ms |",
                      text)
        self.assertIn("| latency-allocating, 2 threads: C on ours, OMP_DYNAMIC; latency, 2 threads: C on ours | "
                      "860 us, 480 us |", text)

    def test_what_is_compared_with_the_prototype_is_measured(self):
        def asked(row, threads, size, name, value=""):
            self.assertIn(name, ROWS[row].series)
            self.assertIn(size, ROWS[row].sizes)
            self.assertIn(threads, haskell.thread_numbers(ROWS[row].threads, [1, 2, 4], 2))
            self.assertIn(value, [""] + list(EXTRA))
            return 1.0

        for entry in COMPARED:
            entry[3](asked)

    def test_charts_are_of_rows_and_series(self):
        for row, _, across, _, names in CHARTS:
            self.assertIn(across, ("size", "threads"))
            self.assertLessEqual(set(names.split()), set(ROWS[row].series), row)
        for row, _, names in BARS:
            self.assertLessEqual(set(names.split()), set(ROWS[row].series), row)


class Samples(unittest.TestCase):
    def refused(self, name, served, host, runtime=(None, None, None)):
        try:
            haskell.check_series({"object": served, "host": host}, series_of(name), runtime, "/b/kernels")
        except Failed:
            return True
        return False

    def test_another_runtime_than_asked_for_is_refused(self):
        self.assertFalse(self.refused("ours", "/b/kernels", "ghc"))
        self.assertTrue(self.refused("c-ours", "/b/kernels", "posix"))
        self.assertTrue(self.refused("c-ours", "/lib/libgomp.so.1", ""))
        self.assertFalse(self.refused("libgomp", "/lib/libgomp.so.1", ""))
        self.assertTrue(self.refused("libgomp", ROOT + "/build/dropin/libgomp.so.1", "posix"))
        libomp = ("/b/libomp", None, "/b/libomp/libgomp.so.1")
        self.assertFalse(self.refused("libomp", "/b/libomp/libgomp.so.1", "", libomp))
        self.assertTrue(self.refused("libomp", "/lib/libgomp.so.1", "", libomp))


if __name__ == "__main__":
    unittest.main()
