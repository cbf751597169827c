#!/usr/bin/env python3
"""test/packages/run.py: its table and page, and what it says of a program that is wrong on the drop-in, hangs there,
differs on libgomp itself, or has no team. The programs are scripts, which see by LD_LIBRARY_PATH where they are."""
# limit: 120

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "packages"))
import inputs  # noqa: E402
import run as packages  # noqa: E402


def row(command):
    return packages.Row("a-package", "/bin/sh", [], "does", command)


class Table(unittest.TestCase):
    def test_enough(self):
        """Twenty other packages than those of test/programs."""
        with tempfile.TemporaryDirectory() as folder:
            found = packages.rows()
            self.assertGreaterEqual(len({r.package for r in found}), 20)
            for one in found:
                self.assertTrue(os.path.isabs(one.program), one)
                self.assertFalse(os.path.exists(os.path.join(ROOT, "test", "programs", one.package + ".sh")), one)
                packages.make_inputs(one, folder)
                for name in one.inputs:
                    self.assertIn(name, one.command)
                    self.assertTrue(os.path.getsize(os.path.join(folder, name)), name)

    def test_inputs_are_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            for maker in (inputs.genomes, inputs.train, inputs.digits):
                made = []
                for name in ("one", "two"):
                    maker(os.path.join(folder, name))
                    with open(os.path.join(folder, name), "rb") as f:
                        made.append(f.read())
                self.assertEqual(*made)

    def test_columns(self):
        with tempfile.NamedTemporaryFile("w") as f:
            f.write("# comment\nname\tprogram\n")
            f.flush()
            with self.assertRaisesRegex(packages.Wrong, ":2: a row has 5 columns"):
                packages.rows(f.name)

    def test_page(self):
        with open(packages.PAGE, encoding="utf-8") as f:
            text = f.read()
        self.assertEqual(packages.page(text, packages.rows()), text, "run make gen")

    def test_installed_by_name(self):
        out = subprocess.run([sys.executable, os.path.join(ROOT, "test", "packages", "run.py"), "--list"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(out.split(), [r.package for r in packages.rows()])


class Verdicts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.made = folder.name
        self.counter = os.path.join(folder.name, "counter")

    def on(self, command, dropin=None):
        return packages.run(row(command), self.made, packages.environment(2, dropin, "posix"), 60)

    def test_explain(self):
        same = packages.Result(0, b"abc", "")
        self.assertIsNone(packages.explain(same, packages.Result(0, b"abc", "a warning")))
        self.assertIn("byte 2 of 3", packages.explain(same, packages.Result(0, b"abd", "")))
        self.assertIn("byte 2 of 2", packages.explain(same, packages.Result(0, b"ab", "")))
        self.assertIn("exit status 3", packages.explain(same, packages.Result(3, b"abc", "")))

    def test_environment(self):
        os.environ["OMP_SCHEDULE"] = "dynamic"
        self.addCleanup(os.environ.pop, "OMP_SCHEDULE")
        self.assertEqual(self.on('echo "$OMP_SCHEDULE$LD_LIBRARY_PATH $threads $OMP_NUM_THREADS"').out, b" 2 2\n")
        self.assertEqual(self.on('echo "$LD_LIBRARY_PATH $GHCOMP_HOST"', "/there").out, b"/there posix\n")

    def test_a_hang(self):
        with self.assertRaisesRegex(packages.Wrong, "did not end in 1 s"):
            packages.run(row("sleep 1000 & sleep 1000"), self.made, packages.environment(2), 1)

    def test_libgomp_differs(self):
        with self.assertRaisesRegex(packages.Wrong, "libgomp's own runs differ"):
            packages.on_libgomp(row("echo x >>%s; cat %s" % (self.counter, self.counter)), self.made, 2)
        with self.assertRaisesRegex(packages.Wrong, "0 bytes"):
            packages.on_libgomp(row("true"), self.made, 2)

    def test_not_served(self):
        with self.assertRaisesRegex(packages.Wrong, "does not load"):
            packages.is_served(row("true"), self.made, "/nowhere")

    def compare(self, command, runs=3):
        """As compare() does, with a drop-in that only the environment shows."""
        served, hosts = packages.is_served, packages.hosts
        packages.is_served, packages.hosts = (lambda *_: None), (lambda _: ["posix"])
        try:
            dropin = os.path.join(self.made, "dropin")
            os.makedirs(dropin, exist_ok=True)
            with open(os.path.join(dropin, "libgomp.so.1"), "w"):
                pass
            packages.compare(row(command), dropin, runs)
        finally:
            packages.is_served, packages.hosts = served, hosts

    def test_compare(self):
        self.compare("echo $threads")
        with self.assertRaisesRegex(packages.Wrong, "run 1 of 3 with 2 threads on the posix host"):
            self.compare('echo "$LD_LIBRARY_PATH"')
        with self.assertRaisesRegex(packages.Wrong, "run 1 of 3 with 8 threads .* exit status 4"):
            self.compare('echo x; [ -z "$LD_LIBRARY_PATH" ] || [ $threads = 2 ] || exit 4')
        with self.assertRaisesRegex(packages.Wrong, "run 3 of 3 with 2 threads"):
            self.compare('echo x; [ -z "$LD_LIBRARY_PATH" ] || { echo >>%s; [ $(wc -l <%s) != 3 ]; }' % (
                self.counter, self.counter))

    def test_absent(self):
        with self.assertRaisesRegex(packages.Skip, "needs the package a-package"):
            packages.compare(row("true")._replace(program="/no/such/program"), self.made, 1)


if __name__ == "__main__":
    unittest.main()
