#!/usr/bin/env python3
"""The examples (>>>) in the Haddock comments of src/.

    examples.py check           says which exports have no example; an exit status of 1 when there are such
    examples.py write FOLDER    writes a module for each module with examples, for doctest, and prints their paths

Doctest would load the sources into GHCi. There they are not the library: modules with primitives in Cmm can't be
interpreted, and what a module keeps for the process (a foreign export, a global variable) would be there twice. So
doctest gets modules that only import the library and have the comments, in the same lines. An example can use what its
own module exports, OpenMP in modules below that, and for an internal module the modules that import it for users.

An export has an example when one names it that stands in the module that exports or defines it; a type also when the
example names one of its constructors, fields or methods, or stands in the type's own comment. Whether each export has
a comment at all, haddock counts (haddock.sh).

Covered by test/scripts/examples_test.py. Called by doctests.sh.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NAME = r"[\w']+"


class BadComment(Exception):
    pass


class Module:
    """A module's name, text, export list and comments."""

    def __init__(self, path, text):
        self.path, self.lines = path, text.split("\n")
        code = re.sub(r"\{-.*?-\}", "", text, flags=re.S)
        code = re.sub(r"(?<![^\s(,])-{2,}(?=[\s|^$*]|$).*$", "", code, flags=re.M)
        self.code = code
        header = re.search(r"^module\s+([\w.]+)\s*(\(.*?\)\s*)?where\b", code, re.S | re.M)
        if header is None:
            raise BadComment("%s: no module header" % path)
        self.name = header.group(1)
        self.exports = parse_exports(header.group(2) or "")
        self.internal = "Internal" in self.name.split(".")
        self.blocks = list(blocks(path, self.lines))
        self.examples = "\n".join(code for _, comment in self.blocks for code in interactions(comment))

    def imports(self, other):
        return re.search(r"^import\s+(qualified\s+)?%s\b(?!\.)" % re.escape(other), self.code, re.M) is not None

    def defines(self, name):
        """The place in the code, and for a type what it consists of; None when it is not defined here."""
        if name[0].isupper() or name[0] == ":":
            head = r"^(?:data|newtype|class|type|pattern)\b(?:.*=>)?[^=\n]*?"
            match = re.search(head + r"(?<![\w'])%s(?![\w'])" % re.escape(name), self.code, re.M)
        else:
            word = re.escape(name if re.match(NAME, name) else "(%s)" % name)
            match = re.search(r"^(?:foreign import[^\n]*\s|(?:[\w', ]+,\s*)?)%s\s*(?:,[\w', ]+)?::" % word,
                              self.code, re.M)
        return match

    def parts(self, name):
        """Constructors, fields and methods of the type or class of this name."""
        match = self.defines(name)
        if match is None:
            return set()
        body = re.split(r"\n(?=\S)|\bderiving\b", self.code[match.start():], maxsplit=1)[0]
        return set(re.findall(r"[=|{,]\s*(%s)" % NAME, body)) | set(re.findall(r"\n\s+(%s)\s*::" % NAME, body))

    def own_comment_has_example(self, name):
        for number, line in enumerate(self.lines):
            if re.match(r"(data|newtype|class|type)\b(.*=>)?[^=]*\b%s(?![\w'])" % re.escape(name), line):
                above = [comment for last, comment in self.blocks if last == number - 1]
                if any(interactions(comment) for comment in above):
                    return True
        return False


def parse_exports(text):
    """The names in an export list, `module X` as it is; a type with its parts is the type's name."""
    items, depth, item = [], 0, ""
    for char in text.strip()[1:-1] + ",":
        if char == "," and depth == 0:
            items.append(" ".join(item.split()))
            item = ""
            continue
        depth += {"(": 1, ")": -1}.get(char, 0)
        item += char
    names = []
    for item in filter(None, items):
        if item.startswith("module "):
            names.append(item)
            continue
        item = re.sub(r"^(type|pattern) ", "", item)
        operator = re.match(r"\(([^\w\s()]+)\)", item)
        names.append(operator.group(1) if operator else re.split(r"[\s(]", item)[0])
    return names


def blocks(path, lines):
    """Comments of whole lines: the number of the last line, and the lines without their dashes."""
    comment = []
    for number, line in enumerate(lines + [""]):
        match = re.match(r"\s*--(?:\s(.*))?$", line)
        if match:
            comment.append(match.group(1) or "")
            continue
        if re.match(r"\s*>>>\s|.*--.*\s>>>\s", line):
            raise BadComment("%s:%d: an example must stand in lines of its own" % (path, number + 1))
        if comment:
            yield number - 1, comment
        comment = []


def interactions(comment):
    """What the examples of a comment type, line by line."""
    typed, open_block = [], False
    for line in comment:
        match = re.match(r"\s*>>>\s?(.*)", line)
        if match:
            typed.append(match.group(1))
            open_block = match.group(1).strip() == ":{" or (open_block and match.group(1).strip() != ":}")
        elif open_block:
            typed.append(line)
            open_block = line.strip() != ":}"
    return typed


def modules():
    found = []
    for base, _, files in os.walk(os.path.join(ROOT, "src")):
        for name in files:
            if name.endswith(".hs"):
                path = os.path.join(base, name)
                with open(path, encoding="utf-8") as file:
                    found.append(Module(os.path.relpath(path, ROOT), file.read()))
    return sorted(found, key=lambda module: module.name)


def names_of(module, others):
    """A module's exports, those of modules that it exports as a whole and that are not exposed to users included."""
    for name in module.exports:
        if not name.startswith("module "):
            yield name
            continue
        for other in others:
            if other.name == name[len("module "):] and other.internal:
                yield from names_of(other, others)


def mentions(text, name):
    bounds = (r"(?<![\w'])%s(?![\w'])" if re.match(NAME, name) else r"(?<![^\w\s()])%s(?![^\w\s()])") % re.escape(name)
    return re.search(bounds, text) is not None


def without_example(module, others):
    """The exports of a module that no example names."""
    missing = []
    for name in names_of(module, others):
        homes = [module] + [other for other in others if other is not module and other.defines(name)]
        wanted = {name}.union(*(home.parts(name) for home in homes)) if name[0].isupper() else {name}
        if any(mentions(home.examples, word) for home in homes for word in wanted):
            continue
        if not any(home.own_comment_has_example(name) for home in homes):
            missing.append(name)
    return missing


def check():
    found, failed, passed = modules(), 0, 0
    for module in found:
        if module.internal:
            continue
        missing = without_example(module, found)
        if missing:
            print("FAIL %s: no example for %s" % (module.name, ", ".join(missing)))
            failed += 1
        else:
            passed += 1
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return failed > 0


def for_doctest(module, others):
    """A module's comments with examples, each in its own lines, below what they may use."""
    used = [module.name]
    if module.name.startswith("OpenMP."):
        used.append("OpenMP")
    if module.internal:
        used += [other.name for other in others if not other.internal and other.imports(module.name)]
    imports = "; ".join("import %s" % name for name in sorted(set(used)))
    out = [""] * len(module.lines)
    for last, comment in module.blocks:
        if not interactions(comment):
            continue
        first = last - len(comment) + 1
        if ">>>" in comment[0]:
            raise BadComment("%s:%d: an example must not be in the comment's first line" % (module.path, first + 1))
        head = "$setup" if comment[0].strip() == "$setup" else "$line%d" % (first + 1)
        for number, line in enumerate([head] + comment[1:]):
            out[first + number] = ("-- " + line).rstrip()
    if out[0]:
        raise BadComment("%s:1: the first line must not belong to a comment with examples" % module.path)
    out[0] = "module Examples.%s where { %s" % (module.name, imports)
    return "\n".join(out) + "\n}\n"


def write(folder):
    found = modules()
    for module in found:
        if not module.examples:
            continue
        path = os.path.join(folder, "Examples", *module.name.split(".")) + ".hs"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(for_doctest(module, found))
        print(path)
    return False


def main(arguments):
    try:
        if arguments == ["check"]:
            return check()
        if len(arguments) == 2 and arguments[0] == "write":
            return write(arguments[1])
    except BadComment as problem:
        sys.exit("examples.py: %s" % problem)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
