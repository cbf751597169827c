"""The command ghc-openmp: for programs of any kind, where the launcher ghcomp is not installed."""

import os
import re
import sys

from . import doctor, info, options, runtime, texts
from .line import say
from .version import __version__

USAGE = """usage: ghc-openmp COMMAND

  run [--threads N] [--] PROGRAM [ARGUMENTS...]   run an OpenMP program on the runtime
  info                                            say what the runtime would do here
  doctor PROGRAM|LIBRARY                          say why it would not run on the runtime; status 0 if it would
  doctor python SCRIPT|-m MODULE|-c CODE          say what each import of it brings, and which runtime serves that
  help, --help                                    this text
  --version                                       the version

Python: python -m ghc_openmp [--threads N] [--report] SCRIPT|-m MODULE|-c CODE [ARGUMENTS...]"""


def run(words):
    chosen, rest = options.leading(words, {"--threads": options.threads}, set())
    if not rest or rest[0].startswith("-"):
        raise runtime.Refused("run: %s; see ghc-openmp help" % (
            "unknown option " + rest[0] if rest else "no program is given"), 2)
    start(rest, chosen.get("--threads"))


def start(words, threads=None):
    """Does not return: this process is now the program, on the runtime."""
    try:
        path = doctor.locate(words[0])
        if os.path.isdir(path):
            raise runtime.Refused("%s: %s" % (words[0], texts.is_folder()), 126)
        if not os.access(path, os.X_OK):
            raise runtime.Refused("%s: %s" % (words[0], texts.not_executable()), 126)
    except doctor.Stops as e:
        raise runtime.Refused("%s: %s" % (words[0], e), 127)
    try:
        doctor.diagnose(words[0])
    except doctor.Foreign as e:
        say("ghc-openmp: %s: %s" % (words[0], e), sys.stderr)
        runtime.become(path, words, os.environ)
    except doctor.Unread:
        pass  # the kernel starts it, and the loader preloads into it
    except doctor.Stops as e:
        raise runtime.Refused("%s: %s" % (words[0], e), 126)
    found = runtime.settings(os.environ, threads)
    runtime.become(path, words, dict(os.environ, **found))


def imports(words):
    """Does not return: the interpreter that is asked about carries out the imports."""
    entry = os.path.join(os.path.dirname(os.path.abspath(__file__)), "doctor_python.py")
    try:
        start([words[0], "-B", entry, *words[1:]])
    except runtime.Refused as e:
        raise runtime.Refused(str(e), 2)


def examine(words):
    if len(words) > 1 and not words[0].startswith("-"):
        if not re.fullmatch(r"(pypy|python)[\d.]*", os.path.basename(words[0])):
            raise runtime.Refused(texts.doctor_arguments(), 2)
        imports(words)
    if len(words) != 1 or words[0].startswith("-"):
        raise runtime.Refused("doctor takes one program or library; see ghc-openmp help", 2)
    program = words[0]
    try:
        notes = doctor.diagnose(program)
    except doctor.Stops as e:
        say("%s: %s" % (program, e))
        return 1
    for kind, text in notes:
        say("%s: %s%s" % (program, "" if kind == "none" else kind, text))
    if not any(kind == "none" for kind, _ in notes):
        say(texts.serves(program, runtime.library()))
    return 0


def show(words):
    if words:
        raise runtime.Refused("info takes no argument", 2)
    for line in info.lines():
        say(line)
    return 0


def perform(words):
    commands = {"run": run, "info": show, "doctor": examine}
    if not words:
        raise runtime.Refused("no command is given; see ghc-openmp help", 2)
    if words[0] in ("help", "-h", "--help"):
        print(USAGE)
        return 0
    if words[0] == "--version":
        print("ghc-openmp " + __version__)
        return 0
    if words[0] not in commands:
        raise runtime.Refused("there is no command %s; see ghc-openmp help" % words[0], 2)
    return commands[words[0]](words[1:])


def main():
    try:
        return perform(sys.argv[1:])
    except runtime.Refused as e:
        say("ghc-openmp: %s" % e, sys.stderr)
        return e.status


if __name__ == "__main__":
    sys.exit(main())
