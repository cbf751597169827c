"""Packaged programs that bench/c_call.py measures as they are: their inputs, commands and right results.

Each is a class with the same members; PROGRAMS has one of each. The input is made here, so that no data set is needed,
and a run's outcome is compared with that of a run on the system's libgomp with one thread, which is not measured. Used
by bench/c_call.py and, for the loader's answer, by bench/primecount.py; tested by test/scripts/bench_c_call_test.py and
bench_primecount_test.py. Needs only Python's standard library and the programs' packages.
"""

import glob
import os
import re
import subprocess

from common import ROOT, Failed


def check_loaded(binary, env, wanted):
    """The loader finds the object `wanted` (None: one that is not ours) as the program's libgomp.so.1."""
    traced = subprocess.run([binary], env=dict(env, LD_TRACE_LOADED_OBJECTS="1"), stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    found = [line.split("=>")[1].split("(")[0].strip() for line in traced.stdout.splitlines()
             if line.strip().startswith("libgomp.so.1 =>")]
    if not found:
        raise Failed("%s does not load libgomp.so.1: %s" % (binary, traced.stdout.strip()[:200]))
    right = os.path.abspath(found[0]) == os.path.abspath(wanted) if wanted else not found[0].startswith(ROOT + os.sep)
    if not right:
        raise Failed("%s loads %s, not %s" % (binary, found[0], wanted or "the system's libgomp"))


def prepared(command, env):
    """Runs a command that makes an input."""
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    if done.returncode != 0:
        raise Failed("%s: exit status %d: %s" % (
            " ".join(command[:4]), done.returncode, " ".join(done.stdout.split())[-300:]))


class Gromacs:
    """Molecular dynamics of water: many short regions, and barriers within them."""

    binary, package = "gmx", "gromacs"
    what = "GROMACS: 150 steps of a box with about 1,700 molecules of water, particle mesh Ewald"
    parameters = """integrator = md
nsteps = 150
dt = 0.002
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
gen-vel = yes
gen-temp = 300
gen-seed = 5
nstcalcenergy = 50
nstenergy = 50
nstlog = 50
"""
    topology = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
SOL %d
"""

    def prepare(self, binary, folder, env):
        names = ("md.mdp", "out.mdp", "water.gro", "water.top", "run.tpr")
        paths = {name: os.path.join(folder, name) for name in names}
        # Twice GROMACS's own box of water in each direction.
        prepared([binary, "-quiet", "-nobackup", "solvate", "-cs", "spc216", "-box", "3.72412", "3.72412", "3.72412",
                  "-o", paths["water.gro"]], env)
        with open(paths["water.gro"]) as f:
            atoms = int(f.read().splitlines()[1])
        for name, text in (("md.mdp", self.parameters), ("water.top", self.topology % (atoms // 3))):
            with open(paths[name], "w") as f:
                f.write(text)
        prepared([binary, "-quiet", "-nobackup", "grompp", "-f", paths["md.mdp"], "-c", paths["water.gro"], "-p",
                  paths["water.top"], "-o", paths["run.tpr"], "-po", paths["out.mdp"]], env)

    def command(self, binary, folder, threads):
        return [binary, "-quiet", "-nobackup", "mdrun", "-s", os.path.join(folder, "run.tpr"), "-deffnm",
                os.path.join(folder, "run"), "-ntmpi", "1", "-ntomp", str(threads), "-pin", "off", "-noconfout"]

    def outcome(self, folder, _):
        """The potential energies of the steps that the log has."""
        with open(os.path.join(folder, "run.log")) as f:
            lines = f.read().splitlines()
        return [float(lines[i + 1][45:60]) for i, line in enumerate(lines) if line[45:60].strip() == "Potential"]

    def same(self, got, wanted):
        """The first step's energy but for the rounding of single precision, which makes later ones differ more."""
        return (len(got) == len(wanted) > 0 and abs(got[0] / wanted[0] - 1) < 1e-4
                and all(abs(a / b - 1) < 0.02 for a, b in zip(got, wanted)))


class GraphicsMagick:
    """Filters of a picture: long loops over its lines."""

    binary, package = "gm", "graphicsmagick"
    what = "GraphicsMagick: swirl, blur, resize, rotate and charcoal of a picture of 1,000 x 750 points"
    size = "1000x750"

    def prepare(self, binary, folder, env):
        pass

    def command(self, binary, folder, threads):
        return [binary, "convert", "-size", self.size, "gradient:red-blue", "-swirl", "180", "-gaussian", "0x3",
                "-resize", "75%", "-rotate", "10", "-charcoal", "2", "-format", "%# %w %h", "info:-"]

    def outcome(self, folder, text):
        """The picture's signature and size."""
        return text.strip() if re.match(r"[0-9a-f]{64} \d+ \d+$", text.strip()) else None

    def same(self, got, wanted):
        return got is not None and got == wanted


class Par2:
    """Error-correcting codes of a file: a loop over blocks for each block read."""

    binary, package = "par2", "par2"
    what = "par2: 60 recovery blocks for a file of 24 MB"
    size, block = 24 * 1000 * 1000, 100 * 1000

    def prepare(self, binary, folder, env):
        with open(os.path.join(folder, "data"), "wb") as f:
            f.write(b"".join((i * 6364136223846793005 % 2 ** 64).to_bytes(8, "little") for i in range(self.size // 8)))

    def command(self, binary, folder, threads):
        for path in glob.glob(os.path.join(folder, "data*.par2")):
            os.unlink(path)
        return [binary, "create", "-t%d" % threads, "-q", "-q", "-s%d" % self.block, "-r25", "-B", folder,
                os.path.join(folder, "data.par2"), os.path.join(folder, "data")]

    def outcome(self, folder, _):
        """The files of recovery blocks."""
        found = {}
        for path in sorted(glob.glob(os.path.join(folder, "data.vol*.par2"))):
            with open(path, "rb") as f:
                found[os.path.basename(path)] = f.read()
        return found

    def same(self, got, wanted):
        return bool(got) and got == wanted


PROGRAMS = {"gromacs": Gromacs(), "graphicsmagick": GraphicsMagick(), "par2": Par2()}
