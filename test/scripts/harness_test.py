#!/usr/bin/env python3
# Tests of test/harness.py: limits, process groups, directives, the compile cache.
# limit: 240
import errno
import os
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness  # noqa: E402


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="latin-1") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pid):
    """A killed process may exist for a moment longer: only its parent waits for it."""
    until = time.monotonic() + 60
    while alive(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def run_until(ready, argv):
    """harness.run of a command that hangs, whose limit is over when it has made the file `ready`."""
    with mock.patch.object(harness.Clock, "expired", lambda self, limit: os.path.exists(ready)):
        return harness.run(argv, 60)


def burn():
    """A command that computes as long as this process lives, which may be killed before it ends what it has started."""
    return "while kill -0 %d 2>/dev/null; do :; done" % os.getpid()


class Run(unittest.TestCase):
    def test_status_and_output(self):
        done = harness.run(["sh", "-c", "echo out; echo err >&2; exit 5"], 60)
        self.assertEqual((done.rc, done.out, done.err, done.timed_out), (5, "out\n", "err\n", False))

    def test_signal(self):
        done = harness.run(["sh", "-c", "kill -SEGV $$"], 60)
        self.assertEqual(done.ending(10), "killed by SIGSEGV")

    def test_limit_kills_the_whole_group(self):
        with tempfile.TemporaryDirectory() as folder:
            ready = os.path.join(folder, "ready")
            done = run_until(ready, ["sh", "-c", "sleep 1000 & echo $!; : >%s; wait" % ready])
        self.assertTrue(done.timed_out)
        self.assertIn("hung", done.ending(2))
        self.assertTrue(gone(int(done.out)))

    def test_spinning_hang_ends_too(self):
        done = harness.run(["sh", "-c", burn()], 0.3)
        self.assertTrue(done.timed_out)

    def test_children_do_not_outlive_a_test_that_passes(self):
        done = harness.run(["sh", "-c", "sleep 1000 & echo $!"], 60)
        self.assertEqual((done.rc, done.timed_out), (0, False))
        self.assertTrue(gone(int(done.out)))

    def test_ulimit(self):
        done = harness.run(["sh", "-c", "ulimit -v"], 10, ulimits="-v 2000000; -s 1024")
        self.assertEqual(done.out, "2000000\n")

    def test_steering_variables_do_not_leak_in(self):
        os.environ["OMP_NUM_THREADS"] = "3"
        try:
            done = harness.run(
                ["sh", "-c", "echo ${OMP_NUM_THREADS-unset} $OMP_X"],
                10,
                env=harness.clean_env({"OMP_X": "x"}),
            )
        finally:
            del os.environ["OMP_NUM_THREADS"]
        self.assertEqual(done.out, "unset x\n")

    def test_missing_program(self):
        with self.assertRaises(harness.TestError):
            harness.run(["/nonexistent/program"], 60)


class NoRoom(unittest.TestCase):
    """The system refuses processes for a while, or for good."""

    def start_after(self, refusals, patience):
        real, made = subprocess.Popen, []

        def popen(*words, **more):
            made.append(1)
            if len(made) <= refusals:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            return real(*words, **more)

        with mock.patch.object(subprocess, "Popen", popen), mock.patch.object(harness, "PATIENCE", patience):
            return harness.run(["true"], 60).rc

    def test_it_tries_again(self):
        self.assertEqual(self.start_after(3, 60), 0)

    def test_then_it_says_so(self):
        with self.assertRaisesRegex(harness.NoProcess, "Resource temporarily unavailable; end other programs"):
            self.start_after(1000, 0.3)

    def test_a_compiler_that_cannot_fork(self):
        with tempfile.TemporaryDirectory() as folder:
            compiler = os.path.join(folder, "cc")
            with open(compiler, "w") as f:
                f.write("#!/bin/sh\ncd %s\n[ -e tried ] && shift && exec touch $2\n"
                        "touch tried; echo cannot fork: Resource temporarily unavailable; exit 1\n" % folder)
            os.chmod(compiler, 0o755)
            made, log = harness.compile_cached([compiler, "x"], [], os.path.join(folder, "made"), "name")
            self.assertTrue(made and os.path.exists(made), log)

    def script(self, folder, says):
        """A script that fails with these words, at first or always."""
        path = os.path.join(folder, "script")
        with open(path, "w") as f:
            f.write("#!/bin/sh\ncd %s\n[ -e tried ] && [ ! -e always ] && exit 0\n"
                    "touch tried; echo '%s'; exit 2\n" % (folder, says))
        os.chmod(path, 0o755)
        return [path]

    def test_a_script_that_cannot_fork(self):
        for says in "sh: 3: Cannot fork", "make: vfork: Resource temporarily unavailable":
            with self.subTest(says=says), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(harness.until_room(self.script(folder, says), 60).rc, 0)

    def test_a_script_that_never_can(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(harness, "PATIENCE", 0.3):
            script = self.script(folder, "sh: 3: Cannot fork")
            open(os.path.join(folder, "always"), "w").close()
            with self.assertRaisesRegex(harness.NoProcess, "script cannot start a process for"):
                harness.until_room(script, 60)

    def test_a_script_that_fails_is_not_run_again(self):
        for says in "wrong", "ghc-openmp: no thread: Resource temporarily unavailable":
            with self.subTest(says=says), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(harness.until_room(self.script(folder, says), 60).rc, 2)


class Ends(unittest.TestCase):
    def test_a_child_stays_a_zombie_until_its_group_is_killed(self):
        for without in (False, True):
            with self.subTest(without_pidfd=without):
                with mock.patch.object(os, "pidfd_open", side_effect=OSError if without else None,
                                                wraps=None if without else os.pidfd_open):
                    child = subprocess.Popen(["sh", "-c", "read x"], stdin=subprocess.PIPE, start_new_session=True)
                    with harness._end_of(child.pid) as ended:
                        self.assertFalse(ended(0.01))
                        child.stdin.close()
                        self.assertTrue(ended(60))
                os.killpg(child.pid, 0)
                self.assertEqual(child.wait(), 1)

    def test_symbols(self):
        with tempfile.TemporaryDirectory() as folder:
            shared = os.path.join(folder, "x.so")
            subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", shared], text=True, check=True,
                           input="int puts(const char *); int f(void) { return puts(0); }")
            needed, defined = (harness.dynamic_symbols(shared, undefined) for undefined in (True, False))
        self.assertTrue(any(name.startswith("puts@GLIBC") for name in needed), needed)
        self.assertIn("f", defined)
        self.assertNotIn("f", needed)


class Loader(unittest.TestCase):
    def test_the_drop_in_is_loaded_only_if_the_loader_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            ours = os.path.join(folder, "libgomp.so.1")
            for said, status, other in ((ours, 0, False), ("/usr/lib/libgomp.so.1", 0, True), (ours, 1, True)):
                lister = ["sh", "-c", "echo 'libgomp.so.1 => %s (0x1)'; exit %d" % (said, status)]
                with self.subTest(said=said, status=status):
                    self.assertEqual(bool(harness.other_libgomp("program", folder, lister)), other)
            self.assertIn("exit status 1", harness.other_libgomp("program", folder, ["sh", "-c", "exit 1"]))


class Wrapper(unittest.TestCase):
    def test_a_script_named_python3_is_passed_by(self):
        with tempfile.TemporaryDirectory() as folder:
            wrapper = os.path.join(folder, "python3")
            for content, passed in (("#!/bin/sh\n", True), ("\x7fELF", False)):
                with open(wrapper, "w") as f:
                    f.write(content)
                os.chmod(wrapper, 0o755)
                with mock.patch.dict(os.environ, PATH=folder + ":/usr/bin"):
                    harness.unwrap_python()
                    found = os.path.dirname(sys.executable) + ":" if passed else ""
                    self.assertEqual(os.environ["PATH"], found + folder + ":/usr/bin")


class Clock(unittest.TestCase):
    def test_runs_at_full_speed_for_a_sleeper_and_never_faster(self):
        clock = harness.Clock()
        time.sleep(0.05)
        clock.tick(-1)
        self.assertAlmostEqual(clock.effective, clock.last - clock.start)
        self.assertFalse(clock.expired(10))
        self.assertTrue(clock.expired(0.01))

    def test_it_counts_what_the_test_has_started(self):
        """A script waits while its programs compete with others."""
        others = [subprocess.Popen(["sh", "-c", burn()], start_new_session=True) for _ in range(3 * os.cpu_count())]
        script = subprocess.Popen(["sh", "-c", "sh -c '%s' & wait" % burn()], start_new_session=True)
        try:
            clock = harness.Clock()
            clock.LOOK = 0
            # A busy machine may start them late.
            slow = False
            while not slow and clock.last - clock.start < 60:
                time.sleep(0.05)
                clock.tick(script.pid)
                slow = len(clock.processes) > 1 and clock.effective < (clock.last - clock.start) * 0.9
            self.assertTrue(slow, (clock.processes, clock.effective, clock.last - clock.start))
        finally:
            for process in others + [script]:
                os.killpg(process.pid, 9)
                process.wait()

    def test_wall_time_ends_a_starved_test(self):
        clock = harness.Clock()
        clock.last = clock.start + harness.WALL_FACTOR * 7 + 1
        self.assertTrue(clock.expired(7))


class Directives(unittest.TestCase):
    def header(self, text, limit=20):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
            f.write(text)
            f.flush()
            return harness.Header(f.name, limit)

    def test_defaults(self):
        h = self.header("// nothing\nint main(void) { return 0; }\n")
        self.assertEqual(
            (h.limit, h.repeat, h.exit, h.env, h.hosts, h.ghcomp_only), (20, 1, 0, {}, None, None)
        )

    def test_docstring(self):
        for text in ('"""A line."""\n', '"""Lines\n\nits limit: 3\n"""\n'):
            script = "#!/usr/bin/python3\n%s# limit: 70\nimport os\n# limit: 80\n" % text
            self.assertEqual(self.header(script).limit, 70)
        with self.assertRaisesRegex(harness.TestError, "line 4: `limit:` stands in a docstring"):
            self.header('#!/usr/bin/python3\n"""Lines\n\nlimit: 3\n"""\n')

    def test_behind_a_sentence(self):
        self.assertEqual(self.header("/* What it does: it ends. Its limit: none */\n").limit, 20)
        with self.assertRaisesRegex(harness.TestError, "line 2: `hosts:` stands behind a sentence"):
            self.header("/* What it does,\n   and no more. hosts: posix ghc limit: 7 */\n")

    def test_block_comment(self):
        h = self.header(
            '/* What it does.\n   env: A=1 B="2 3"\n * env: C=4\n   limit: 7\n   hosts: posix ghc\n'
            "   expect-exit: 3\n   expect-stderr: ^x.*y$\n   ulimit: -v 1000\n   ghcomp-only: why */\n"
            "int x;\n// limit: 99\n"
        )
        self.assertEqual(h.env, {"A": "1", "B": "2 3", "C": "4"})
        self.assertEqual((h.limit, h.hosts, h.exit, h.ulimits), (7, ["posix", "ghc"], 3, "-v 1000"))
        self.assertEqual((h.stderr[0].pattern, h.ghcomp_only), ("^x.*y$", "why"))

    def test_fortran_and_shell_comments(self):
        self.assertEqual(self.header("! limit: 3\nprogram x\n").limit, 3)
        self.assertEqual(self.header("#!/bin/sh\n# limit: 4\nset -eu\n").limit, 4)

    def test_mistakes_are_errors(self):
        for text in (
            "// limits: 3\n",
            "// expect-sterr: x\n",
            "// env: A\n",
            "// limit: x\n",
            "// limit: 1\n// limit: 2\n",
            "// hosts: windows\n",
            "// expect-stdout: (\n",
            "// repeat:\n",
        ):
            with self.subTest(text), self.assertRaises(harness.TestError):
                self.header(text)

    def test_prose_is_not_a_directive(self):
        self.header("/* note: a colon in prose.\n   symbols: omp_x */\n")


class Cache(unittest.TestCase):
    def test_compiles_once_for_each_content(self):
        with tempfile.TemporaryDirectory() as tmp:
            source, log = os.path.join(tmp, "a.c"), os.path.join(tmp, "calls")
            compiler = os.path.join(tmp, "cc")
            with open(compiler, "w", encoding="ascii") as f:
                f.write(
                    '#!/bin/sh\n[ "$1" != --version ] || { echo v1; exit; }\necho call >> %s\n'
                    'grep -q bad "$1" && { echo broken >&2; exit 1; }\ncp "$1" "$3"\n' % log
                )
            os.chmod(compiler, 0o755)

            def build(text):
                with open(source, "w", encoding="ascii") as f:
                    f.write(text)
                return harness.compile_cached([compiler, source], [source], os.path.join(tmp, "bin"), "a")

            def calls():
                with open(log, encoding="ascii") as f:
                    return len(f.readlines())

            first = build("one")[0]
            self.assertEqual((build("one")[0], calls()), (first, 1))
            self.assertNotEqual(build("two")[0], first)
            self.assertEqual((build("one")[0], calls()), (first, 2))
            self.assertIsNone(build("bad")[0])
            self.assertIn("broken", build("bad")[1])
            self.assertEqual(calls(), 3)


if __name__ == "__main__":
    unittest.main()
