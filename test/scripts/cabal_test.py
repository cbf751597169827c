#!/usr/bin/env python3
"""Tests of tools/cabal.sh, with made-up commands in place of cabal and ghc: which C objects the build folder gets, and
when it is begun anew."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "test"))
import sample  # noqa: E402

STEERING = ("BUILD", "TEST_SAMPLE", "TEST_SEED", "GHCOMP_CABAL_OBJECTS", "GHCOMP_CABAL_PROJECT", "GHCOMP_CABAL_DIR")
LIBRARY = "dist-newstyle/build/x86_64-linux/ghc-9.9.9/ghc-openmp-1.2/build/cbits/"


class Cabal(unittest.TestCase):
    def setUp(self):
        self.tree = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.tree)
        self.put("ghc-openmp.cabal", "name: ghc-openmp\nversion: 1.2\n")
        self.put("bin/cabal", "#!/bin/sh\necho \"$@\"\n", 0o755)
        self.put("bin/ghc", "#!/bin/sh\necho 9.9.9\n", 0o755)
        for name in ("cbits/abi/anchor.c", "cbits/abi/anchor.h", "cbits/host/host_ghc.c", "cmm/x.cmm"):
            self.put(name, "/* %s */\n" % name)
            os.utime(os.path.join(self.tree, name), (1000, 1000))
        self.put("build/obj/plain/abi/anchor.o", "made")
        self.put("build/plain/libghcomp.a", "of all")
        os.makedirs(os.path.join(self.tree, "tools"))
        shutil.copy(os.path.join(ROOT, "tools", "cabal.sh"), os.path.join(self.tree, "tools"))

    def put(self, name, text, mode=0o644):
        path = os.path.join(self.tree, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def has(self, name):
        return os.path.exists(os.path.join(self.tree, name))

    def run_it(self, **env):
        clean = {name: value for name, value in os.environ.items() if name not in STEERING}
        clean.update(env, PATH=os.path.join(self.tree, "bin") + ":" + os.environ["PATH"])
        done = subprocess.run(["sh", "tools/cabal.sh", "build", "exe:x"], cwd=self.tree, env=clean, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((done.returncode, done.stdout), (0, "build --offline --ghc-options=+RTS -A64m -RTS exe:x\n"))

    def test_by_itself_it_takes_none(self):
        self.run_it()
        self.assertFalse(self.has(LIBRARY))

    def test_objects_that_are_there_are_taken_for_both_ways(self):
        self.run_it(GHCOMP_CABAL_OBJECTS="yes")
        self.assertTrue(self.has(LIBRARY + "abi/anchor.o") and self.has(LIBRARY + "abi/anchor.dyn_o"))
        self.assertFalse(self.has(LIBRARY + "host/host_ghc.o"))

    def test_none_that_a_header_may_have_changed(self):
        # make has made one object again, and not yet all.
        os.utime(os.path.join(self.tree, "build/plain/libghcomp.a"), (900, 900))
        self.run_it(GHCOMP_CABAL_OBJECTS="yes")
        self.assertFalse(self.has(LIBRARY + "abi/anchor.o"))

    def test_none_before_make_has_built_all(self):
        os.remove(os.path.join(self.tree, "build/plain/libghcomp.a"))
        self.run_it(GHCOMP_CABAL_OBJECTS="yes")
        self.assertFalse(self.has(LIBRARY + "abi/anchor.o"))

    def compiled(self, name, by):
        for ending in (".o", ".dyn_o"):
            path = os.path.join(self.tree, LIBRARY, name + ending)
            if by is None:
                self.assertFalse(os.path.exists(path), path)
            else:
                with open(path) as file:
                    self.assertEqual(file.read(), by, path)

    def test_a_sampled_run_leaves_a_part_to_cabal(self):
        # In the order of their names they are abi/anchor.c, abi/b.c, host/host_ghc.c and host/z.c.
        for name in ("abi/b", "host/z"):
            self.put("cbits/%s.c" % name, "")
            self.put("build/obj/plain/%s.o" % name, "made")
        own = {"0": (), "1": ("abi/anchor",), "2": ("abi/b",), "16": ("host/z",)}
        pairs = [(before, seed) for before in ("1", "2", "16", "0", None) for seed in own]
        chosen = sample.of_environment()
        for before, seed in [pair for number, pair in enumerate(pairs) if chosen.has("cabal.sh", number)]:
            with self.subTest(before=before, seed=seed):
                self.after_another_run(before, seed, own[seed])

    def after_another_run(self, before, seed, names):
        shutil.rmtree(os.path.join(self.tree, "dist-newstyle"), ignore_errors=True)
        self.run_it(**({"GHCOMP_CABAL_OBJECTS": "yes"} if before is None else
                       {"TEST_SAMPLE": "3", "TEST_SEED": before}))
        self.put("dist-newstyle/build/x/cache/build", "")
        self.run_it(TEST_SAMPLE="3", TEST_SEED=seed)
        for name in ("abi/anchor", "abi/b", "host/z"):
            self.compiled(name, None if name in names else "made")
        # All is linked again where Cabal may have objects of another run.
        self.assertEqual(self.has("dist-newstyle/build/x/cache/build"), seed == before)
        # What Cabal compiles stays for the rest of the run, and for the demo.
        for name in names:
            for ending in (".o", ".dyn_o"):
                self.put(LIBRARY + name + ending, "by cabal")
        self.run_it(TEST_SAMPLE="3", TEST_SEED=seed)
        self.run_it(GHCOMP_CABAL_OBJECTS="yes")
        for name in names:
            self.compiled(name, "by cabal")

    def test_a_sampled_run_takes_none_where_cabal_has_compiled_all(self):
        self.run_it()
        for ending in (".o", ".dyn_o"):
            self.put(LIBRARY + "abi/anchor" + ending, "by cabal")
        self.run_it(TEST_SAMPLE="3", TEST_SEED="0")
        self.compiled("abi/anchor", "by cabal")

    def test_a_run_of_all_begins_anew_where_some_were_taken(self):
        for taking in ({"GHCOMP_CABAL_OBJECTS": "yes"}, {"TEST_SAMPLE": "3", "TEST_SEED": "0"}):
            self.run_it(**taking)
            self.put("dist-newstyle/cabals", "")
            self.run_it()
            self.assertTrue(self.has("dist-newstyle/cabals"))
            self.run_it(TEST_SAMPLE="1", TEST_SEED="5")
            self.assertFalse(self.has("dist-newstyle/cabals") or self.has(LIBRARY))
            # What Cabal has compiled itself since then stays.
            self.put("dist-newstyle/cabals", "")
            self.run_it(TEST_SAMPLE="1", TEST_SEED="5")
            self.assertTrue(self.has("dist-newstyle/cabals"))

    def test_a_project_s_own_options_are_not_replaced(self):
        self.put("cabal.project", "package x\n  ghc-options: -O2\n")
        env = dict(os.environ, PATH=os.path.join(self.tree, "bin") + ":" + os.environ["PATH"])
        said = subprocess.check_output(["sh", "tools/cabal.sh", "build", "exe:x"], cwd=self.tree, env=env, text=True)
        self.assertEqual(said, "build --offline exe:x\n")

    def test_a_call_waits_for_the_one_before(self):
        """Its cabal ends half a second after it has begun; the second one's begins then."""
        self.put("bin/cabal", "#!/bin/sh\necho begin >>log\nsleep 0.5\necho end >>log\n", 0o755)
        env = dict(os.environ, PATH=os.path.join(self.tree, "bin") + ":" + os.environ["PATH"])
        calls = [subprocess.Popen(["sh", "tools/cabal.sh", "build"], cwd=self.tree, env=env) for _ in range(2)]
        self.assertEqual([call.wait() for call in calls], [0, 0])
        with open(os.path.join(self.tree, "log")) as log:
            self.assertEqual(log.read(), "begin\nend\n" * 2)

    def test_a_package_is_configured_once_with_the_tree_s_library(self):
        os.makedirs(os.path.join(self.tree, "examples"))
        env = dict(os.environ, PATH=os.path.join(self.tree, "bin") + ":" + os.environ["PATH"])
        done = subprocess.run(["sh", "tools/cabal.sh", "package", "examples", "made/x", "--ghc-option=-O0"], env=env,
                              cwd=self.tree, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        common = "act-as-setup --build-type=Simple -- %s -v1 --builddir=%s/made/x\n"
        tree = os.path.realpath(self.tree)
        self.assertEqual(done.stdout, common % (
            "configure --package-db=clear --package-db=global --package-db=%s/dist-newstyle/packagedb/ghc-9.9.9 "
            "--ghc-options=+RTS -A64m -RTS --ghc-option=-O0" % tree, tree) + common % ("build", tree))

    def test_it_begins_anew_after_what_cabal_does_not_see(self):
        flags = "executable x\n  cc-options:\n    -O1\n    -g\n  -- %s\n"
        self.put("bench/hs/x.cabal", flags % "a comment")
        self.run_it()
        for name, text, anew in (("cbits/abi/anchor.h", "/* another */\n", True),
                                 ("bench/hs/x.cabal", flags % "another", False),
                                 ("bench/hs/x.cabal", flags.replace("-g", "-g1"), True),
                                 ("examples/y.cabal", "  cc-options: -O2\n", True),
                                 ("build/z.cabal", "  cc-options: -O2\n", False)):
            self.put("dist-newstyle/cabals", "")
            self.put(name, text)
            self.run_it()
            self.assertEqual(self.has("dist-newstyle/cabals"), not anew, (name, text))


if __name__ == "__main__":
    unittest.main()
