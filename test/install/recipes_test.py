#!/usr/bin/env python3
# limit: 200
"""The recipes in packaging/ for conda, Spack, nixpkgs and R.

conda-build's work is done here without its packages: the recipe is rendered by Jinja and read by YAML, each output's
script runs with PREFIX in a folder of its own, and then the output's test commands, with the outputs that it depends on
in one prefix, and a program by gcc runs in that prefix as conda's programs do. Spack's package is loaded with a
stand-in for Spack's module, whose make() is make. Nix parses and evaluates the nixpkgs file, where it is installed. R
reads the Renviron file.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD", "build")
RECIPES = {name: os.path.join(ROOT, "packaging", *name.split("/"))
           for name in ("conda/meta.yaml", "spack/package.py", "nix/package.nix", "r/Renviron")}
sys.path.append("/usr/lib/python3/dist-packages")  # Debian's packages, for another interpreter
try:
    import jinja2
    import yaml
except ImportError:
    jinja2 = yaml = None
PROGRAM = """#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += 1;
    printf("%d %d\\n", sum == omp_get_max_threads(), dlsym(RTLD_DEFAULT, "ghcomp_version") != 0);
    return 0;
}
"""


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def version():
    return re.search(r"^version: *(\S+)", read(os.path.join(ROOT, "ghc-openmp.cabal")), re.M).group(1)


def run(words, **variables):
    env = {k: v for k, v in os.environ.items() if not re.match("MAKE|MFLAGS|OMP_|GHCOMP_|LD_|R_", k)}
    env.update({"BUILD": BUILD, **variables})
    done = subprocess.run(words, cwd=ROOT, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=150)
    if done.returncode:
        raise AssertionError("%s: status %d\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
    return done.stdout


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = folder.name

    def serves(self, library):
        """A program by gcc, with that folder where the loader looks, is on the runtime."""
        source, program = os.path.join(self.prefix, "p.c"), os.path.join(self.prefix, "p")
        with open(source, "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        run(["gcc", "-fopenmp", source, "-o", program, "-ldl", "-Wl,-rpath," + library])
        self.assertEqual(run([program], GHCOMP_HOST="posix"), "1 1\n")

    def test_versions(self):
        for name in ("conda/meta.yaml", "spack/package.py", "nix/package.nix"):
            self.assertEqual(set(re.findall(r"\d+\.\d+\.\d+\.\d+", read(RECIPES[name]))), {version()}, name)

    @unittest.skipUnless(yaml, "needs python3-yaml and python3-jinja2")
    def test_conda(self):
        # A selector is a comment for YAML, and conda-build's own functions are what the recipe may call.
        rendered = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(
            read(RECIPES["conda/meta.yaml"])).render(compiler=lambda language: language + "_compiler")
        recipe = yaml.safe_load(rendered)
        self.assertEqual(recipe["package"]["version"], version())
        names = [output["name"] for output in recipe["outputs"]]
        self.assertEqual(names, ["ghc-openmp", "_openmp_mutex"])
        owned = []
        for output in recipe["outputs"]:
            script = os.path.join(ROOT, "packaging", "conda", output["script"])
            before = set(self.files())
            run(["sh", script], PREFIX=self.prefix, SRC_DIR=ROOT, CPU_COUNT="2", PKG_NAME=output["name"])
            owned.append(set(self.files()) - before)
            for command in output["test"]["commands"]:
                run(["sh", "-euc", command], PREFIX=self.prefix)
            self.assertEqual(output["about"]["license"], "BSD-3-Clause")
            self.assertTrue(os.path.exists(os.path.join(ROOT, output["about"]["license_file"])))
        self.assertEqual(owned[1], {"lib/libgomp.so.1"})
        self.assertNotIn("lib/libgomp.so.1", owned[0])
        mutex = recipe["outputs"][1]
        self.assertEqual(mutex["build"]["string"], "%d_ghcomp" % recipe["build"]["number"])
        self.assertEqual(mutex["requirements"]["run"], ["ghc-openmp " + version()])
        self.serves(os.path.join(self.prefix, "lib"))

    def files(self):
        for folder, _, names in os.walk(self.prefix):
            yield from (os.path.relpath(os.path.join(folder, name), self.prefix) for name in names)

    def test_spack(self):
        said, paths = [], []

        class Package:
            pass

        def note(*words, **more):
            said.append((words, more))

        spack, module = types.ModuleType("spack"), types.ModuleType("spack.package")
        for name in ("license", "version", "depends_on", "conflicts"):
            setattr(module, name, note)
        module.MakefilePackage = Package
        module.make = lambda *words: run(["make", *words])
        found = {"__name__": "package"}
        sys.modules.update({"spack": spack, "spack.package": module})
        self.addCleanup(lambda: [sys.modules.pop(name) for name in ("spack", "spack.package")])
        exec(compile(read(RECIPES["spack/package.py"]), "package.py", "exec"), found)
        package = found["GhcOpenmp"]()

        class Prefix(str):
            @property
            def lib(self):
                return Prefix(os.path.join(self, "lib"))

            def join(self, name):
                return Prefix(os.path.join(self, name))

        package.prefix = Prefix(self.prefix)
        package.build(None, package.prefix)
        package.install(None, package.prefix)
        package.setup_run_environment(types.SimpleNamespace(prepend_path=lambda *words: paths.append(words)))
        self.assertIn(((version(),), {}), said)
        self.assertEqual([name for name, _ in paths], ["LD_LIBRARY_PATH"])
        self.serves(paths[0][1])

    @unittest.skipUnless(shutil.which("nix-instantiate"), "needs nix-bin")
    def test_nix(self):
        path = RECIPES["nix/package.nix"]
        store = ["--option", "sandbox", "false", "--store", os.path.join(self.prefix, "store")]
        run(["nix-instantiate", "--parse", path, *store], HOME=self.prefix)
        made = run(["nix-instantiate", "--eval", "--strict", "--json", *store, "-E", """
            (import %s {
              lib = { cleanSource = toString; licenses.bsd3 = "bsd3"; };
              stdenv.mkDerivation = given: given;
            })""" % path], HOME=self.prefix)
        given = yaml.safe_load(made) if yaml else eval(made.replace("true", "True"))
        self.assertEqual((given["version"], given["src"]), (version(), ROOT))
        flags = [flag.replace("$(out)", self.prefix) for flag in given["installFlags"]]
        run(["make", *given["buildFlags"]])
        run(["make", *given["installTargets"], *flags])
        self.serves(os.path.join(self.prefix, "lib", "ghc-openmp"))

    @unittest.skipUnless(shutil.which("Rscript"), "needs r-base-core")
    def test_r(self):
        dropin = os.path.join(ROOT, BUILD, "dropin")
        maps = r'any(grepl("/libgomp.so.1", readLines("/proc/self/maps"), fixed = TRUE) & ' \
               r'grepl("%s", readLines("/proc/self/maps"), fixed = TRUE))' % dropin
        child = ["Rscript", "--no-init-file", "-e", "cat(system2('Rscript', c('-e', shQuote(Sys.getenv('ASK'))), "
                 "stdout = TRUE))"]
        ask = "cat(%s)" % maps
        self.assertEqual(run(child, ASK=ask), "FALSE")
        self.assertEqual(run(child, ASK=ask, R_ENVIRON_USER=RECIPES["r/Renviron"], GHCOMP_DROPIN=dropin), "TRUE")
        home = run(["R", "RHOME"]).strip()
        shown = re.search(r"R_LD_LIBRARY_PATH=(\S+)", read(RECIPES["r/Renviron"])).group(1)
        path = shown.replace("/usr/local/lib/ghc-openmp", dropin).replace("$(R RHOME)", home)
        self.assertEqual(run(["Rscript", "-e", ask], R_LD_LIBRARY_PATH=path), "TRUE")
        launcher = os.path.join(ROOT, BUILD, "bin", "ghcomp")
        if os.path.exists(launcher):
            said = run([launcher, "run", "--host", "posix", "R", "--no-echo", "--no-save", "-e", ask])
            self.assertEqual(said, "TRUE")


if __name__ == "__main__":
    if not os.path.exists(os.path.join(ROOT, BUILD, "dropin", "libgomp.so.1")):
        print("skipped: the drop-in is not built")
        sys.exit(77)
    unittest.main()
