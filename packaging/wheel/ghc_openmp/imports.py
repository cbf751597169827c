"""What each import of a Python program (SCRIPT, -m MODULE or -c CODE) brings, and which runtime serves that.

Its imports are carried out, one after the other, in a process that has the runtime; the program itself is not run.
After each one, lines say which of the libraries that it has loaded call an OpenMP runtime, and which, or have threads
of their own; then which runtimes are loaded and idle. Exit status 0: all that call OpenMP is served by ghc-openmp; 1:
a library is not; 2: there is nothing to read. `ghcomp doctor python` and `ghc-openmp doctor python` start main()
in the interpreter that they are asked about, which need not have this package.
"""

import ast
import importlib
import importlib.util
import os
import sys
import warnings

from . import texts
from .report import report


SHOWN = 2  # libraries that a line names
OUTSIDE, ITS_OWN = object(), object()


class Unreadable(Exception):
    """Why the program's imports are not known, in one line."""


def source(words):
    """(the name to call it by, its text, the folder that its imports see first)."""
    kind = words[0] if words else ""
    try:
        if kind == "-c" and len(words) > 1:
            return "-c", words[1], ""
        if kind == "-m" and len(words) > 1:
            found = importlib.util.find_spec(words[1])
            if found is not None and found.submodule_search_locations is not None:
                found = importlib.util.find_spec(words[1] + ".__main__")
            if found is None or not found.origin or not found.origin.endswith(".py"):
                raise Unreadable(texts.no_module(words[1]))
            with open(found.origin, "rb") as f:
                return words[1], f.read(), os.getcwd()
        if not kind or kind.startswith("-"):
            raise Unreadable(texts.no_script())
        with open(kind, "rb") as f:
            return kind, f.read(), os.path.dirname(os.path.realpath(kind))
    except (OSError, ImportError, ValueError) as e:
        raise Unreadable("%s: %s" % (words[-1], getattr(e, "strerror", None) or e))


def modules(text, name):
    """The names that the program imports, in their order, once; `from a import b` may want a.b."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, name)
    except (SyntaxError, ValueError, RecursionError) as e:
        raise Unreadable("%s: %s" % (name, " ".join(str(e).split())))
    found = []
    nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom))]
    for node in sorted(nodes, key=lambda n: (n.lineno, n.col_offset)):
        if isinstance(node, ast.Import):
            found += [(one.name, []) for one in node.names]
        elif not node.level:  # a relative one is part of a package, which another import has brought
            found.append((node.module, [one.name for one in node.names if one.name != "*"]))
    return found


def bring(module, parts):
    """Carries out one import statement; None, or why it failed in one line."""
    try:
        whole = importlib.import_module(module)
        for part in parts:
            if not hasattr(whole, part):
                importlib.import_module(module + "." + part)
    except BaseException as e:  # SystemExit of a module, too
        return " ".join(("%s: %s" % (type(e).__name__, e)).split())
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
    name, text, folder = source(words)
    statements = modules(text, name)
    sys.path[0] = folder
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

        def out(line):
            stream.write(" ".join(line.split("\n")) + "\n")
            stream.flush()

        try:
            served = examine(sys.argv[1:], out)
        except Unreadable as e:
            print("ghc-openmp: doctor: %s" % e, file=sys.stderr)
            served = None
    sys.stdout.flush()
    sys.stderr.flush()
    # Without the exits of what was imported: some wait for threads.
    os._exit(2 if served is None else 0 if served else 1)


if __name__ == "__main__":
    main()
