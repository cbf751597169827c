#!/usr/bin/env python3
"""bench/run.py and its report on made-up samples: ratios and verdicts are right, rows and kernels fit, samples that
must not count are refused."""

import contextlib
import glob
import io
import json
import os
import re
import sys
import tempfile
import types
import unittest
import unittest.mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import chart  # noqa: E402
import common  # noqa: E402
import construct_rows  # noqa: E402
import made_up  # noqa: E402
import model  # noqa: E402
import report  # noqa: E402
import run as bench  # noqa: E402
from construct_rows import ROWS, TITLES  # noqa: E402


def result(rows):
    """A result with the given rows: (row, threads, {runtime: samples})."""
    names = sorted({name for _, _, values in rows for name in values}, key=list(TITLES).index)
    return made_up.result([dict(row=row, threads=m, unit=ROWS[row].unit, values=made_up.spreads(values))
                           for row, m, values in rows], runtimes=names)


def around(median, part=0.01):
    """Samples with that median and quartiles so far from it."""
    return [median * (1 + part * k) for k in (-2, -1, 0, 1, 2)]


class Rows(unittest.TestCase):
    def test_each_row_has_a_kernel_and_each_kernel_a_row(self):
        with open(os.path.join(ROOT, "bench", "c", "constructs.c")) as f:
            source = f.read()
        kernels = set(re.findall(r'^    \{"([a-z0-9-]+)", run_', source, re.M)) - {"transfer"}
        others = {name for name in re.findall(r'strcmp\(row_name, "([a-z-]+)"\)', source)} - {"nested", "transfer"}
        # Switches are counted beside the times.
        made = set(construct_rows.SWITCHES.values())
        self.assertEqual(kernels | others, set(ROWS) - made)

    def test_what_is_wanted_is_of_rows(self):
        self.assertLessEqual({name for name, _ in construct_rows.WANTED}, set(ROWS))
        self.assertLessEqual({row.group for row in ROWS.values()}, set(construct_rows.GROUPS))

    def test_rows_are_described(self):
        with open(os.path.join(ROOT, "docs", "results", "constructs.md"), encoding="utf-8") as f:
            shown = set(re.findall(r"^\| ([a-z0-9-]+)[: ]", f.read(), re.M))
        self.assertLessEqual(set(ROWS), shown)
        self.assertTrue(all(row.what for row in ROWS.values()))

    def test_teams(self):
        self.assertEqual(construct_rows.threads_of("single", None, False, 2), [1, 2, 4, 8, 64])
        self.assertEqual(construct_rows.threads_of("memory", None, False, 2), [1, 2, 4, 8])
        self.assertEqual(construct_rows.threads_of("barrier", None, False, 2), [1, 2, 4, 8, 32, 64, 128, 256])
        self.assertEqual(construct_rows.threads_of("barrier", [2, 64], False, 2), [2, 64])
        self.assertEqual(construct_rows.threads_of("lock-fair", None, False, 2), [2])
        self.assertEqual(construct_rows.threads_of("tree", None, True, 2), [2])

    def test_teams_asked_for(self):
        self.assertEqual(bench.teams("4,1,4"), [1, 4])
        for text in ("0", "1,,2", "many", "2049"):
            with self.assertRaises(SystemExit):
                bench.teams(text)


class Ratios(unittest.TestCase):
    def of(self, row, m, values, host="ours-ghc"):
        return report.ratio(result([(row, m, values)])["rows"][0], host)

    def test_where_less_is_better(self):
        found = self.of("parallel", 2, {"ours-ghc": [50], "libgomp": [100], "libomp": [200]})
        self.assertEqual((found.peer, found.middle, found.worse), ("libgomp", 0.5, 0.25))

    def test_where_more_is_better(self):
        found = self.of("lock-fair", 2, {"ours-ghc": [80], "libgomp": [40], "libomp": [100]})
        self.assertEqual((found.peer, found.middle, found.worse), ("libomp", 1.25, 0.5))

    def test_spread(self):
        found = self.of("parallel", 2, {"ours-ghc": [90, 100, 100, 100, 110], "libgomp": [50, 50, 50, 50, 50]})
        self.assertEqual((found.low, found.high), (2, 2))
        found = self.of("parallel", 2, {"ours-ghc": [100, 100, 100, 100, 110], "libgomp": [50, 25, 50, 100, 50]})
        self.assertEqual((found.middle, found.low, found.high), (2, 2, 2.2))

    def test_a_machine_that_turns_slower_changes_no_ratio(self):
        found = self.of("parallel", 2, {"ours-ghc": [50, 50, 50, 100, 100], "libgomp": [100, 100, 100, 200, 200]})
        self.assertEqual((found.middle, found.low, found.high), (0.5, 0.5, 0.5))

    def test_a_failed_process_leaves_the_medians(self):
        found = self.of("parallel", 2, {"ours-ghc": [90, 100, 100, 100, 110], "libgomp": [40, 50, 50, 60]})
        self.assertEqual((round(found.low, 9), found.middle, round(found.high, 9)),
                         (round(100 / 52.5, 9), 2, round(100 / 47.5, 9)))

    def test_without_a_peer_or_with_nothing(self):
        self.assertIsNone(self.of("parallel", 2, {"ours-ghc": [50]}))
        self.assertIsNone(self.of("parallel", 2, {"libgomp": [50]}))
        self.assertEqual(self.of("barrier-switches", 8, {"ours-ghc": [0], "libgomp": [0]}).middle, 1)
        self.assertEqual(self.of("barrier-switches", 8, {"ours-ghc": [1], "libgomp": [0]}).middle, float("inf"))


class Verdicts(unittest.TestCase):
    def state(self, row, m, values, host="ours-ghc", cpus=2):
        found = report.verdict(result([(row, m, values)])["rows"][0], host, cpus)
        return found and found.state

    def test_ratios(self):
        peer = {"libgomp": around(100), "libomp": around(200)}
        self.assertEqual(self.state("parallel", 2, dict(peer, **{"ours-ghc": around(60)})), "yes")
        self.assertEqual(self.state("parallel", 2, dict(peer, **{"ours-ghc": [64, 61, 61, 59, 58]})), "spread")
        self.assertEqual(self.state("parallel", 2, dict(peer, **{"ours-ghc": around(70)})), "no")
        self.assertIsNone(self.state("parallel", 2, {"ours-ghc": around(70)}))

    def test_more_threads_than_cpus(self):
        values = {"ours-ghc": around(110), "libgomp": around(100)}
        self.assertEqual(self.state("reduction", 8, values), "no")
        self.assertIsNone(self.state("reduction", 8, values, cpus=16))
        self.assertIsNone(self.state("reduction", 1, values))

    def test_values(self):
        self.assertEqual(self.state("barrier", 1, {"ours-ghc": around(5)}), "yes")
        self.assertEqual(self.state("barrier", 1, {"ours-ghc": around(7)}), "no")
        self.assertEqual(self.state("lock-fair", 2, {"ours-ghc": around(41)}), "yes")
        self.assertEqual(self.state("lock-fair", 2, {"ours-ghc": around(39)}), "no")

    def test_differences(self):
        peer = {"libgomp": around(1000)}
        self.assertEqual(self.state("start", 2, dict(peer, **{"ours-ghc": around(6900)})), "yes")
        self.assertEqual(self.state("start", 2, dict(peer, **{"ours-ghc": around(7500)})), "no")
        self.assertEqual(self.state("start", 2, dict(peer, **{"ours-posix": around(2500)}), "ours-posix"), "no")
        self.assertIsNone(self.state("start", 2, {"ours-ghc": around(1), "libomp": around(1)}))

    def test_worse_than_the_better_peer(self):
        def worse(ours, peer):
            values = {"ours-ghc": ours, "libgomp": peer, "libomp": around(1000)}
            return report.is_worse(result([("reduction", 1, values)])["rows"][0], "ours-ghc")
        self.assertFalse(worse(around(104), around(100)))
        self.assertTrue(worse(around(107), around(100)))
        self.assertFalse(worse([120, 110, 107, 90, 80], around(100)))


class Pages(unittest.TestCase):
    def test_what_is_missed_is_named(self):
        text = report.markdown(result([
            ("parallel", 2, {"ours-posix": around(50), "ours-ghc": around(90), "libgomp": around(100)}),
            ("reduction", 1, {"ours-posix": around(120), "ours-ghc": around(101), "libgomp": around(100)})]))
        self.assertIn("1 of 2 aims are reached; 1 are missed.", text)
        self.assertIn("| parallel | 2 | ours, GHC | 0.90 of libgomp | 0.60 | **no** |", text)
        self.assertIn("| reduction | 1 | ours, POSIX | 120 ±1% | libgomp 100 ±1% | ns | 1.20 (1.20 to 1.20) |", text)
        self.assertNotIn("| reduction | 1 | ours, GHC | 101", text)

    def test_nothing_missed(self):
        text = report.markdown(result([("parallel", 2, {"ours-posix": around(50), "libgomp": around(100)})]))
        self.assertIn("1 of 1 aims are reached; 0 are missed.", text)
        self.assertIn("No row.", text)

    def test_the_model_has_the_runtime_s_tree(self):
        with open(os.path.join(common.ROOT, "cbits/core/sync/combining_tree.h"), encoding="utf-8") as f:
            self.assertIn("GHCOMP_TREE_FAN_IN = %d }" % model.FAN, f.read())

    def test_large_teams_do_not_count_as_worse(self):
        values = {"ours-posix": around(200), "libgomp": around(100)}
        for team, cpus, counts in ((8, 2, True), (32, 2, False), (32, 32, True)):
            data = result([("parallel", team, values), ("reduction", 1, {"ours-posix": around(1)})])
            data["machine"]["cpus_usable"] = cpus
            self.assertEqual("No row." not in report.markdown(data), counts)

    def test_a_row_worse_than_both_is_named(self):
        text = report.markdown(result([("parallel", 2, {"ours-ghc": [300], "libgomp": [100], "libomp": [200]}),
                                       ("barrier", 4, {"ours-ghc": [150], "libgomp": [100], "libomp": [200]})]))
        self.assertIn("Worse than both peers: parallel at 2 (ours, GHC, 1.50).", text)

    def test_geometric_means_are_of_a_group_and_a_team(self):
        text = report.markdown(result([("parallel", 2, {"ours-ghc": [20], "libgomp": [100], "libomp": [200]}),
                                       ("barrier", 2, {"ours-ghc": [80], "libgomp": [100]}),
                                       ("barrier", 4, {"ours-ghc": [50], "libgomp": [100]}),
                                       ("barrier", 8, {"ours-ghc": [50]}),
                                       ("task-fib", 2, {"ours-ghc": [30], "libgomp": [100], "libomp": [60]})]))
        for line in ("| 2 | 0.40 | 0.50 |", "| 4 | 0.50 | - |", "| 8 | - | - |"):
            self.assertIn(line, text)

    def test_what_is_wanted_stands_beside_the_ratios(self):
        text = report.markdown(result([("task-fib", 2, {"ours-ghc": [30], "libgomp": [100], "libomp": [60]}),
                                       ("start", 2, {"ours-ghc": [30], "libgomp": [100]})]))
        self.assertIn("| 0.50 | 0.30 |", text)
        self.assertIn("| 0.30 | libgomp + 1,000 / 6,000 |", text)

    def test_a_busy_machine_is_said(self):
        busy = result([("parallel", 2, {"libgomp": [100]})])
        self.assertNotIn("busy", report.markdown(busy))
        busy["conditions"]["cpu_taken_by_others_percent"] = 6.0
        self.assertIn("busy", report.markdown(busy))

    def test_failures_are_grouped_by_reason(self):
        failures = [dict(row="parallel", threads=m, runtime="libomp", reason="exit status 1") for m in (1, 2, 2)]
        self.assertEqual(bench.failure_lines(failures),
                         ["libomp: exit status 1 (3 times: parallel at 1, parallel at 2)"])

    def test_a_known_wrong_result_is_no_failure_but_named(self):
        reason = "exit status 1: constructs: ordered with 4 threads: wrong result: number of turns is 1, should be 0"
        self.assertTrue(bench.is_known("libomp", "ordered", reason))
        for other in (("libomp", "parallel", reason), ("libgomp", "ordered", reason),
                      ("libomp", "ordered", "exit status 1")):
            self.assertFalse(bench.is_known(*other))
        found = result([("ordered", 4, {"ours-posix": around(70), "libgomp": around(100)})])
        found["known_wrong"] = [["libomp", "ordered", 4]]
        self.assertIn("Wrong on libomp, and therefore not counted: ordered at 4 threads.", report.markdown(found))
        for runtime, row in construct_rows.KNOWN_WRONG:
            self.assertIn(runtime, construct_rows.PEERS)
            self.assertIn(row, ROWS)

    def test_spread(self):
        values = bench.spread([5, 1, 4, 2, 3])
        self.assertEqual((values["median"], values["q1"], values["q3"], values["min"], values["max"]), (3, 2, 4, 1, 5))


class Pictures(unittest.TestCase):
    def test_files_are_shown_and_the_same_each_time(self):
        data = result([("parallel", m, {"ours-posix": around(50 * m), "ours-ghc": around(60 * m),
                                        "libgomp": around(100 * m)}) for m in (1, 2, 4, 64)]
                      + [("tree", 2, {"ours-posix": around(5), "libgomp": around(10)})])
        with tempfile.TemporaryDirectory() as folder:
            pages, files = [], []
            for name in ("a", "b"):
                shown = report.charts(data, os.path.join(folder, name, "pictures"))
                pages.append(report.markdown(data, shown))
                files.append({})
                for picture in os.listdir(os.path.join(folder, name, "pictures")):
                    with open(os.path.join(folder, name, "pictures", picture)) as f:
                        files[-1][picture] = f.read()
        self.assertEqual(files[0], files[1])
        self.assertEqual(set(files[0]), {"results-constructs.svg", "results-programs.svg", "results-parallel.svg"})
        for picture in files[0]:
            self.assertIn("(pictures/%s)" % picture, pages[0])

    def test_a_dot_stands_where_its_ratio_is(self):
        svg = chart.dots("t", "x", [("row", {0: ([chart.Dot("filled", 1.0, 0.5, 2.0)], None)})], ["1 thread"],
                         {"filled": "ours"})
        grid = re.search(r'M([0-9.]+) \d+ V\d+" stroke="#888"', svg).group(1)  # the heavy line at 1
        self.assertIn('<circle cx="%s"' % grid, svg)

    def test_bars_are_as_long_as_their_values(self):
        svg = chart.bars("t", "ns", [("a", 10, "10 ns"), ("b", 30, "30 ns")])
        widths = [float(w) for w in re.findall(r'class="bar" x="\d+" y="\d+" width="([0-9.]+)"', svg)]
        self.assertEqual(len(widths), 2)
        self.assertAlmostEqual(widths[1], 3 * widths[0], delta=0.2)
        self.assertIn(">30 ns</text>", svg)

    def test_ticks(self):
        self.assertEqual(chart.ratio_ticks(0.3, 4), [0.2, 0.5, 1, 2, 5])
        self.assertEqual(chart.ratio_ticks(0.5, 2), [0.5, 1, 2])
        self.assertEqual(chart.ratio_ticks(0.002, 40), [0.001, 0.01, 0.1, 1, 10, 100])
        self.assertEqual([chart.tick_text(v) for v in (5, 9000, 1e4, 1e6, 1e9)], ["5", "9000", "10k", "1M", "1G"])

    def test_labels_keep_apart_and_in_order(self):
        self.assertEqual(chart.spread([100, 200], 15, 0, 400), [100, 200])
        self.assertEqual(chart.spread([104, 100], 15, 0, 400), [109.5, 94.5])
        self.assertEqual(chart.spread([0, 1], 15, 0, 400), [0, 15])
        self.assertEqual(chart.spread([400, 399, 398], 15, 0, 400), [400, 385, 370])
        wanted = [10, 12, 30, 31, 32, 200, 214]
        places = chart.spread(wanted, 15, 0, 400)
        self.assertEqual(sorted(places), places)
        self.assertTrue(all(b - a >= 15 - 1e-9 for a, b in zip(places, places[1:])), places)

    def test_names_stand_at_the_lines_or_in_a_list(self):
        def of(lines):
            return chart.curves("t", "x", "y", lines)

        self.assertNotIn('r="5"', of([("a", [(1, 1), (2, 5)]), ("b", [(1, 2), (2, 9)])]))
        # A line that ends before the others.
        self.assertIn('r="5"', of([("a", [(1, 1)]), ("b", [(1, 2), (2, 9)])]))
        # Too many at one place.
        self.assertIn('r="5"', of([(str(i), [(1, 1), (2, 5)]) for i in range(14)]))


class Files(unittest.TestCase):
    def test_one_row_stands_on_a_line(self):
        result = {"machine": {"cpu": "a"}, "runtimes": ["x", "y"], "rows": [{"row": "a"}, {"row": "b"}], "failures": []}
        text = common.dumps_result(result)
        self.assertEqual(json.loads(text), result)
        self.assertEqual(text.splitlines()[3:7], [' "rows": [', '  {"row": "a"},', '  {"row": "b"}', " ],"])

    def test_committed_results_are_as_they_are_written(self):
        for path in glob.glob(os.path.join(common.ROOT, "bench", "results", "*.json")):
            with open(path, encoding="utf-8") as f:
                text = f.read()
            self.assertTrue(text == common.dumps_result(json.loads(text)), path)

    def test_a_result_is_named_by_name_or_path(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(common, "ROOT", folder):
            for out, suffix, path in ((None, "", "bench/results/x.json"),
                                      (None, "-before", "bench/results/x-before.json"),
                                      ("y.json", "-before", "y-before.json"), ("y", "", "y")):
                args = types.SimpleNamespace(out=out and os.path.join(folder, out), name="x")
                self.assertEqual(common.write_result({"rows": []}, args, suffix), os.path.join(folder, path))
                self.assertTrue(os.path.exists(os.path.join(folder, path)))


class Samples(unittest.TestCase):
    def test_another_runtime_than_asked_for_is_refused(self):
        ours = ("/there/dropin", "ghc", "/there/dropin/libgomp.so.1")
        bench.check_served({"object": ours[2], "host": "ghc"}, ours[2], "ghc")
        for served in ({"object": "/lib/libgomp.so.1", "host": ""}, {"object": ours[2], "host": "posix"},
                       {"object": ours[2], "host": ""}):
            with self.assertRaises(bench.Failed):
                bench.check_served(served, ours[2], "ghc")
        with self.assertRaises(bench.Failed):
            bench.check_served({"object": "/x/libgomp.so.1", "host": "posix"}, None, None)

    def test_a_failing_or_silent_sample_is_refused(self):
        for command in (["false"], ["echo", "no JSON"]):
            with self.assertRaises(bench.Failed):
                bench.spawn(command, dict(os.environ))

    def test_the_callers_settings_do_not_reach_a_sample(self):
        os.environ.update(OMP_WAIT_POLICY="active", GHCRTS="-N7", KMP_BLOCKTIME="0")
        env = bench.environment(("/there", "posix", None), 3)
        self.assertEqual({k for k in env if k.startswith(("OMP_", "KMP_", "GHCRTS"))}, {"OMP_NUM_THREADS"})
        self.assertEqual((env["LD_LIBRARY_PATH"], env["GHCOMP_HOST"], env["OMP_NUM_THREADS"]), ("/there", "posix", "3"))

    def test_runtimes_take_turns_in_each_cell(self):
        log = []

        @contextlib.contextmanager
        def around(cell):
            log.append("(")
            yield
            log.append(")")

        def take(cell, name):
            log.append(cell + name)
            if (cell, name) == ("1", "b"):
                raise bench.Failed("why")
            return {"value": len(log)}

        with contextlib.redirect_stderr(io.StringIO()) as said:
            watch = common.Watch(2, None)
            samples, failures = common.take_samples(watch, [("1", ["a", "b"]), ("2", ["a"])], take, around=around)
        self.assertEqual(" ".join(log), "( 1a 1b ) ( 2a ) ( 1b 1a ) ( 2a )")
        self.assertEqual(samples, {("1", "value"): {"a": [2, 10]}, ("2", "value"): {"a": [6, 13]}})
        self.assertEqual(failures, [("1", "b", "why")] * 2)
        self.assertIn("round 2 of 2, 0 s, 2 failures", said.getvalue())
        self.assertIsNone(watch.conditions()["transfer_ns"])


if __name__ == "__main__":
    unittest.main()
