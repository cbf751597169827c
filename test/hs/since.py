#!/usr/bin/env python3
"""Since which version of the package an export is there: the `@since` line that ends its Haddock comment.

    since.py check           says which exports of the modules for users have no such line; then the exit status is 1
    since.py write VERSION   adds the lines that are missing

The comment is the one above the definition, in the module that exports the name or in one that it imports. What belongs
to a type or a class (constructors, fields, methods) is as old as its comment says. Called by haddock.sh; covered by
test/scripts/since_test.py.
"""
import re
import sys

import examples


def definition(module, name):
    """The number of the line at which a name's definition begins, or None."""
    if name[0].isupper() or name[0] == ":":
        start = r"^(?:data|newtype|class|type|pattern)\b(?:.*=>)?[^=\n]*?(?<![\w'])%s(?![\w'])" % re.escape(name)
    else:
        word = re.escape(name if re.match(examples.NAME, name) else "(%s)" % name)
        start = r"^(?:foreign import[^\n]*\s|(?:[\w', ]+,\s*)?)%s\s*(?:,[\w', ]+)?::" % word
    found = [m.start() for m in re.finditer(start, "\n".join(module.lines), re.M)]
    found = [at for at in found if not "\n".join(module.lines)[at:].startswith("type role")]
    return "\n".join(module.lines)[: found[0]].count("\n") if found else None


def home(module, name, others):
    """The module that defines a name, and the line; modules that are imported are looked at level by level."""
    level, seen = [module], {module.name}
    while level:
        for one in level:
            line = definition(one, name)
            if line is not None:
                return one, line
        level = [o for o in others if o.name not in seen and any(one.imports(o.name) for one in level)]
        seen.update(o.name for o in level)
    return None, None


def comments(module, others):
    """For each export its name, and its module with the comment's last line; None where there is no comment."""
    for name in examples.names_of(module, others):
        where, line = home(module, name, others)
        if where is None:
            continue  # of another package
        above = [block for last, block in where.blocks if last == line - 1]
        documented = above and re.match(r"\s*\|", above[0][0])
        yield name, where, line - 1 if documented else None, above[0] if documented else []


def missing(module, others):
    return [(name, where, last) for name, where, last, comment in comments(module, others)
            if not any(re.match(r"\s*@since \d+(\.\d+)+$", line) for line in comment)]


def check():
    found, failed, passed = examples.modules(), 0, 0
    for module in found:
        if module.internal:
            continue
        names = [name for name, _, _ in missing(module, found)]
        if names:
            print("FAIL %s: no `@since` for %s" % (module.name, ", ".join(names)))
            failed += 1
        else:
            passed += 1
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return failed > 0


def write(version):
    found, places = examples.modules(), {}
    for module in found:
        if module.internal:
            continue
        for name, where, last in missing(module, found):
            if last is None:
                print("%s: %s has no comment above its definition" % (where.path, name))
            else:
                places.setdefault(where.path, (where, set()))[1].add(last)
    for where, lines in places.values():
        for last in sorted(lines, reverse=True):
            indent = re.match(r"\s*", where.lines[last]).group()
            where.lines[last + 1: last + 1] = [indent + "--", indent + "-- @since " + version]
        with open(examples.os.path.join(examples.ROOT, where.path), "w", encoding="utf-8") as file:
            file.write("\n".join(where.lines))


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    if sys.argv[1:2] == ["write"] and len(sys.argv) == 3:
        sys.exit(write(sys.argv[2]))
    if sys.argv[1:] != ["check"]:
        sys.exit("usage: since.py check | write VERSION")
    sys.exit(check())
