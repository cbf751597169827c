#!/usr/bin/env python3
"""What stands in indented lines of the pages, where no `<!-- from: FILE -->` can stand before it.

    test/docs/commands.py [DOCS]      the pages, docs/ by default, and README.md and CONTRIBUTING.md beside that folder

The pages of EXPECTED are for users: their commands are run here as they stand, one after the other, in a folder with
the programs that they name, and their exit status and a part of what they print are compared. Such a page shows no
command that is not in EXPECTED, and EXPECTED has none that its page does not show. The commands of all other pages
build, test and measure the tree itself, which takes too long here: each `make` target, file and option of them exists.
What is no command has its test in OTHER, and where it repeats what is in the tree, it is compared with that (CONTENTS).
Pages that `make gen` writes are not looked at. Commands whose programs are not installed are left out, and the output
says so.
"""
# limit: 300

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
GUIDES = os.path.join(ROOT, "examples", "guides")
ARCHER = "/usr/lib/llvm-19/lib/libarcher.so"
SUM, REGIONS = "threads, sum 500000500000", "Parallel regions: "
# ThreadSanitizer misses a race whose accesses happen at the very same time.
RUNS_OF_A_RACE = 25

# page: (command, exit status, what it prints: a regular expression, what it needs)
EXPECTED = {
    "guide/clang.md": [
        ("clang -fopenmp program.c -o program", 0, "", "clang-19"),
        ("LD_LIBRARY_PATH=build/dropin ./program", 0, SUM, "clang-19"),
        ("clang-19 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu program.c -o program", 0, "", "libomptarget"),
        ("LD_LIBRARY_PATH=build/dropin:$(dirname $(realpath $(clang-19 -print-file-name=libomptarget.so))) ./program",
         0, SUM, "libomptarget"),
    ],
    "guide/tools.md": [
        ("gcc -g -O1 -fopenmp -fsanitize=thread race.c -o race", 0, "", "gcc"),
        ("LD_LIBRARY_PATH=$PWD/build/dropin ./race", 66, r"data race \S*race\.c:\d+ in main\._omp_fn\.0", "gcc"),
        ("gcc -g -O2 -fopenmp profile.c -o profile", 0, "", "gcc"),
        ("ghcomp profile ./profile", 0, REGIONS, "gcc"),
    ],
    "internals/barriers.md": [
        ("OMP_NUM_THREADS=128 OMP_DISPLAY_ENV=verbose ./program", 0, r"\[host\] GHCOMP_BARRIER = 'TREE'", "dropin"),
        ("make bench-large", None, "", ""),
        ("bench/large.py table bench/results/large-latest.json", None, "", ""),
    ],
    "reference/commands.md": [
        ("ghcomp run ./program its arguments", 0, SUM, "gcc"),
        ("ghcomp run --threads 4 --host posix -- ./program -v", 0, "4 " + SUM, "gcc"),
        ("ghcomp profile ./program its arguments", 0, REGIONS, "gcc"),
        ("ghcomp doctor ./program", 0, "runs on ghc-openmp", "gcc"),
        ("ghcomp info", 0, r"^runtime .*/libgomp\.so\.1$", "gcc"),
        ("ghcomp info ./program", 0, "under ghcomp run", "gcc"),
        ("ghcomp info --json", 0, r"^\{.*\}$", "gcc"),
        ("ghcomp trace program.eventlog", 0, "", "ghc"),
        ("ghcomp trace program.eventlog --summary", 0, "region", "ghc"),
        ("ghcomp trace program.eventlog --svg picture.svg --from 120 --to 150", 0, "", "ghc"),
    ],
    "reference/ompt.md": [
        ("OMP_TOOL_LIBRARIES=/usr/lib/llvm-19/lib/libarcher.so TSAN_OPTIONS=ignore_noninstrumented_modules=1 ./program",
         0, SUM, "archer"),
    ],
    "reference/profile.md": [
        ("ghcomp profile ./program its arguments", 0, REGIONS, "gcc"),
        ("ghcomp profile --json profile.json --trace timeline.json --top 5 --threads 4 -- ./program", 0, REGIONS,
         "gcc"),
        ("OMP_TOOL_LIBRARIES=.../libghcomp_profile.so GHCOMP_PROFILE_JSON=profile.json ./program", 0, SUM, "dropin"),
    ],
}
# What must be there after a page's commands.
WRITTEN = {"reference/commands.md": ["program.trace.json", "picture.svg"],
           "reference/profile.md": ["profile.json", "timeline.json"]}

# (page, first line of a block that is no command): what tests it.
OTHER = {
    ("reference/host.md", "OMP_ALLOCATOR=omp_default_mem_space:partition=interleaved ./program"):
        "test/conformance/alloc/environment_partition.c",
    ("reference/free-agents.md", "#pragma omp task threadset(omp_pool)"): "test/clang/free_agents.c",
    ("reference/free-agents.md", "int omp_is_free_agent(void);"): "test/clang/free_agents.c",
    ("guide/python.md", "make wheel"): "test/wheel/wheel.py",
    ("guide/python.md", "ghcomp doctor python3 script.py"): "test/wheel/imports_test.py",
    ("guide/examples/untyped.md", "two threads, pointers, 10 runs:"): "test/examples/untyped.sh",
    ("guide/ffi.md", "A batched call passes at most 6 integers and pointers, and this C function has 7:"):
        "src/OpenMP/Batch.hs",
    ("reference/haskell.md", "ghci> import OpenMP"): "test/hs/linking/run.sh",
    ("reference/haskell.md", "ghc -shared -dynamic -fPIC -threaded -package ghc-openmp Hsl.hs start.c -o libhsl.so \\"):
        "test/hs/linking/shared.sh",
    ("reference/haskell.md", "gcc -fopenmp main.c -o main -L. -lhsl -L$DIR -lHSghc-openmp-0.1.0.0-...-ghc9.0.2"):
        "test/hs/linking/shared.sh",
    ("internals/testing.md", "HH........ HH........  libgomp.c/example.c"): "test/scripts/matrix_test.py",
    ("../CONTRIBUTING.md",
     "cbits/base    atomic operations, the processor, checks, blocks of memory: below everything"):
        "test/scripts/includes_test.py",
    ("../README.md", "C, C++, Fortran: gcc -fopenmp          Haskell: OpenMP"): "test/scripts/includes_test.py",
}


def folders(block):
    """Lines about the layout name each folder of the runtime's C and no other."""
    cbits = os.path.join(ROOT, "cbits")
    listed = {entry.name for entry in os.scandir(os.path.join(cbits, "core")) if entry.is_dir()}
    listed |= {"cbits/" + entry.name for entry in os.scandir(cbits) if entry.is_dir()}
    said = set(re.findall(r"(?<![\w/.])(?:cbits/)?\w+(?![\w/.])", " ".join(block)))
    missing = sorted(listed - said - {"cbits/include"})
    missing += sorted(name for name in said if name.startswith("cbits/") and name not in listed)
    return "does not name the folders as they are: %s" % ", ".join(missing) if missing else None


def message(block):
    """GHC's message about a batched call, of which a number and a line in the middle are left out."""
    source = read(os.path.join(ROOT, "src/OpenMP/Batch/Internal.hs"))
    lines = [re.sub(r" \d+:$", " ", line) for line in block if line != "..."]
    missing = [line for line in lines if '"' + line not in source]
    return "says what is not in the source: %s" % "; ".join(missing) if missing else None


def record(block):
    """What GHCi prints of a Runtime: its fields in their order."""
    shown = re.findall(r"\b(runtime[A-Z]\w*) =", " ".join(block))
    fields = re.findall(r"(?m)^ *[{,] (runtime[A-Z]\w*) *::", read(os.path.join(ROOT, "src/OpenMP/Runtime.hs")))
    return None if shown == fields and shown else "shows the fields %s, and a Runtime has %s" % (shown, fields)


def options(block):
    """Options of commands that a test has in another form: each is there, but for names with a version in them."""
    script = read(os.path.join(ROOT, "test/hs/linking/shared.sh"))
    words = [word for line in block for word in line.rstrip("\\").split() if re.match(r"-[\w-]+[.]?$", word)]
    words = [word for word in words if not re.search(r"\d", word)]
    missing = [word for word in words if word not in script.split()]
    return "has options that no test has: %s" % " ".join(missing) if missing or not words else None


# The beginning of such a block's first line: what it is compared with.
CONTENTS = {
    "cbits/base ": folders,
    "C, C++, Fortran: gcc": folders,
    "A batched call passes": message,
    "ghci> import": record,
    "ghc -shared": options,
    "gcc -fopenmp main.c": options,
}
GENERATED = ("environment.md", "coverage.md")
# What follows this in a page is generated.
GENERATED_PART = "<!-- Generated from here on "


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def blocks(text):
    """The indented blocks outside of fences and lists: each a list of lines without the indentation. And, in files
    whose fences have no marker (docs.py), the blocks in fences."""
    found, block, fence, before = [], None, None, ""
    marker = ""
    for line in text.splitlines() + ["", "end"]:
        if fence is not None:
            if line.startswith("```"):
                found += [fence] if not marker.startswith("<!-- from:") else []
                fence = None
            else:
                fence.append(line)
        elif line.startswith("```"):
            fence, marker = [], before
        elif line.startswith("    ") and line.strip() and (block is not None or not before.strip()):
            block = (block or []) + [line.strip()]
        elif line.strip() and block:
            found.append(block)
            block = None
        before = line
    return found


def pages(docs):
    names = sorted(glob.glob(os.path.join(docs, "**", "*.md"), recursive=True))
    names += [os.path.join(docs, "..", name) for name in ("README.md", "CONTRIBUTING.md")]
    return [(os.path.relpath(name, docs), blocks(read(name).split(GENERATED_PART)[0])) for name in names
            if os.path.basename(name) not in GENERATED]


def without_comment(line):
    """A command without the words behind it: two blanks and a number sign begin those."""
    return re.sub(r"(^|\s+)# .*", "", line).rstrip(" \\")


class Static:
    """Whether what a command names is there."""

    def __init__(self):
        makefiles = [os.path.join(ROOT, "Makefile")] + glob.glob(os.path.join(ROOT, "mk", "*.mk"))
        self.targets = set(re.findall(r"(?m)^([\w.-]+(?: [\w.-]+)*) *::?(?!=)", "".join(map(read, makefiles))))
        # Targets of pattern rules stand in .PHONY.
        made = re.sub(r"\\\n", " ", "".join(map(read, makefiles)))
        self.targets |= set(re.findall(r"(?m)^\.PHONY:(.*)", made))
        self.targets = {target for line in self.targets for target in line.split()}
        self.sources = {}

    def has_option(self, script, option):
        """In the script itself or in what stands beside and below it, from which its arguments come."""
        folder = os.path.dirname(script)
        if folder not in self.sources:
            files = [f for f in glob.glob(os.path.join(ROOT, folder, "**", "*"), recursive=True)
                     if f.endswith((".py", ".sh", ".c"))]
            self.sources[folder] = "".join(map(read, files))
        return re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(option), self.sources[folder]) is not None

    def wrong(self, command):
        """None, or what is wrong with it; False where this is no command."""
        for part in re.split(r" && | \| |; ", re.sub(r"^\$\(sh ", "", command)):
            words = shlex.split(part, comments=True)
            while words and re.match(r"\w+=", words[0]):
                words.pop(0)
            if words and words[0] in ("sh", "python3"):
                words.pop(0)
            if not words:
                continue
            first = words[0]
            if first == "make":
                for word in words[1:]:
                    if not word.startswith("-") and "=" not in word and word not in self.targets:
                        if word != "../before":
                            return "make has no target %s" % word
            elif re.match(r"(test|tools|bench|examples)/", first):
                if not os.path.isfile(os.path.join(ROOT, first)):
                    return "there is no file %s" % first
                for word in words[1:] if "-- " not in part else shlex.split(part.split("-- ")[0])[1:]:
                    option = word.split("=")[0].rstrip(")")
                    if option.startswith("--") and option != "--" and not self.has_option(first, option):
                        return "%s has no option %s" % (first, option)
            elif first not in ("tar", "cd", "./run", "taskset", "git", "apt-get") and not first.startswith(
                    ("build/", "./your-program", "R")):
                return False
        return None


def check_static(found):
    static = Static()
    for page, page_blocks in found:
        for block in page_blocks:
            if page in EXPECTED:
                continue
            other = OTHER.get((page, block[0]))
            if other is not None:
                if not os.path.isfile(os.path.join(ROOT, other)):
                    yield "%s: there is no %s" % (page, other)
                for beginning, compare in CONTENTS.items():
                    wrong = block[0].startswith(beginning) and compare(block)
                    if wrong:
                        yield "%s: %s" % (page, wrong)
                continue
            for line in block:
                try:
                    wrong = static.wrong(without_comment(line))
                except ValueError as error:
                    wrong = str(error)
                if wrong is False:
                    yield "%s: neither a command nor named in OTHER: %s" % (page, line)
                elif wrong:
                    yield "%s: %s: %s" % (page, line, wrong)


def check_shown(found):
    found = dict(found)
    for page, line in OTHER:
        if line not in [block[0] for block in found[page]]:
            yield "%s: does not show what OTHER names: %s" % (page, line)
    for page, expected in EXPECTED.items():
        shown = [without_comment(line) for block in found[page] for line in block]
        wanted = [row[0] for row in expected]
        for line in shown:
            if line not in wanted:
                yield "%s: a command that nobody runs: %s" % (page, line)
        for line in wanted:
            if line not in shown:
                yield "%s: does not show this command: %s" % (page, line)


def prepare(work, needs):
    """The folder in which the commands with these needs run; returns the needs that are there."""
    for name in ("race.c", "profile.c"):
        shutil.copy(os.path.join(GUIDES, name), work)
    shutil.copy(os.path.join(GUIDES, "hello.c"), os.path.join(work, "program.c"))
    os.symlink(BUILD, os.path.join(work, "build"))
    os.mkdir(os.path.join(work, "bin"))
    subprocess.run(["gcc", "-g", "-O2", "-fopenmp", "program.c", "-o", "program"], cwd=work, check=True)
    there = {"gcc", "dropin"}
    # Archer comes with libomp's headers.
    if shutil.which("clang-19") and os.path.exists(ARCHER):
        # No link: what is found may be ccache, which goes by the name that it is called by.
        script = os.path.join(work, "bin", "clang")
        with open(script, "w", encoding="utf-8") as f:
            f.write('#!/bin/sh\nexec clang-19 "$@"\n')
        os.chmod(script, 0o755)
        there |= {"clang-19", "archer"}
        if os.path.exists(os.path.join(os.path.dirname(ARCHER), "libomptarget.so")):
            there.add("libomptarget")
    if shutil.which("ghc"):
        there.add("ghc")
        if "ghc" in needs:
            log(work)
    return there


def log(work):
    """program.eventlog: of a Haskell program that opens regions for more than 150 ms."""
    with open(os.path.join(work, "region.c"), "w", encoding="utf-8") as f:
        f.write("void region(int n)\n{\n#pragma omp parallel num_threads(n)\n    {\n#pragma omp barrier\n    }\n}\n")
    with open(os.path.join(work, "Main.hs"), "w", encoding="utf-8") as f:
        f.write("import Control.Concurrent (threadDelay)\nimport Control.Monad (replicateM_)\n"
                "import Foreign.C.Types (CInt (..))\nforeign import ccall safe \"region\" region :: CInt -> IO ()\n"
                "main :: IO ()\nmain = replicateM_ 20 (region 3 >> threadDelay 10000)\n")
    for command in (
            ["gcc", "-O2", "-fopenmp", "-shared", "-fPIC", "region.c", "-o", "libregion.so"],
            ["ghc", "-v0", "-dynamic", "-threaded", "-eventlog", "-rtsopts", "Main.hs", "-L.", "-lregion", "-optl",
             "-Wl,-rpath," + work, "-o", "logged"]):
        done = subprocess.run(command, cwd=work, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit("%s: %s" % (" ".join(command), done.stderr))
    subprocess.run(["./logged", "+RTS", "-N2", "-l", "-olprogram.eventlog"], cwd=work, check=True,
                   env=dict(os.environ, LD_LIBRARY_PATH=os.path.join(BUILD, "dropin")))


def run(work, page, row):
    """None, or what is wrong with one command."""
    command, status, regex, needs = row
    env = dict(os.environ, PATH=os.pathsep.join([os.path.join(work, "bin"), os.path.join(BUILD, "bin"),
                                                 os.environ["PATH"]]))
    env.pop("LD_LIBRARY_PATH", None)
    if needs in ("dropin", "archer"):
        env["LD_LIBRARY_PATH"] = os.path.join(BUILD, "dropin")
    if needs == "archer":
        subprocess.run(["clang-19", "-g", "-O1", "-fopenmp", "-fsanitize=thread", "program.c", "-o", "program"],
                       cwd=work, check=True)
    # ThreadSanitizer needs addresses that the kernel's randomisation may take.
    fixed = ["setarch", "-R"] if shutil.which("setarch") else []
    if fixed and subprocess.run(fixed + ["true"], stderr=subprocess.DEVNULL).returncode:
        fixed = []
    line = command.replace("=.../", "=%s/dropin/" % BUILD)
    for _ in range(RUNS_OF_A_RACE if status == 66 else 1):
        done = subprocess.run(fixed + ["sh", "-c", line], cwd=work, env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True)
        if done.returncode == status and re.search(regex, done.stdout, re.M):
            return None
    return "%s: %s\nexit status %d, not %d, or it does not print %r:\n%s" % (
        page, command, done.returncode, status, regex, done.stdout)


def check_profile(work):
    """The profile that the guide shows has the heads of the tables and the functions of this run's."""
    done = subprocess.run([os.path.join(BUILD, "bin", "ghcomp"), "profile", "./profile"], cwd=work, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def heads(text):
        lines = re.findall(r"(?m)^\w[\w ]*: .*;.*$|^ .* (?:where|thread)$", text)
        return lines, set(re.findall(r"\((main\S*)\)", text))
    shown, made = heads(read(os.path.join(GUIDES, "profile.txt"))), heads(done.stdout)
    if shown != made or not shown[0]:
        yield "examples/guides/profile.txt has %s, and ghcomp profile prints %s" % (shown, made)


def main(docs):
    found = pages(docs)
    wrong = list(check_static(found)) + list(check_shown(found))
    if not wrong and os.path.exists(os.path.join(BUILD, "bin", "ghcomp")):
        for page, expected in sorted(EXPECTED.items()):
            with tempfile.TemporaryDirectory() as work:
                rows = [row for row in expected if row[1] is not None]
                there = prepare(work, {row[3] for row in rows})
                for row in rows:
                    if row[3] not in there:
                        print("left out, since there is no %s: %s: %s" % (row[3], page, row[0]))
                    else:
                        wrong += filter(None, [run(work, page, row)])
                if {row[3] for row in rows} <= there:
                    wrong += ["%s: there is no %s afterwards" % (page, name) for name in WRITTEN.get(page, [])
                              if not os.path.exists(os.path.join(work, name))]
                if page == "guide/tools.md":
                    wrong += check_profile(work)
    elif not wrong:
        print("left out: no command was run, since the launcher is not built")
    print("\n".join(wrong))
    print("%d pages, %d things wrong" % (len(found), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "docs"))))
