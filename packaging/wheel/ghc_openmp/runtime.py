"""Where the runtime's library is, and becoming a program that has it.

The process becomes the program (exec), so that its number, signals, exit status and standard streams are the program's.
Used by __main__.py and command.py.
"""

import os
import signal

from . import texts

NAME = "libgomp.so.1"
# Entries that glibc's loader alone finds: $ORIGIN is the program's folder, and the parent of / is /. Programs linked
# with musl that the program starts in turn find nothing, and go on without the runtime.
TO_ROOT = "$ORIGIN" + "/.." * 40


class Refused(Exception):
    """Why nothing was started, in one line; status: the exit status of env(1)."""

    def __init__(self, text, status=125):
        super().__init__(text)
        self.status = status


def folder():
    """The folder of the runtime's libraries: GHCOMP_HOME where it is set, else the package's own."""
    return os.path.realpath(os.environ.get("GHCOMP_HOME") or os.path.join(os.path.dirname(__file__), "lib"))


def library():
    """The path of the runtime, for LD_PRELOAD."""
    path = os.path.join(folder(), NAME)
    if not os.path.isfile(path):
        raise Refused("%s is not in %s: install the package again, or set GHCOMP_HOME" % (NAME, folder()))
    return path


def plain(entry):
    """An entry of LD_PRELOAD or LD_LIBRARY_PATH as a path."""
    return entry[len(TO_ROOT):] if entry.startswith(TO_ROOT) else entry


def _first(entry, now, separators):
    """The entry before those that are there, once."""
    there = now
    for separator in separators[1:]:
        there = there.replace(separator, separators[0])
    others = [e for e in there.split(separators[0]) if e and plain(e) != plain(entry)]
    return separators[0].join([entry] + others)


def settings(now, threads=None):
    """The variables that put a program on the runtime, given the environment `now`."""
    path = library()
    if " " in path or ":" in path:
        raise Refused(texts.cannot_preload(path))
    found = {"LD_PRELOAD": _first(TO_ROOT + path, now.get("LD_PRELOAD", ""), ": "),
             "LD_LIBRARY_PATH": _first(TO_ROOT + folder(), now.get("LD_LIBRARY_PATH", ""), ":;")}
    if threads is not None:
        found["OMP_NUM_THREADS"] = threads
    return found


def become(path, arguments, environment):
    """Does not return: this process is now the program. `arguments` begin with its name."""
    # Python ignores these two in itself, and a program would inherit that.
    for number in (signal.SIGPIPE, getattr(signal, "SIGXFSZ", signal.SIGPIPE)):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(path, arguments, environment)
    except OSError as e:
        raise Refused("%s: cannot be started: %s" % (arguments[0], e.strerror), 126)
