#!/usr/bin/env python3
# limit: 500
"""examples/rescues: each row that this machine can run ends on our runtime, with the result of one thread on libgomp;
and the runner tells what hangs, fails or has another result, by programs that do so. The page names the rows. A sampled
run (test/sample.py) has a third of the rows that have the same beginning of their names."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESCUES = os.path.join(ROOT, "examples", "rescues")
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
sys.dont_write_bytecode = True
sys.path.insert(0, RESCUES)
import rescues  # noqa: E402
import rows  # noqa: E402
from sample import take  # noqa: E402


def of_tests(name):
    """A module of test/, since examples/rescues has a sample.py, too."""
    spec = importlib.util.spec_from_file_location("test_" + name, os.path.join(ROOT, "test", name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LIMIT_S = 100


class Ours(unittest.TestCase):
    def test_rows(self):
        names = {"%s [%s]" % (row.name.partition("-")[0], row.name): row.name for row in rows.ROWS}
        chosen = of_tests("sample").of_environment().of(list(names), alike=True)
        names = [name for key, name in names.items() if key in chosen]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result.json")
            done = subprocess.run([sys.executable, "-B", os.path.join(RESCUES, "rescues.py"), "run", "--build", BUILD,
                                   "--runtimes", "ours", "--runs", "1", "--limit", str(LIMIT_S), "--out", path,
                                   "--rows", ",".join(names)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            with open(path, encoding="utf-8") as f:
                result = json.load(f)
        measured = [row["name"] for row in result["rows"]]
        out = [name for name, _ in result["left_out"]]
        self.assertEqual(sorted(measured + out), sorted(names))
        self.assertLessEqual({"fork-c", "fork-python", "serial", "solver", "solver-8"} & set(names), set(measured))
        self.assertIn("serial", measured)
        for row in result["rows"]:
            self.assertEqual(row["of"]["ours"]["runs"], 1)
            self.assertGreaterEqual(row["of"]["ours"]["wall_s"], 0)

    def test_refuses(self):
        for words, text in ((["run", "--rows", "none"], "there is no row none"),
                            (["run", "--runtimes", "none"], "there is no runtime none"),
                            (["run", "--runs", "0"], "--runs takes a positive number"),
                            (["run", "--limit", "0"], "--limit takes a positive number"),
                            (["run", "--build", "/nowhere"], "run make dropin first")):
            done = subprocess.run([sys.executable, "-B", os.path.join(RESCUES, "rescues.py"), *words],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


class Runner(unittest.TestCase):
    def of(self, text, limit_s=LIMIT_S, before=None):
        return take(["sh", "-c", text], dict(os.environ), limit_s, before)

    def test_outcomes(self):
        ended = self.of("echo a; echo b >&2")
        self.assertEqual((ended.outcome, ended.text), ("ended", "a\n"))
        failed = self.of("echo no >&2; exit 3")
        self.assertEqual((failed.outcome, failed.text), ("failed", "status 3: no"))
        self.assertEqual(self.of("kill -9 $$").outcome, "failed")

    def test_hung(self):
        """It is killed with what it has started, also where that has left its group's leader."""
        with tempfile.TemporaryDirectory() as folder:
            number = os.path.join(folder, "number")
            hung = self.of("sleep 1000 & echo $! >%s; wait" % number, limit_s=15)
            self.assertEqual(hung.outcome, "hung")
            with open(number, encoding="utf-8") as f:
                process = int(f.read())
        end = time.monotonic() + LIMIT_S
        while self.runs(process):
            self.assertLess(time.monotonic(), end, "a process of a hung run is still there")
            time.sleep(0.05)

    def runs(self, process):
        try:
            with open("/proc/%d/stat" % process, encoding="utf-8") as f:
                return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def test_measured(self):
        """A program that hangs, fails or says something else by its environment."""
        text = 'case ${KIND:-} in hang) sleep 1000 ;; fail) exit 1 ;; other) echo 2 ;; *) echo 1 ;; esac'
        for kind, wanted in (("", {}), ("hang", {"hung": 2}), ("fail", {"failed": 2}), ("other", {"wrong": 2})):
            # The reference has one thread.
            command = ["sh", "-c", "[ $OMP_NUM_THREADS = 1 ] || KIND=%s; %s" % (kind, text)]
            row = rows.row("x", "x", lambda _, c=command: c, limit_s=3 if kind == "hang" else LIMIT_S)
            of = rescues.measured(row, {"ours": (None, None)}, 2, "")["ours"]
            self.assertEqual({k: of[k] for k in ("hung", "failed", "wrong") if of[k]}, wanted)
            self.assertEqual(rescues.good(of), not wanted)

    def test_table(self):
        bad = {"runs": 5, "hung": 4, "failed": 0, "wrong": 1, "wall_s": 1.5, "cpu_s": 2.25, "why": None}
        self.assertEqual(rescues.cell(bad), "hung 4 of 5; wrong 1 of 5; 1.50 s, 2.25 s CPU")
        self.assertEqual(rescues.cell(dict(bad, hung=5, wrong=0, wall_s=None)), "hung 5 of 5")


class Page(unittest.TestCase):
    def test_names_rows(self):
        with open(os.path.join(ROOT, "docs", "guide", "rescues.md"), encoding="utf-8") as f:
            named = [name for line in f if line.startswith("| `")
                     for name in re.findall(r"`([\w-]+)`", line.split("|")[1])]
        self.assertEqual(named, [row.name for row in rows.ROWS])


if __name__ == "__main__":
    unittest.main()
