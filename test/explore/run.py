#!/usr/bin/env python3
"""Compiles and runs one harness of the explorer, or one of its mutants.

    test/explore/run.py NAME            exit status 0: the property holds in all explored schedules
    test/explore/run.py NAME MUTANT     exit status 0: the seeded defect was found
    test/explore/run.py --list          all of them
    test/explore/run.py --ready         exit status 0: the explorer is built

`make explore` first, and again after a change to the runtime or the engine; --asked before NAME says that the caller
knows that it is up to date. A mutant is a line of the harness's opening comment,

    mutant: NAME | FILE | REGEX => REPLACEMENT

where FILE is a file below cbits/, which the harness includes, and REGEX occurs in it exactly once. GHCOMP_DEEP=1
explores more. A sampled run of a harness explores a part of its scenarios, after a few random schedules of each; a
mutant explores all, after those.
"""

import glob
import os
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test"))

import sample  # noqa: E402

FOUND = 3  # exit status of a program that has found a violation
NEEDED = "the explorer is not built, or is older than its sources: run `make explore`"
# What `make explore` builds. The engine has an operating system, so it comes before the library.
LINKED = (("explore", "engine.o"), ("obj", "default_host_posix.o"), ("explore", "libghcomp.a"))
WRAPPED = ("pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock "
           "malloc calloc realloc aligned_alloc posix_memalign free").split()
MUTANT = re.compile(r"^\s*\*?\s*mutant:\s*(\S+)\s*\|\s*(\S+)\s*\|\s*(.*?) =>[ ]?(.*?)\s*(?:\*/)?$", re.MULTILINE)


def names():
    return sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(HERE, "*.c")))


def mutants(name):
    """{mutant: (file, regex, replacement)} of a harness."""
    with open(os.path.join(HERE, name + ".c")) as f:
        comment = f.read().split("*/")[0]
    return {m.group(1): m.groups()[1:] for m in MUTANT.finditer(comment)}


def fail(message):
    print(message)
    sys.exit(1)


def unbuilt(build, *options):
    """None, or why `make explore` is needed. `make` knows its sources; that it would take other flags does not count.
    `options` are for make."""
    flags = [os.path.join(build, "flags", variant) for variant in ("explore", "shared")]
    if not os.path.exists(os.path.join(ROOT, flags[0])):
        return NEEDED
    asked = ["make", "-r", "-q", "-o", flags[0], "-o", flags[1], *options, "explore", "BUILD=" + build]
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    try:
        done = subprocess.run(asked, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except OSError as e:
        return "there is no `make` to ask whether the explorer is up to date: %s" % e.strerror
    if done.returncode == 1:
        return NEEDED
    return None if done.returncode == 0 else "`make explore` would fail:\n" + done.stdout


def overlay(folder, mutation):
    """A folder with the mutated copy of one file, to be searched before cbits/."""
    file, regex, replacement = mutation
    with open(os.path.join(ROOT, "cbits", file)) as f:
        text = f.read()
    changed, count = re.subn(regex, lambda m: m.expand(replacement), text)
    if count != 1:
        fail("the mutation of %s no longer applies: `%s` occurs %d times" % (file, regex, count))
    target = os.path.join(folder, file)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w") as f:
        f.write('#line 1 "cbits/%s"\n' % file + changed)


def compile_harness(build, name, mutant):
    folder = os.path.join(build, "explore", name + ("." + mutant if mutant else ""))
    os.makedirs(folder, exist_ok=True)
    searched = []
    if mutant:
        overlay(folder, mutants(name)[mutant])
        searched = ["-iquote", folder]
    with open(os.path.join(build, "flags", "explore")) as f:
        command = shlex.split(f.read())
    exe = os.path.join(folder, "program")
    command = (
        command[:1] + searched + command[1:]
        + ["-Wno-unused-function", "-g0"] + (["-O0"] if mutant else []) + ["-I", HERE, os.path.join(HERE, name + ".c")]
        + [os.path.join(build, *part) for part in LINKED]
        + ["-Wl,--wrap=" + function for function in WRAPPED]
        + ["-ldl", "-lm", "-o", exe]
    )
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        fail("%s does not compile:\n%s" % (name, done.stdout))
    return exe


def sampled(name, exe):
    """The program's arguments: the scenarios that this run has, and a short look at the others."""
    listed = subprocess.run([exe, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    chosen = sample.of_environment()
    part = [words for number, words in enumerate(listed) if chosen.has("explore/" + name, number, len(listed))]
    return part if part == listed else ["--glance"] + part


def main():
    arguments = sys.argv[1:]
    if arguments == ["--list"]:
        for name in names():
            print("\n".join([name] + ["%s %s" % (name, mutant) for mutant in mutants(name)]))
        return 0
    build = os.environ.get("BUILD", "build")
    asked = arguments[:1] == ["--asked"]
    why = None if asked else unbuilt(build)
    if arguments == ["--ready"]:
        return fail(why) if why else 0
    if asked:
        del arguments[0]
    if not arguments or arguments[0] not in names():
        fail(__doc__)
    name, mutant = arguments[0], arguments[1] if len(arguments) > 1 else None
    if mutant is not None and mutant not in mutants(name):
        fail("%s has no mutant `%s`" % (name, mutant))
    if why:
        fail(why)
    exe = compile_harness(os.path.join(ROOT, build), name, mutant)
    sys.stdout.flush()
    if mutant is None:
        return subprocess.run([exe] + sampled(name, exe)).returncode
    done = subprocess.run([exe, "--glance"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    words = [line for line in done.stdout.splitlines() if line.startswith("after ") or ": " in line]
    if done.returncode == FOUND:
        found = [i for i, line in enumerate(words) if line.startswith("after ")]
        print("found: %s; %s" % (words[found[0] - 1], words[found[0]].rstrip(":")) if found else "found")
        return 0
    print(done.stdout)
    fail("the explorer has not found the seeded defect `%s`; exit status %d" % (mutant, done.returncode))


if __name__ == "__main__":
    sys.exit(main())
