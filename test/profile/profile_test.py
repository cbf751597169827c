#!/usr/bin/env python3
# limit: 240
# timing-part: lengths of small tasks and regions, and how many of them are measured
"""`ghcomp profile` and its library: counts of regions, loops, tasks and locks with their lines, in gcc's and clang's
programs, on the drop-in and on the system's libomp; sums of times that must fit into each other; the timeline; the
launcher's options; fork, abort, programs with a tool of their own, without regions, without OpenMP; files that cannot
be written; folders and locales of all kinds. Only with TEST_TIMING (the group `timing`) do tests check times."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", "build")
DROPIN = os.path.join(ROOT, BUILD, "dropin")
GHCOMP = os.path.join(ROOT, BUILD, "bin", "ghcomp")
LIBRARY = os.path.join(DROPIN, "libghcomp_profile.so")
OUT = os.path.join(ROOT, BUILD, "test", "profile")
THREADS, TIMES, PARTS, ITERATIONS, CHUNK, LOCKED = 3, 5, 40, 100, 10, 50
TIMING = "TEST_TIMING" in os.environ
KINDS = ("regions", "loops", "tasks", "locks")
PLACE = {"file", "line", "function", "object", "offset"}
FIELDS = {
    "threads": {"number", "kind", "starts", "life_ns", "serial_ns", "busy_ns", "barrier_ns", "taskwait_ns", "lock_ns",
                "idle_ns"},
    "regions": PLACE | {"construct", "times", "measured", "time_ns", "longest_ns", "largest_team", "members", "busy_ns",
                        "barrier_ns", "taskwait_ns", "lock_ns", "end_ns", "imbalance"},
    "loops": PLACE | {"schedule", "times", "time_ns", "longest_ns", "chunks", "iterations"},
    "tasks": PLACE | {"created", "completed", "cancelled", "measured", "time_ns", "mean_ns", "median_ns", "longest_ns"},
    "locks": PLACE | {"kind", "times", "waited", "wait_ns", "median_ns", "longest_ns"},
}
TOP = {"format", "version", "program", "process", "runtime", "wall_ns", "in_regions_ns", "spans_dropped", "threads",
       *KINDS}


def compiled(name, source, compiler, *flags):
    """The program's path."""
    path = os.path.join(OUT, name)
    subprocess.run([compiler, "-std=gnu11", "-O1", "-Wall", "-fopenmp", os.path.join(HERE, source), "-o", path,
                    *flags], check=True)
    return path


def environment(**settings):
    env = {key: value for key, value in os.environ.items()
           if not key.startswith(("OMP_", "GOMP_", "GHCOMP_", "KMP_", "LD_"))}
    return dict(env, **settings)


def lines_of(source):
    """The line of each word that stands in a comment at a line's end."""
    with open(os.path.join(HERE, source), encoding="utf-8") as file:
        marks = [(re.search(r"/\* (\w+) \*/$", line.rstrip("\n")), number) for number, line in enumerate(file, 1)]
    return {mark.group(1): number for mark, number in marks if mark}


def libomp():
    """The folder of the system's libomp, or None."""
    found = sorted(glob.glob("/usr/lib/*/libomp.so.5") + glob.glob("/usr/lib/llvm-*/lib/libomp.so.5"))
    return os.path.dirname(os.path.realpath(found[-1])) if found else None


class Profile(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        os.makedirs(OUT, exist_ok=True)
        cls.lines = lines_of("counts.c")
        cls.files = compiled("files", "files.c", "gcc")
        cls.counts = {kind: compiled("counts-" + kind, "counts.c", compiler, "-g")
                      for kind, compiler in (("gcc", "gcc"), ("clang", "clang-19"))}
        cls.cases = compiled("cases", "cases.c", "gcc", "-g", "-pthread")

    def setUp(self):
        self.folder = os.path.join(OUT, self.id().rsplit(".", 1)[-1])
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)

    def run_it(self, command, status=0, **settings):
        """What it prints on both outputs."""
        done = subprocess.run(command, env=environment(**settings), cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout, done.stderr

    def profiled(self, program, *options, status=0, **settings):
        settings.setdefault("GHCOMP_HOST", "posix")
        command = [program] if isinstance(program, str) else program
        return self.run_it([GHCOMP, "profile", "--lib", DROPIN, *options, "--", *command], status, **settings)

    def file(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        """A profile, which has what the page says, and times that fit into each other."""
        with open(self.file(name), encoding="utf-8") as file:
            profile = json.load(file)
        self.assertEqual(set(profile), TOP)
        self.assertEqual((profile["format"], profile["version"]), ("ghcomp profile", 1))
        for kind, fields in FIELDS.items():
            for row in profile[kind]:
                self.assertEqual(set(row), fields, kind)
        for row in profile["threads"]:
            self.assertEqual(row["life_ns"], sum(row[part + "_ns"] for part in (
                "serial", "busy", "barrier", "taskwait", "lock", "idle")), row)
        for row in profile["regions"]:
            # Each time is cut off to whole nanoseconds.
            spent = sum(row[part + "_ns"] for part in ("busy", "barrier", "taskwait", "lock", "end"))
            self.assertLessEqual(spent, row["largest_team"] * (row["time_ns"] + row["times"] + 8), row)
            self.assertLessEqual(row["longest_ns"], row["time_ns"], row)
            self.assertLessEqual(row["members"], row["largest_team"] * row["times"], row)
            self.assertGreaterEqual(row["imbalance"], 0, row)
        for row in profile["tasks"]:
            self.assertLessEqual(row["completed"] + row["cancelled"], row["created"], row)
            self.assertLessEqual(row["median_ns"], row["longest_ns"], row)
            self.assertLessEqual(row["longest_ns"], row["time_ns"], row)
        for row in profile["locks"]:
            self.assertLessEqual(row["waited"], row["times"], row)
            self.assertLessEqual(row["longest_ns"], row["wait_ns"], row)
        return profile

    def row(self, profile, kind, word, exact=False):
        """The one row of that line of counts.c; regions and tasks of gcc may have that of the first statement in their
        body, which stands in braces there."""
        below = 0 if exact else 2
        rows = [row for row in profile[kind] if 0 <= (row["line"] or 0) - self.lines[word] <= below]
        self.assertEqual(len(rows), 1, (kind, word, self.lines[word], profile[kind]))
        self.assertEqual(os.path.basename(rows[0]["file"]), "counts.c")
        return rows[0]

    def expect_counts(self, profile, kind="gcc", libomp=False):
        """What counts.c does. gcc's loops may have the line of the region around them; libomp reports no chunks of
        dynamic loops, and another address for a taskloop's tasks."""
        def region(word, times, team):
            row = self.row(profile, "regions", word, kind == "clang")
            self.assertEqual((row["times"], row["largest_team"], row["members"]), (times, team, times * team), word)
            self.assertEqual(row["construct"], "parallel")

        for word, times, team in (("region", TIMES, THREADS), ("alone", 1, 1), ("outer", TIMES, 2),
                                  ("inner", 2 * TIMES, 2), ("around", TIMES, THREADS), ("spawning", TIMES, THREADS),
                                  ("locking", 1, THREADS)):
            region(word, times, team)
        self.assertEqual(len(profile["regions"]), 7)
        (row,) = [row for row in profile["loops"] if row["schedule"] == "dynamic"]
        if kind == "clang":
            self.assertEqual(row["line"], self.lines["loop"])
        self.assertEqual((row["schedule"], row["times"], row["iterations"]), ("dynamic", TIMES * THREADS, ITERATIONS))
        if not libomp:
            self.assertEqual(row["chunks"], TIMES * ITERATIONS // CHUNK)
        for word, each in (("task", PARTS), ("child", PARTS), ("taskloop", PARTS // 4)):
            if word == "taskloop" and libomp:
                (row,) = [row for row in profile["tasks"] if row["object"].endswith("libomp.so.5")]
            else:
                row = self.row(profile, "tasks", word, kind == "clang")
            self.assertEqual((row["created"], row["completed"], row["cancelled"]), 2 * (TIMES * each,) + (0,), word)
        self.assertEqual(len(profile["tasks"]), 3)
        for word, which, times in (("lock", "lock", THREADS * LOCKED), ("nest", "nest_lock", THREADS * LOCKED),
                                  ("critical", "critical", THREADS * LOCKED), ("taken", "lock", 1)):
            row = self.row(profile, "locks", word, True)
            self.assertEqual((row["kind"], row["times"]), (which, times), word)
        beside = self.row(profile, "regions", "inner", kind == "clang")  # two run at the same time
        self.assertLessEqual(max(row["time_ns"] for row in profile["regions"] if row is not beside),
                             profile["wall_ns"])
        self.assertLessEqual(profile["in_regions_ns"], profile["wall_ns"])
        self.assertEqual([row["kind"] for row in profile["threads"]].count("initial"), 1)

    # --- counts -------------------------------------------------------------------------------------------------------

    def test_counts(self):
        for kind, program in self.counts.items():
            for settings in ({}, {"OMP_WAIT_POLICY": "passive"}, {"GHCOMP_BARRIER": "tree"}):
                out, err = self.profiled(program, "--json", "profile.json", **settings)
                self.assertRegex(out, r"^\d+\n$")
                self.assertRegex(err, r"^ghcomp profile: counts-%s, process \d+: " % kind)
                self.expect_counts(self.read("profile.json"), kind)

    def test_haskells_rts(self):
        if not os.path.exists(os.path.join(DROPIN, "libghcomp_rts.so")):
            self.skipTest("no companion here")
        self.profiled(self.counts["gcc"], "--host", "ghc", "--json", "profile.json")
        self.expect_counts(self.read("profile.json"))

    def test_libomp(self):
        folder = libomp()
        self.assertIsNotNone(folder, "there is no libomp.so.5; sh tools/deps.sh test installs it")
        for found in ({"OMP_TOOL_LIBRARIES": LIBRARY}, {"LD_PRELOAD": LIBRARY}):
            self.run_it([self.counts["clang"]], LD_LIBRARY_PATH=folder, GHCOMP_PROFILE_JSON=self.file("profile.json"),
                        GHCOMP_PROFILE_TRACE=self.file("trace.json"), **found)
            profile = self.read("profile.json")
            self.assertRegex(profile["runtime"], "^LLVM")
            self.expect_counts(profile, "clang", libomp=True)
            self.spans("trace.json")

    def test_without_lines(self):
        """Stripped programs, and machines without addr2line, have offsets."""
        stripped = os.path.join(self.folder, "stripped")
        subprocess.run(["strip", "-o", stripped, self.counts["gcc"]], check=True)
        for program, path in ((stripped, os.environ["PATH"]), (self.counts["gcc"], self.folder)):
            _, err = self.profiled(program, "--json", "profile.json", PATH=path)
            profile = self.read("profile.json")
            for row in profile["regions"]:
                self.assertEqual((row["file"], row["line"]), (None, None))
                self.assertEqual(row["object"], program)
                self.assertIn("%s+0x%x" % (os.path.basename(program), row["offset"]), err)
            self.assertEqual(sorted(row["times"] for row in profile["regions"]), sorted([1, 1] + 4 * [TIMES] +
                                                                                         [2 * TIMES]))

    # --- the timeline -------------------------------------------------------------------------------------------------

    def spans(self, name):
        """The trace's spans by thread; they nest."""
        with open(self.file(name), encoding="utf-8") as file:
            trace = json.load(file, parse_float=lambda text: int(text.replace(".", "")))
        tracks, names = {}, set()
        for event in trace["traceEvents"]:
            self.assertEqual(event["pid"], 2)
            if event["ph"] == "M":
                names.add((event["name"], event["tid"]))
                continue
            self.assertEqual((event["ph"], event["cat"]), ("X", "openmp"))
            tracks.setdefault(event["tid"], []).append(event)
        for track, events in tracks.items():
            self.assertIn(("thread_name", track), names)
            open_ends, before = [], 0
            for event in events:
                begin, end = event["ts"], event["ts"] + event["dur"]
                self.assertGreaterEqual(begin, before)
                before = begin
                while open_ends and open_ends[-1] <= begin:
                    open_ends.pop()
                if open_ends and begin != end:
                    self.assertLessEqual(end, open_ends[-1], event)
                open_ends.append(end)
        return [event for events in tracks.values() for event in events]

    def test_trace(self):
        for program in self.counts.values():
            self.profiled(program, "--trace", "trace.json", "--json", "profile.json")
            spans, profile = self.spans("trace.json"), self.read("profile.json")
            regions = [span for span in spans if span["name"] == "region"]
            self.assertEqual(len(regions), sum(row["times"] for row in profile["regions"]))
            inner = self.row(profile, "regions", "inner")["line"]
            self.assertEqual(sum("counts.c:%d " % inner in span["args"]["where"] for span in regions), 2 * TIMES)
            tasks = [span for span in spans if span["name"] == "task"]
            self.assertGreaterEqual(len(tasks), sum(row["completed"] for row in profile["tasks"]))
            self.assertEqual(profile["spans_dropped"], 0)
            self.assertLessEqual({span["name"] for span in spans},
                                 {"region", "part", "task", "barrier", "taskwait", "lock"})
            locks = [span for span in spans if span["name"] == "lock"]
            self.assertEqual(len(locks), sum(row["times"] for row in profile["locks"]))

    # --- the launcher -------------------------------------------------------------------------------------------------

    def test_table(self):
        _, err = self.profiled(self.counts["gcc"], "--top", "2")
        for title in ("Parallel regions", "Worksharing", "Tasks", "Locks", "Threads"):
            self.assertEqual(len(re.findall(r"(?m)^%s: " % title, err)), 1, err)
        self.assertIn("\n  and 5 more (--top)\n", err)
        self.assertEqual(os.listdir(self.folder), [])
        _, err = self.profiled(self.counts["gcc"])
        self.assertNotIn("(--top)", err)
        for word in ("lock", "nest", "critical"):
            self.assertRegex(err, r"(?m)  counts\.c:%d \(.*\)$" % self.lines[word])

    def test_options(self):
        out, _ = self.profiled(["sh", "-c", "echo $OMP_NUM_THREADS $GHCOMP_HOST"], "--threads", "7", "--host", "auto")
        self.assertEqual(out, "7 auto\n")
        out, err = self.profiled([self.cases, "status"], status=7)
        self.assertIn("ghcomp profile: cases", err)
        for options, wrong in ((["--top", "0"], "0 is not a positive number"), (["--threads", "x"], "--threads"),
                               (["--json", "."], "is a folder"), (["--json", "no/such/file"], "is no folder"),
                               (["--json", "a", "--trace", "a"], "different files")):
            out, err = self.profiled(self.counts["gcc"], *options, status=125)
            self.assertEqual((out, err.count("\n")), ("", 1), err)
            self.assertIn(wrong, err)
        _, err = self.profiled("./no-such-program", status=127)
        self.assertEqual(err.count("\n"), 1)
        shutil.copy(os.path.join(DROPIN, "libgomp.so.1"), self.folder)
        _, err = self.run_it([GHCOMP, "profile", "--lib", self.folder, "true"], 125)
        self.assertIn("libghcomp_profile.so is missing", err)

    def test_current_folder(self):
        """Its name may have %p, which is no number, and bytes that are no text."""
        for name in (b"100%pure", b"half%%p", b"bad\xed\xa0\x80", b"long\xe0\x80\x80", b"high\xf4\x90\x80\x80"):
            folder = os.path.join(os.fsencode(self.folder), name)
            os.mkdir(folder)
            shutil.copy(self.cases, os.path.join(folder, b"cases"))
            done = subprocess.run([GHCOMP, "profile", "--lib", DROPIN, "--json", "p.json", "--trace", "50%.json",
                                   "./cases", "fork"], env=environment(GHCOMP_HOST="posix"), cwd=folder,
                                  stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr.count(b"ghcomp profile:")), (0, 1), done.stderr)
            self.assertEqual(sorted(os.listdir(folder)), [b"50%.json", b"cases", b"p.json"])
            for written in (b"p.json", b"50%.json"):
                with open(os.path.join(folder, written), encoding="utf-8") as file:
                    json.load(file)
            done = subprocess.run([GHCOMP, "profile", "--lib", DROPIN, "--json", "no/p.json", "./cases", "fork"],
                                  env=environment(), cwd=folder, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 125, done.stderr)

    def test_one_file(self):
        """Two names of one file are refused."""
        with open(self.file("a"), "w", encoding="utf-8"):
            os.symlink("a", self.file("by-symlink"))
            os.link(self.file("a"), self.file("by-link"))
            os.symlink("not-there", self.file("dangling"))
        for one, other in (("a", "by-symlink"), ("by-link", "a"), ("./a", "a"), ("not-there", "dangling")):
            _, err = self.profiled(self.cases, "--json", one, "--trace", other, status=125)
            self.assertIn("different files", err)

    def test_locale(self):
        """A program whose locale has decimal commas."""
        locale = self.file("comma.UTF-8")
        try:
            subprocess.run(["localedef", "--no-archive", "-c", "-i", "de_DE", "-f", "UTF-8", locale], check=True,
                           stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("no sources of locales here")
        out, err = self.profiled([self.cases, "locale"], "--json", "profile.json", "--trace", "trace.json",
                                 LOCPATH=self.folder, LC_ALL="comma.UTF-8")
        self.assertEqual(out, "0,5\n")
        self.assertEqual(len(self.read("profile.json")["regions"]), 1)
        self.spans("trace.json")
        self.assertNotRegex(err, r"\d,\d(?!\d\d)")

    def test_no_reader(self):
        """stderr is a pipe that nobody reads: no signal ends the program, whose files are written."""
        for what, status in (("status", 7), ("serial", 0)):
            reader, writer = os.pipe()
            os.close(reader)
            command = [GHCOMP, "profile", "--lib", DROPIN, "--json", "profile.json", "--trace", "trace.json"]
            done = subprocess.run(command + [self.cases, what], env=environment(GHCOMP_HOST="posix"), cwd=self.folder,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer)
            os.close(writer)
            self.assertEqual(done.returncode, status)
        self.read("profile.json")
        self.spans("trace.json")

    def test_too_large(self):
        """A file may not be as large as the profile is: a line says so, and no signal ends the program."""
        _, err = self.profiled(["sh", "-c", 'ulimit -f 0; exec "$0" status', self.cases], "--json", "profile.json",
                               status=7)
        self.assertRegex(err, r"(?m)^ghcomp profile: .*/profile\.json cannot be written: File too large$")
        self.assertIn("Parallel regions", err)

    def test_full(self):
        for option in ("--json", "--trace"):
            out, err = self.profiled(self.counts["gcc"], option, "/dev/full")
            self.assertRegex(out, r"^\d+\n$")
            self.assertEqual(re.findall("ghcomp profile: /dev/full.*", err),
                             ["ghcomp profile: /dev/full cannot be written: No space left on device"])

    # --- programs -----------------------------------------------------------------------------------------------------

    def test_no_regions(self):
        _, err = self.profiled([self.cases, "runtime"], "--json", "profile.json")
        self.assertIn("No parallel region has ended", err)
        self.assertEqual([self.read("profile.json")[kind] for kind in KINDS], [[], [], [], []])
        out, err = self.profiled([self.cases, "serial"])
        self.assertEqual((out, err), ("x\n", "ghcomp profile: the program has not called an OpenMP runtime: there is "
                                             "no profile\n"))

    def test_own_tool(self):
        said = "ghcomp profile: the program has a tool of its own, which runs: there is no profile\n"
        include = ["-I", os.path.join(ROOT, "cbits", "include")]
        linked = compiled("own-tool", "cases.c", "gcc", "-rdynamic", "-pthread", *include,
                          os.path.join(HERE, "own_tool.c"))
        preloaded = compiled("own-tool.so", "own_tool.c", "gcc", "-shared", "-fPIC", *include)
        self.assertEqual(self.profiled([linked, "masters"]), ("own tool\n", said))
        self.assertEqual(self.profiled([self.cases, "masters"], LD_PRELOAD=preloaded), ("own tool\n", said))

    def test_abort(self):
        _, err = self.profiled([self.cases, "abort"], "--json", "profile.json", status=-6)
        self.assertEqual((err, os.listdir(self.folder)), ("", []))

    def test_fork(self):
        for how in ("fork", "fork-inside"):
            _, err = self.profiled([self.cases, how], "--json", "profile.json")
            self.assertEqual(err.count("ghcomp profile:"), 1, err)
            regions = self.read("profile.json")["regions"]
            self.assertEqual(sum(row["times"] for row in regions), 1 if how == "fork" else 2)
            self.assertEqual(os.listdir(self.folder), ["profile.json"])
            os.remove(self.file("profile.json"))
            _, err = self.profiled([self.cases, how], "--json", "p%p.json", "--trace", "t%p")
            self.assertEqual(err.count("ghcomp profile:"), 1, err)
            profiles = [self.read(name) for name in os.listdir(self.folder) if name.startswith("p")]
            self.assertEqual(len(profiles), 2)
            self.assertEqual(sorted(sum(row["times"] for row in p["regions"]) for p in profiles),
                             [1, 2] if how == "fork" else [2, 3])
            for name in os.listdir(self.folder):
                if name.startswith("t"):
                    self.spans(name)
                os.remove(self.file(name))

    def test_small_tasks(self):
        """Each task is counted, whether it is measured or not, and a task's time is its own. For a timeline all are
        measured."""
        lines = lines_of("small_tasks.c")
        made = {"empty": 200000, "known": 20000, "parent": 1000, "child": 8000}
        for kind, options in (("gcc", []), ("gcc", ["--trace", "trace.json"]), ("clang-19", []),
                              ("clang-19", ["--trace", "trace.json"])):
            program = compiled("small-%s" % kind, "small_tasks.c", kind, "-g", "-O1", "-fopenmp")
            out, err = self.profiled(program, "--json", "profile.json", *options, OMP_NUM_THREADS="2")
            self.assertEqual(out, "%d\n" % sum(made.values()))
            rows = {}
            for row in self.read("profile.json")["tasks"]:
                (word,) = [word for word in made if 0 <= row["line"] - lines[word] <= 2]
                rows[word] = row
                self.assertEqual((row["created"], row["completed"], row["cancelled"]), (made[word], made[word], 0))
                self.assertRegex(err, r"(?m)^ *\S+ \S+ +%s +%s +%s " % (2 * ("{:,}".format(made[word]),) + (
                    "{:,}".format(row["measured"]),)))
            self.assertEqual(set(rows), set(made))
            if not options and TIMING:
                self.assertLess(rows["empty"]["measured"], made["empty"] / 2)
            elif options:
                self.assertEqual([rows[word]["measured"] for word in made], list(made.values()))
            # No task is shorter than what it waits for; a median does not know of threads that lost their CPU.
            for word, least in (("known", 500), ("child", 2000)):
                self.assertGreaterEqual(rows[word]["mean_ns"], least - 10, rows[word])
                self.assertGreaterEqual(rows[word]["median_ns"], least * 7 // 8, rows[word])
                if TIMING:
                    self.assertLess(rows[word]["median_ns"], 10 * least, rows[word])
            if TIMING:
                self.assertLess(rows["parent"]["median_ns"], 8 * 2000, rows["parent"])

    def test_small_regions(self):
        """Each region is counted, whether it is measured or not, and so is what is inside; the time of all is right
        within what chance and a busy machine may do to a sample. Long ones, and those inside others, are measured."""
        lines = lines_of("small_regions.c")
        times = {"pattern": 60000, "long": 600, "shared": 20000, "locking": 5000, "outer": 3000, "inner": 6000}
        team = {"shared": 2, "locking": 2, "outer": 2}
        for kind, options in (("gcc", []), ("gcc", ["--trace", "trace.json"]), ("clang-19", []),
                              ("clang-19", ["--trace", "trace.json"])):
            program = compiled("small-regions-%s" % kind, "small_regions.c", kind, "-g", "-O1", "-fopenmp")
            out, err = self.profiled(program, "--json", "profile.json", *options)
            made, took, total = (int(word) for word in out.split())
            self.assertEqual(total, 60000 + 600 + 2 * 20000 + 5 * 5000 + 5000 + 3 * 3000 + 6000)
            profile, rows = self.read("profile.json"), {}
            for row in profile["regions"]:
                (word,) = [word for word in times if 0 <= row["line"] - lines[word] <= 2]
                rows[word] = row
                members = times[word] * team.get(word, 1)
                self.assertEqual((row["times"], row["members"]), (times[word], members), word)
                self.assertLessEqual(row["measured"], times[word], word)
                self.assertRegex(err, r"(?m)^ *\S+ \S+ +\S+ %% +%s +%s " % ("{:,}".format(times[word]),
                                                                          "{:,}".format(row["measured"])))
            self.assertEqual(set(rows), set(times))
            sampled = [word for word in ("pattern", "long", "inner") if rows[word]["measured"] < times[word]]
            self.assertEqual([word for word in sampled if options or word != "pattern"], [])
            self.assertGreaterEqual(rows["long"]["time_ns"], 600 * 20000)
            self.assertLessEqual(profile["in_regions_ns"], profile["wall_ns"])
            (lock,), (task,) = profile["locks"], profile["tasks"]
            self.assertEqual((lock["times"], lock["line"]), (2 * 5000, lines["critical"]))
            self.assertEqual((task["created"], task["completed"]), (3000, 3000))
            if TIMING:
                self.assertEqual(sampled, [] if options else ["pattern"])
                self.expect_lengths(profile, rows["pattern"], made, took)

    def expect_lengths(self, profile, pattern, made, took):
        """More than five standard errors of the smallest sample below; above, what the program has seen itself."""
        self.assertGreater(pattern["time_ns"], made * 85 // 100, pattern)
        self.assertLess(pattern["time_ns"], took * 3 // 2, pattern)
        self.assertGreater(pattern["busy_ns"], made * 85 // 100, pattern)
        self.assertGreater(profile["in_regions_ns"], (made + 600 * 20000) * 85 // 100)
        (initial,) = [row for row in profile["threads"] if row["kind"] == "initial"]
        self.assertGreater(initial["busy_ns"], (made + 600 * 20000) * 85 // 100)

    def test_many_places(self):
        """Places for which the table has no space are one row."""
        source, program = self.file("many.c"), self.file("many")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <omp.h>\nint main(void)\n{\nomp_lock_t lock;\nomp_init_lock(&lock);\n" +
                       "omp_set_lock(&lock); omp_unset_lock(&lock);\n" * 5000 + "return 0;\n}\n")
        subprocess.run(["gcc", "-g", "-fopenmp", source, "-o", program], check=True)
        self.profiled(program, "--json", "profile.json")
        locks = self.read("profile.json")["locks"]
        self.assertEqual(sum(row["times"] for row in locks), 5000)
        (rest,) = [row for row in locks if row["file"] is None]
        self.assertEqual((rest["times"], len(locks)), (5000 - 4091, 4092))
        self.assertEqual({row["line"] for row in locks if row is not rest}, set(range(6, 6 + 4091)))

    def test_masters(self):
        """Threads that come and go share what is kept of a thread."""
        self.profiled([self.cases, "masters"], "--json", "profile.json")
        profile = self.read("profile.json")
        initial = [row for row in profile["threads"] if row["kind"] == "initial"]
        self.assertLessEqual(len(initial), 2)
        self.assertEqual([row["times"] for row in profile["regions"]], [20])
        self.assertIn(sum(row["starts"] for row in initial), (20, 21))

    def test_ends(self):
        """A closed stderr, and an end while threads are in a region."""
        self.assertIn("regions", self.profiled([self.cases, "closes"], "--json", "profile.json")[1])
        self.assertEqual(len(self.read("profile.json")["regions"]), 1)
        _, err = self.profiled([self.cases, "ends-inside"], "--json", "profile.json")
        self.assertIn("No parallel region has ended", err)
        self.assertEqual(self.read("profile.json")["regions"], [])


    def test_data_file(self):
        """A program closes stderr, and its number becomes a data file's: that has the program's own line alone. What it
        opens next has the number that it would have without the profiler."""
        data = self.file("data.out")
        out, err = self.profiled([self.files, "data", data])
        with open(data, encoding="utf-8") as file:
            self.assertEqual(file.read(), "data\n")
        self.assertEqual(out, "2 3\n")
        self.assertIn("regions", err)

    def test_started(self):
        """Programs that the program starts end later and leave its files alone; below a shell the first one writes."""
        for count in ("1", "5"):
            _, err = self.profiled([self.files, "starts", count], "--json", "profile.json", "--trace", "trace.json")
            self.assertEqual([row["times"] for row in self.read("profile.json")["regions"]], [7])
            self.assertEqual(err.count("of this run"), 2 * int(count))
        for _ in range(2):
            _, err = self.profiled(["sh", "-c", "%s started; %s started" % (self.files, self.files)],
                                   "--json", "profile.json")
            self.assertEqual([row["times"] for row in self.read("profile.json")["regions"]], [1])
            self.assertEqual(err.count("of this run"), 1)


if __name__ == "__main__":
    if not os.path.exists(GHCOMP):
        print("the launcher is not built")
        sys.exit(77)
    unittest.main(verbosity=1)
