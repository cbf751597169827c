#!/usr/bin/env python3
"""bench/peers.py: what a peer of the command line is called and what it is, that samples run on it, and that the better
peer is the best of all."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "bench"))
import common  # noqa: E402
import construct_rows  # noqa: E402
import made_up  # noqa: E402
import peers  # noqa: E402
import report  # noqa: E402

FOUR = {"ours-posix": [200], "libgomp-12.2.0": [300], "libgomp-16.2.0": [100], "libomp-19.1.7": [250],
        "libomp-23.1.4": [400]}


class Folders(unittest.TestCase):
    """Objects that are only files: their text tells whether they run clang's code."""

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = kept.name

    def object(self, name, file="libgomp.so.1", version=None, text=b"GOMP_parallel\0"):
        path = os.path.join(self.folder, name, file)
        os.makedirs(os.path.dirname(path))
        with open(path, "wb") as f:
            f.write(text)
        if version:
            with open(os.path.join(os.path.dirname(path), "version"), "w", encoding="utf-8") as f:
                f.write(version + "\n")
        return path

    def refused(self, *given):
        with self.assertRaises(SystemExit) as why, contextlib.redirect_stderr(io.StringIO()):
            peers.others(given)
        return str(why.exception)

    def test_names_and_versions(self):
        gomp = self.object("a", version="libgomp1 16.2.0-4")
        omp = self.object("b", "libomp.so.5", "libomp5-23 1:23.1.4-2", b"GOMP_parallel\0__kmpc_fork_call\0")
        plain = self.object("c")
        given = [gomp, os.path.dirname(omp), "mine=" + plain]
        self.assertEqual(peers.others(given), {"libgomp-16.2.0": gomp, "libomp-23.1.4": omp, "mine": plain})
        self.assertEqual(peers.versions_of(given), {"peers": {
            "libgomp-16.2.0": "libgomp1 16.2.0-4", "libomp-23.1.4": "libomp5-23 1:23.1.4-2", "mine": plain}})
        self.assertEqual(peers.versions_of(None), {})

    def test_each_compilers_code_finds_it(self):
        found = {"gomp": self.object("a"), "omp": self.object("b", "libomp.so.5", text=b"__kmpc_fork_call\0")}
        for name, files in (("gomp", ["libgomp.so.1"]), ("omp", ["libgomp.so.1", "libomp.so.5"])):
            folder = peers.linked(name, found[name], self.folder)
            self.assertEqual(sorted(os.listdir(folder)), files)
            self.assertEqual({os.readlink(os.path.join(folder, file)) for file in files}, {found[name]})

    def test_what_is_refused(self):
        plain = self.object("c")
        self.assertIn("its version is not known: name it", self.refused(plain))
        self.assertIn("takes the path of a libgomp.so.1", self.refused("x=/nowhere"))
        for name in ("ours-new", "libgomp", "Mine", ""):
            self.assertIn("is no such name", self.refused("%s=%s" % (name, plain)))
        self.assertIn("two peers are called x", self.refused("x=" + plain, "x=" + plain))


class Results(unittest.TestCase):
    def result(self):
        rows = [dict(row="barrier", threads=2, unit="ns", values=made_up.spreads(FOUR))]
        made = made_up.result(rows, runtimes=list(FOUR))
        made["machine"]["peers"] = {name: name + " of a package" for name in FOUR if name != "ours-posix"}
        return made

    def test_the_better_peer_is_the_best_of_all(self):
        found = report.ratio(self.result()["rows"][0], "ours-posix")
        self.assertEqual((found.peer, found.middle, found.worse), ("libgomp-16.2.0", 2.0, 0.5))
        self.assertEqual(construct_rows.ratio_cell(made_up.spreads(FOUR), "ours-posix", less=True), "**2.00**")

    def test_tables_name_the_versions(self):
        text = report.markdown(self.result())
        self.assertIn("| ours, POSIX | libgomp 12.2.0 | libgomp 16.2.0 | libomp 19.1.7 | libomp 23.1.4 |", text)
        self.assertIn("; libgomp-16.2.0: libgomp-16.2.0 of a package; ", text)
        self.assertNotIn("libgomp: ", text)
        self.assertIn("Worse than all peers: no row.", text)

    def test_what_is_known_to_be_wrong(self):
        self.assertIsNotNone(construct_rows.known_wrong("libomp-23.1.4", "ordered"))
        self.assertIsNone(construct_rows.known_wrong("libgomp-16.2.0", "ordered"))


class Runs(unittest.TestCase):
    def test_samples_run_on_the_peer(self):
        if not os.path.exists(os.path.join(BUILD, "dropin", "libgomp.so.1")):
            self.skipTest("no build")
        system = common.first_line("gcc", "-print-file-name=libgomp.so.1")
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "build", "bench"))
            os.symlink(os.path.join(BUILD, "dropin"), os.path.join(folder, "build", "dropin"))
            copy = os.path.join(folder, "libgomp.so.1")
            shutil.copy(system, copy)
            # How fast the program is does not matter here.
            subprocess.run(["make", "-s", "-C", ROOT, "BUILD=" + os.path.join(folder, "build"),
                            "BENCH_CC=gcc -std=gnu11 -O0 -fopenmp",
                            os.path.join(folder, "build", "bench", "constructs")], check=True)
            out = os.path.join(folder, "r.json")
            done = subprocess.run(
                [sys.executable, os.path.join(ROOT, "bench", "run.py"), "run", "--rows", "parallel", "--threads", "2",
                 "--processes", "1", "--runtimes", "ours-posix,libgomp", "--peer", "other=" + copy, "--out", out,
                 "--build", os.path.join(folder, "build")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)
            result = common.load_result(out)
        self.assertEqual(result["runtimes"], ["ours-posix", "libgomp", "other"])
        self.assertEqual(set(result["rows"][0]["values"]), {"ours-posix", "libgomp", "other"})
        self.assertEqual(list(result["machine"]["peers"]), ["other"])


if __name__ == "__main__":
    sys.exit(unittest.main())
