"""What each import of a Python program (SCRIPT, -m MODULE or -c CODE) brings, and which runtime serves that.

Its imports are carried out, one after the other, in a process that has the runtime; the program itself is not run.
After each one, lines say which of the libraries that it has loaded call an OpenMP runtime, and which, or have threads
of their own; then which runtimes are loaded and idle. Exit status 0: all that call OpenMP is served by ghc-openmp; 1:
a library is not; 2: there is nothing to read. doctor_python.py starts it.
"""

import ast
import importlib
import importlib.util
import os
import sys
import warnings

from . import texts
from .line import say
from .report import report


SHOWN = 2  # libraries that a line names
OUTSIDE, ITS_OWN = object(), object()


class Unreadable(Exception):
    """Why the program's imports are not known, in one line."""


def reason(e):
    """An exception in one line."""
    return " ".join(("%s: %s" % (type(e).__name__, e)).split())


def first_folder(words):
    """The folder that the interpreter puts before those of installed modules."""
    if words[:1] == ["-m"]:
        return os.getcwd()
    return "" if words[:1] in ([], ["-c"]) else os.path.dirname(os.path.realpath(words[0]))


def specified(module):
    """The specification of what -m runs; the packages that it is in are imported."""
    try:
        found = importlib.util.find_spec(module)
        if found is not None and found.submodule_search_locations is not None:
            found = importlib.util.find_spec(module + ".__main__")
    except BaseException as e:  # whatever a package raises
        raise Unreadable("-m %s: %s" % (module, reason(e)))
    if found is None or not found.origin or not found.origin.endswith(".py"):
        raise Unreadable(texts.no_module(module))
    return found


def source(words):
    """(the name to call it by, its text, the package that it is part of, or "")."""
    kind = words[0] if words else ""
    if kind == "-c" and len(words) > 1:
        return "-c", words[1], ""
    if kind == "-m" and len(words) > 1:
        found = specified(words[1])
        name, path, package = words[1], found.origin, found.parent
    elif kind and not kind.startswith("-"):
        name, path, package = kind, kind, ""
    else:
        raise Unreadable(texts.no_script())
    try:
        with open(path, "rb") as f:
            return name, f.read(), package
    except (OSError, ValueError) as e:
        raise Unreadable("%s: %s" % (name, getattr(e, "strerror", None) or e))


def modules(text, name, package=""):
    """The names that the program imports, in their order; `from a import b` may want a.b. A script is in no package:
    its relative imports are left out, since they fail."""
    found = [(package, [])] if package else []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, name)
        nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
        for node in sorted(nodes, key=lambda n: (n.lineno, n.col_offset)):
            if isinstance(node, ast.Import):
                found += [(one.name, []) for one in node.names]
            elif package or not node.level:
                module = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
                found.append((module, [one.name for one in node.names if one.name != "*"]))
    except (SyntaxError, ValueError, RecursionError, ImportError) as e:
        raise Unreadable("%s: %s" % (name, " ".join(str(e).split())))
    return found


def bring(module, parts):
    """Carries out one import statement; None, or why it failed in one line."""
    try:
        whole = importlib.import_module(module)
        for part in parts:
            if not hasattr(whole, part):
                importlib.import_module(module + "." + part)
    except BaseException as e:  # SystemExit of a module, too
        return reason(e)
    return None


def rows(said):
    """{path: (its runtime's name or None where it is linked into it, the runtime's path)}; None for what is outside."""
    names = {one["path"]: one["name"] for one in said.runtimes}
    found = {one["path"]: (names.get(one["runtime"]), one["runtime"]) for one in said.libraries}
    found.update({path: None for path in said.outside})
    return found


def lines(before, after):
    """What is to be said of the libraries that are new: a line for those of a kind, which names some of them."""
    groups = {}
    for path, serving in after.items():
        if path not in before:
            kind = OUTSIDE if serving is None else serving[0] or ITS_OWN
            groups.setdefault(kind, []).append(path)
    for runtime, paths in groups.items():
        named = ", ".join(paths[:SHOWN]) + (" and %d more" % (len(paths) - SHOWN) if len(paths) > SHOWN else "")
        if runtime is OUTSIDE:
            yield texts.own_threads(named)
        elif runtime is ITS_OWN:
            yield texts.own_runtime(named)
        else:
            yield texts.served_by(named, runtime)


def examine(words, out):
    """Writes the lines; whether ghc-openmp serves all that calls OpenMP."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, first_folder(words))
    name, text, package = source(words)
    statements = modules(text, name, package)
    sys.argv = [name] + words[2 if words[0] in ("-m", "-c") else 1 :]
    before = {}
    for module, parts in statements:
        failed = bring(module, parts)
        if failed:
            out(texts.import_fails(module, failed))
        after = rows(report())
        news = list(lines(before, after))
        before = after
        for line in news or ([] if failed else [texts.brings_nothing()]):
            out("import %s: %s" % (module, line))
    said = report()
    for one in said.runtimes:
        if not one["serves"] and one["name"] != "ghc-openmp":
            out(texts.idle_runtime(one["path"], one["name"]))
    others = [path for path, serving in before.items() if serving is not None and serving[0] != "ghc-openmp"]
    if others:
        out(texts.not_served(name, str(len(others))))
    elif any(before.values()):
        out(texts.serves(name, next(one["path"] for one in said.runtimes if one["name"] == "ghc-openmp")))
    else:
        out("%s: %s" % (name, texts.imports_none()))
    return not others


def main():
    # What modules print when they are imported is none of the lines.
    own = os.dup(1)
    os.dup2(2, 1)
    with open(own, "w", encoding=sys.getfilesystemencoding(), errors="surrogateescape") as stream:
        try:
            served = examine(sys.argv[1:], lambda line: say(line, stream))
        except Unreadable as e:
            say("ghc-openmp: doctor: %s" % e, sys.stderr)
            served = None
    sys.stdout.flush()
    sys.stderr.flush()
    # Without the exits of what was imported: some wait for threads.
    os._exit(2 if served is None else 0 if served else 1)
