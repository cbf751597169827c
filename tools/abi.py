#!/usr/bin/env python3
"""The ABI table: generates what follows from cbits/abi/abi.tsv, and checks the built objects against it.

    tools/abi.py gen      write the version script, the prototypes, symver.h, the link anchor, the Cabal
                          file's generated blocks and docs/reference/coverage.md
    tools/abi.py check    exit 1 when a generated file is stale, an object exports something else than the
                          table says, or a done row has no test (--tests-later: only warn about the tests)
    tools/abi.py tests    fill in the empty test cells of done rows from the tests that name their symbol
    tools/abi.py list     print rows: --status, --group, --object, --node select; --names prints the
                          symbols alone

A row is one symbol at one version node. `planned` rows are in no generated C file and must not be
exported: a program that needs one gets the loader's own message instead of a function that does nothing.
"""

import argparse
import collections
import difflib
import fnmatch
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLE = "cbits/abi/abi.tsv"
LEFT_OUT = "cbits/abi/left-out.tsv"  # what the libraries export and no compiled code needs, with the reasons
SELECT = ["status", "group", "object", "node"]  # the columns that `list` selects by
COLUMNS = ["symbol", "node", "default", "group", "status", "object", "prototype", "test"]
GROUPS = ["parallel", "loop", "sections", "single", "sync", "ordered", "doacross", "cancel", "teams", "task",
          "target", "alloc", "lock", "icv", "affinity", "device", "interop", "misc"]

# The one version node of libomp, which clang's and flang's programs are linked against. Functions that libgomp has,
# too, are one function at two nodes: a row at this node beside a row at one of libgomp's is an *alias*.
LIBOMP_NODE = "VERSION"

# Every version node of libgomp, each list chained: a node's parent is the one before it. All of them are in
# the map, those of OpenACC and of the offload plugins too, because the loader refuses an object that lacks a
# node that a program was linked against, even when the program uses no symbol of it.
CHAINS = [
    ["OMP_1.0", "OMP_2.0", "OMP_3.0", "OMP_3.1", "OMP_4.0", "OMP_4.5", "OMP_5.0", "OMP_5.0.1", "OMP_5.0.2",
     "OMP_5.1", "OMP_5.1.1", "OMP_5.2", "OMP_6.0", "OMP_6.1"],
    ["GOMP_1.0", "GOMP_2.0", "GOMP_3.0", "GOMP_4.0", "GOMP_4.0.1", "GOMP_4.5", "GOMP_5.0", "GOMP_5.0.1",
     "GOMP_5.1", "GOMP_5.1.1", "GOMP_5.1.2", "GOMP_5.1.3", "GOMP_6.0", "GOMP_6.0.1", "GOMP_6.0.2"],
    ["OACC_2.0", "OACC_2.0.1", "OACC_2.5", "OACC_2.5.1", "OACC_2.6", "OACC_2.6.1"],
    ["GOACC_2.0", "GOACC_2.0.1", "GOACC_2.0.2", "GOACC_2.5"],
    ["GOMP_PLUGIN_1.0", "GOMP_PLUGIN_1.1", "GOMP_PLUGIN_1.2", "GOMP_PLUGIN_1.3", "GOMP_PLUGIN_1.4"],
    [LIBOMP_NODE],
]
OWN_NODE = "GHCOMP_1.0"
NODES = [node for chain in CHAINS for node in chain]

# Exported by the Haskell library for the drop-in to find; not part of the shared objects made here.
HOST_TABLE = "ghcomp_host_table"
ANCHOR = "ghcomp_link_anchor"

PUBLIC_HEADER = "cbits/include/ghcomp.h"
CABAL = "ghc-openmp.cabal"
BUILD = os.environ.get("BUILD", "build")
OBJECTS = [os.path.join(BUILD, "dropin/libgomp.so.1"), os.path.join(BUILD, "lib/libghcomp.so")]

Row = collections.namedtuple("Row", COLUMNS)


class TableError(Exception):
    """The table itself is wrong; the message names the line."""


def path(name):
    return os.path.join(ROOT, name)


def read(name):
    with open(path(name), encoding="utf-8") as handle:
        return handle.read()


def parse_table(text):
    lines = text.splitlines()
    if not lines or lines[0].split("\t") != COLUMNS:
        raise TableError("%s:1: the header must be: %s" % (TABLE, " ".join(COLUMNS)))
    rows = []
    seen = set()
    for number, line in enumerate(lines[1:], 2):
        def fail(message):
            raise TableError("%s:%d: %s" % (TABLE, number, message))
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            fail("%d cells, not %d" % (len(cells), len(COLUMNS)))
        row = Row(*cells)
        if row.node not in NODES:
            fail("unknown version node %s" % row.node)
        if row.default not in ("yes", "no"):
            fail("default must be yes or no, not %r" % row.default)
        if row.group not in GROUPS:
            fail("unknown group %s" % row.group)
        if row.status not in ("done", "planned"):
            fail("status must be done or planned, not %r" % row.status)
        if not re.search(r"(^|[ *])%s(\(|$)" % re.escape(row.symbol), row.prototype):
            fail("the prototype does not declare %s" % row.symbol)
        if (row.symbol, row.node) in seen:
            fail("%s@%s appears twice" % (row.symbol, row.node))
        if row.status == "planned" and row.test:
            fail("%s is planned but names a test" % row.symbol)
        seen.add((row.symbol, row.node))
        rows.append(row)
    defaults = collections.Counter(row.symbol for row in rows if row.default == "yes")
    for row in rows:
        if defaults[row.symbol] != 1:
            raise TableError("%s: %s has %d default versions, not one" % (
                TABLE, row.symbol, defaults[row.symbol]))
    return rows


def load():
    return parse_table(read(TABLE))


def left_out():
    """Rows of (symbols, whose they are, reason); a symbol may be a pattern."""
    lines = read(LEFT_OUT).splitlines()
    rows = [line.split("\t") for line in lines[1:]]
    for number, row in enumerate(rows, 2):
        if len(row) != 3 or not all(row):
            raise TableError("%s:%d: want symbols, whose they are and a reason" % (LEFT_OUT, number))
    return rows


def done(rows):
    return [row for row in rows if row.status == "done"]


def is_alias(row):
    """A function of libgomp's under libomp's version, unless libomp's code has a function of its own for it."""
    return row.node == LIBOMP_NODE and row.default == "no" and not row.object.startswith("kmp/")


def is_data(row):
    """A constant, which old programs copy: its C name is another one, since omp.h's names are enumerators."""
    return "(" not in row.prototype


def versioned(rows):
    """The symbols with more than one function behind them: bound by .symver instead of by the map."""
    count = collections.Counter(row.symbol for row in rows if not is_alias(row))
    return {symbol for symbol, n in count.items() if n > 1}


def aliased(rows):
    """The symbols that have one function behind them, which an alias gives a second version. GNU ld drops the first
    version when the object defines the bare name, so that .symver binds both (GHCOMP_BODY in abi.h)."""
    twice = versioned(rows)
    return {row.symbol for row in done(rows) if is_alias(row) and row.symbol not in twice}


def body_name(row):
    """The C function behind one version: omp_init_lock@OMP_1.0 is ghcomp_omp_init_lock_10."""
    if row.node == LIBOMP_NODE:
        return "ghcomp_%s_kmp" % row.symbol
    return "ghcomp_%s_%s" % (row.symbol, row.node.split("_")[1].replace(".", ""))


def public_names():
    """The names that ghcomp.h marks GHCOMP_API: the only ones that the project adds."""
    if not os.path.exists(path(PUBLIC_HEADER)):
        return []
    comments_and_macros = r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*(?:\\\n[^\n]*)*"
    text = re.sub(comments_and_macros, "", read(PUBLIC_HEADER), flags=re.S | re.M)
    return sorted(set(re.findall(r"\bGHCOMP_API\b[^;{(]*?\b(ghcomp_\w+)\s*\(", text)))


def tree(folder, suffix):
    """Files below a folder, as sorted paths relative to the root."""
    found = []
    for base, folders, files in os.walk(path(folder)):
        folders.sort()
        found += [os.path.relpath(os.path.join(base, name), ROOT) for name in files if name.endswith(suffix)]
    return sorted(found)


def abi_objects():
    """The abi files that say GHCOMP_ABI_OBJECT, by the name they give."""
    names = []
    for source in tree("cbits/abi", ".c"):
        names += re.findall(r"^GHCOMP_ABI_OBJECT\((\w+)\)", read(source), flags=re.M)
    return sorted(names)


# ---- generated texts

NOTE = "Generated by tools/abi.py from cbits/abi/abi.tsv: edit the table, then run `make gen`."


def gen_map(rows):
    by_node = collections.defaultdict(list)
    for row in done(rows):
        if not is_alias(row):
            by_node[row.node].append(row.symbol)
    out = ["/* %s" % NOTE,
           " * A node without symbols is there because the loader looks for it, see tools/abi.py. */", ""]
    # A symbol with two functions behind it is listed at both nodes although .symver binds it: every linker takes
    # it so (test/abi/linkers.sh). An alias is not listed: its bare name belongs to the default's node.
    for chain in CHAINS:
        parent = ""
        for node in chain:
            names = by_node[node]
            out.append("%s {" % node)
            if names:
                out.append("  global:")
                out += ["    %s;" % name for name in sorted(names)]
            if node == CHAINS[0][0]:
                out += ["  local:", "    *;"]
            out.append("}%s;" % parent)
            out.append("")
            parent = " " + node
    out.append("%s {" % OWN_NODE)
    names = public_names()
    if names:
        out.append("  global:")
        out += ["    %s;" % name for name in names]
    out += ["};", ""]
    return "\n".join(out)


def wrap_prototype(text, width=110):
    if len(text) <= width:
        return text
    lines, line = [], ""
    for piece in text.split(", "):
        candidate = piece if not line else line + ", " + piece
        if line and len(candidate) > width - 1:
            lines.append(line + ",")
            line = "    " + piece
        else:
            line = candidate
    # One long parameter: the assembler's name goes to the next line.
    if len(line) > width and " GHCOMP_BODY" in line:
        line = line.replace(" GHCOMP_BODY", "\n    GHCOMP_BODY")
    return "\n".join(lines + [line])


def gen_prototypes(rows):
    twice, hidden = versioned(rows), aliased(rows)
    out = ["/* %s" % NOTE,
           " * Included through abi/abi.h. A symbol with two versions is declared as the two functions",
           " * behind it, see symver.h. */",
           "#pragma once", "", "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    by_object = collections.OrderedDict()
    for row in sorted(done(rows), key=lambda r: r.object):
        by_object.setdefault(row.object, []).append(row)
    for name, members in by_object.items():
        out += ["", "/* %s */" % name]
        for row in members:
            if is_alias(row):
                continue
            text = row.prototype
            if is_data(row):
                own = 'ghcomp_data_%s __asm__("%s")' % (row.symbol, row.symbol)
                text = "extern " + re.sub(r"\b%s$" % row.symbol, own, text)
            if row.symbol in twice:
                text = re.sub(r"\b%s\(" % row.symbol, body_name(row) + "(", text)
            if row.symbol in hidden:
                text += " GHCOMP_BODY(%s)" % row.symbol
            out.append(wrap_prototype("GHCOMP_EXPORT %s;" % text))
    out += ["", "#ifdef __cplusplus", "}", "#endif", ""]
    return "\n".join(out)


def gen_symver(rows):
    twice, hidden = versioned(rows), aliased(rows)
    default = {row.symbol: row for row in done(rows) if row.default == "yes"}
    by_object = collections.OrderedDict()
    for row in sorted(done(rows), key=lambda r: r.object):
        lines = by_object.setdefault(row.object, [])
        bound = (row.symbol, row.node)
        if is_alias(row) and row.symbol in twice:
            lines.append("    GHCOMP_SYMVER_SECOND(%s, %s, \"%s\")" % (body_name(default[row.symbol]), *bound))
        elif is_alias(row):
            lines.append("    GHCOMP_SYMVER_ALIAS(%s, \"%s\")" % bound)
        elif row.symbol in hidden:
            lines.append("    GHCOMP_SYMVER_BODY(%s, \"%s\")" % bound)
        elif row.symbol in twice:
            lines.append("    GHCOMP_SYMVER_%s(%s, %s, \"%s\")" % (
                "DEFAULT" if row.default == "yes" else "HIDDEN", body_name(row), *bound))
    out = ["/* %s" % NOTE,
           " * Binds the functions behind symbols that have two versions. GHCOMP_ABI_OBJECT has the macro that is",
           " * named after the file. With GHCOMP_VERSIONED (the shared objects that the version script makes) both",
           " * versions are bound; in an archive, or in the Haskell library, which have no version nodes, the",
           " * default one takes the bare name. */",
           "#pragma once", "",
           "#ifdef GHCOMP_VERSIONED",
           "#define GHCOMP_SYMVER_DEFAULT(body, symbol, node) \\",
           "    __asm__(\".symver \" #body \", \" #symbol \"@@\" node);",
           "#define GHCOMP_SYMVER_HIDDEN(body, symbol, node) \\",
           "    __asm__(\".symver \" #body \", \" #symbol \"@\" node);",
           "#define GHCOMP_SYMVER_SECOND(body, symbol, node) \\",
           "    extern __typeof__(body) ghcomp_alias_##symbol \\",
           "        __attribute__((alias(#body), visibility(\"default\"))); \\",
           "    GHCOMP_SYMVER_HIDDEN(ghcomp_alias_##symbol, symbol, node)",
           "#define GHCOMP_SYMVER_BODY(symbol, node) GHCOMP_SYMVER_DEFAULT(ghcomp_body_##symbol, symbol, node)",
           "#define GHCOMP_SYMVER_ALIAS(symbol, node) \\",
           "    extern __typeof__(symbol) ghcomp_alias_##symbol \\",
           "        __attribute__((alias(\"ghcomp_body_\" #symbol), visibility(\"default\"))); \\",
           "    GHCOMP_SYMVER_HIDDEN(ghcomp_alias_##symbol, symbol, node)",
           "#else",
           "#define GHCOMP_SYMVER_DEFAULT(body, symbol, node) \\",
           "    extern __typeof__(body) symbol __attribute__((alias(#body), visibility(\"default\")));",
           "#define GHCOMP_SYMVER_HIDDEN(body, symbol, node)",
           "#define GHCOMP_SYMVER_SECOND(body, symbol, node)",
           "#define GHCOMP_SYMVER_BODY(symbol, node)",
           "#define GHCOMP_SYMVER_ALIAS(symbol, node)",
           "#endif"]
    others = {name + ".c" for name in abi_objects()} - {os.path.basename(name) for name in by_object}
    for name in sorted(others):
        by_object[name] = []
    for name, lines in by_object.items():
        out += ["", " \\\n".join(["#define GHCOMP_SYMVERS_%s" % object_name(name)] + lines)]
    out.append("")
    return "\n".join(out)


def object_name(source):
    return os.path.splitext(os.path.basename(source))[0]


def gen_anchor(_rows):
    names = abi_objects()
    out = ["/* Generated by tools/abi.py from the files of cbits/abi/ that say GHCOMP_ABI_OBJECT: run `make",
           " * gen`. The linker option -u %s pulls this object out of a static archive, and with" % ANCHOR,
           " * it every abi object. The names in it are private to the project, so that no other library can",
           " * satisfy them. */",
           "#include \"abi/abi.h\"", ""]
    out += ["extern const char ghcomp_abi_anchor_%s __attribute__((visibility(\"hidden\")));" % name
            for name in names]
    out += ["", "extern const void *const %s[];" % ANCHOR,
            "GHCOMP_EXPORT const void *const %s[] = {" % ANCHOR]
    out += ["    &ghcomp_abi_anchor_%s," % name for name in names]
    out += ["    0,", "};", ""]
    return "\n".join(out)


def in_library(source):
    """Of the C files below cbits/, companion.c is the companion's alone."""
    return source != "cbits/host/companion.c"


def cabal_blocks(rows):
    symbols = sorted({row.symbol for row in done(rows)}) + [HOST_TABLE] + public_names()
    options = ["-Wl,--no-as-needed", "-Wl,-u,%s" % ANCHOR]
    options += ["-Wl,--export-dynamic-symbol=%s" % name for name in symbols]
    headers = sorted(sum((tree("cbits", suffix) for suffix in (".h", ".in", ".map", ".tsv", ".def")), []))
    sources = [name for name in tree("cbits", ".c") if in_library(name)]
    return {"c-sources": sources, "cmm-sources": tree("cmm", ".cmm"), "ld-options": options, "headers": headers}


BEGIN = re.compile(r"^(\s*)-- BEGIN GENERATED (\S+)\s*$")
END = re.compile(r"^\s*-- END GENERATED (\S+)\s*$")


def gen_cabal(rows, text):
    """The Cabal file with its marked blocks filled in, each line indented as its BEGIN marker."""
    blocks = cabal_blocks(rows)
    out, inside = [], None
    for line in text.splitlines():
        begin, end = BEGIN.match(line), END.match(line)
        if begin:
            if inside or begin.group(2) not in blocks:
                raise TableError("%s: unexpected marker: %s" % (CABAL, line.strip()))
            inside = begin.group(2)
            out.append(line)
            out += [begin.group(1) + item for item in blocks[inside]]
        elif end:
            if end.group(1) != inside:
                raise TableError("%s: unexpected marker: %s" % (CABAL, line.strip()))
            inside = None
            out.append(line)
        elif not inside:
            out.append(line)
    if inside:
        raise TableError("%s: no END GENERATED %s" % (CABAL, inside))
    return "\n".join(out) + "\n"


def coverage_lines(rows):
    """A line of the table for each symbol, with all of its versions; the default one comes first."""
    symbols = collections.defaultdict(list)
    for row in sorted(rows, key=lambda r: (r.default != "yes", NODES.index(r.node))):
        symbols[row.symbol].append(row)
    for symbol, versions in sorted(symbols.items()):
        nodes = [row.node + (" (planned)" if row.status == "planned" else "") for row in versions]
        tests = sorted({row.test for row in versions if row.test})
        shown = ["[%s](../../%s)" % (re.sub(r"^test/", "", test), test) for test in tests]
        yield "| `%s` | %s | %s |" % (symbol, ", ".join(nodes), ", ".join(shown))


def gen_coverage(rows):
    out = ["# What of libgomp's and libomp's interfaces is there", "", "<!-- %s -->" % NOTE, "",
           "Every `GOMP_*`, `omp_*` and Fortran symbol that libgomp exports up to GCC 16, and those that",
           "GCC's next release adds; at the version `VERSION`, what clang's and flang's programs take from",
           "libomp, up to LLVM 24. A *planned* symbol is not exported: the loader names it when a program",
           "needs it. The numbers count versions; of a symbol with several the first is the default. The tests",
           "are in `test`. [What is left out](#left-out), and why, is at the end.", "",
           "| group | done | planned |", "|---|---:|---:|"]
    for group in GROUPS:
        counts = collections.Counter(row.status for row in rows if row.group == group)
        out.append("| [%s](#%s) | %d | %d |" % (group, group, counts["done"], counts["planned"]))
    counts = collections.Counter(row.status for row in rows)
    out += ["| **all** | **%d** | **%d** |" % (counts["done"], counts["planned"]), ""]
    for group in GROUPS:
        lines = list(coverage_lines([row for row in rows if row.group == group]))
        out += ["## %s" % group, "", "<details>", "<summary>%d symbols</summary>" % len(lines), "",
                "| symbol | version | test |", "|---|---|---|"] + lines + ["", "</details>", ""]
    out += ["## Left out", "", "| symbols | of | why |", "|---|---|---|"]
    for symbols, whose, reason in left_out():
        out.append("| %s | %s | %s |" % (re.sub(r"[\w*]*_[\w*]+", r"`\g<0>`", symbols), whose, reason))
    out.append("")
    return "\n".join(out)


def generated(rows):
    """(path, text) of every generated file; the Cabal file only when it exists."""
    files = [("cbits/abi/libgomp.map", gen_map(rows)),
             ("cbits/abi/prototypes.h", gen_prototypes(rows)),
             ("cbits/abi/symver.h", gen_symver(rows)),
             ("cbits/abi/anchor.c", gen_anchor(rows)),
             ("docs/reference/coverage.md", gen_coverage(rows))]
    if os.path.exists(path(CABAL)):
        files.append((CABAL, gen_cabal(rows, read(CABAL))))
    return files


def write_if_changed(name, text):
    if os.path.exists(path(name)) and read(name) == text:
        return False
    os.makedirs(os.path.dirname(path(name)) or ".", exist_ok=True)
    temporary = path(name) + ".new"
    with open(temporary, "w", encoding="utf-8") as handle:
        handle.write(text)
    os.replace(temporary, path(name))
    return True


def cmd_gen(_args):
    # The header list names generated headers, and the source list anchor.c: write those before the Cabal
    # file.
    for name in ("prototypes.h", "symver.h", "anchor.c", "libgomp.map"):
        name = "cbits/abi/" + name
        if not os.path.exists(path(name)):
            write_if_changed(name, "")
    for name, text in generated(load()):
        if write_if_changed(name, text):
            print("wrote %s" % name)
    if not os.path.exists(path(CABAL)):
        print("no %s here: its generated blocks are left out" % CABAL)
    return 0


# ---- check

def stale(rows):
    """A unified diff of every generated file that differs from what is committed."""
    diff = []
    for name, text in generated(rows):
        old = read(name) if os.path.exists(path(name)) else ""
        diff += difflib.unified_diff(old.splitlines(), text.splitlines(), name, name + " (regenerated)",
                                     lineterm="")
    return diff


def readelf(*args):
    return subprocess.run(["readelf", "-W", *args], check=True, stdout=subprocess.PIPE,
                          universal_newlines=True).stdout


def exports(name):
    """{(symbol, node): is_default} of an object's defined dynamic symbols; node is '' when unversioned."""
    found = {}
    for line in readelf("--dyn-syms", path(name)).splitlines():
        cells = line.split()
        if len(cells) < 8 or not cells[0].rstrip(":").isdigit() or cells[6] == "UND" or cells[4] == "LOCAL":
            continue
        symbol, at, node = cells[7].partition("@")
        is_default = node.startswith("@")
        node = node.lstrip("@")
        if cells[6] == "ABS" and symbol in NODES + [OWN_NODE]:
            continue  # a linker's own symbol for a version node
        found[(symbol, node)] = is_default if at else True
    return found


def definitions(name):
    """{node: parent or ''} of a shared object's version definitions."""
    text = readelf("-V", path(name))
    section = re.search(r"Version definition section.*?\n\n", text + "\n\n", flags=re.S)
    nodes, last = {}, None
    for line in section.group(0).splitlines() if section else []:
        match = re.search(r"Flags: (\S+) .*Name: (\S+)", line)
        parent = re.search(r"Parent \d+: (\S+)", line)
        if match:
            last = match.group(2) if match.group(1) != "BASE" else None
            if last:
                nodes[last] = ""
        elif parent and last:
            nodes[last] = parent.group(1)
    return nodes


def check_object(name, rows):
    problems = []
    want = {(row.symbol, row.node): row.default == "yes" for row in done(rows)}
    want.update({(symbol, OWN_NODE): True for symbol in public_names()})
    have = exports(name)
    for key in sorted(set(want) - set(have)):
        problems.append("%s: does not export %s@%s" % (name, *key))
    for key in sorted(set(have) - set(want)):
        problems.append("%s: exports %s, which is no done row" % (name, "@".join(filter(None, key))))
    for key in sorted(set(have) & set(want)):
        if have[key] != want[key]:
            problems.append("%s: %s@%s is %sthe default version" % (name, *key, "" if have[key] else "not "))
    nodes = definitions(name)
    for chain in CHAINS + [[OWN_NODE]]:
        for node, parent in zip(chain, [""] + chain):
            if node not in nodes:
                problems.append("%s: version node %s is missing" % (name, node))
            elif nodes[node] not in ("", parent):  # lld writes no parents, and the loader reads none
                problems.append("%s: version node %s has parent %r, not %r" % (
                    name, node, nodes[node], parent))
    return problems


def names_symbol(test, text, symbol):
    """Does a test's text name the symbol? A Fortran test names omp_get_level_ as omp_get_level; an entry that
    the compiler calls is named in a comment line `symbols: GOMP_parallel ...`, where `NAME_*` stands for all entries
    of that beginning: for tests whose macros make the names."""
    if re.search(r"\b%s\b" % re.escape(symbol), text):
        return True
    patterns = " ".join(re.findall(r"symbols:([^\n]*\*[^\n]*)", text)).split()
    if any(fnmatch.fnmatchcase(symbol, pattern) for pattern in patterns if "*" in pattern[1:]):
        return True
    base = re.sub(r"(_8)?_$", "", symbol)
    fortran = test.endswith((".f90", ".f", ".F90"))
    # A _8_ entry is what the compiler takes for 8-byte integers: the name alone does not show that.
    return fortran and symbol == base + "_" and re.search(r"\b%s\b" % re.escape(base), text, re.I) is not None


def find_tests(rows):
    """{(symbol, node): test} for done rows whose cell is empty: the first file that names the symbol; those
    that list it in a `symbols:` line come before those that only mention it."""
    tests = [name for suffix in (".c", ".cc", ".f90", ".py", ".sh") for name in tree("test", suffix)]
    # The scripts of test/abi handle names as data, and test/suites is not written by symbol.
    tests = sorted(name for name in tests if not name.startswith(("test/abi/", "test/suites/")))
    texts = [(name, read(name)) for name in tests]
    listed = [(name, " ".join(re.findall(r"symbols:([^\n]*)", text))) for name, text in texts]
    found = {}
    for row in done(rows):
        if not row.test:
            hits = [name for name, text in listed + texts if names_symbol(name, text, row.symbol)]
            if hits:
                found[row.symbol, row.node] = hits[0]
    return found


def cmd_tests(_args):
    rows = load()
    found = find_tests(rows)
    filled = [row._replace(test=found.get((row.symbol, row.node), row.test)) for row in rows]
    text = "\n".join("\t".join(cells) for cells in [COLUMNS] + [list(row) for row in filled]) + "\n"
    write_if_changed(TABLE, text)
    left = [row.symbol for row in done(filled) if not row.test]
    print("%d rows filled in, %d done rows still without a test%s" % (
        len(found), len(left), ": " + " ".join(left) if left else ""))
    return cmd_gen(_args)


def test_text(test):
    """The test with what it includes from its own folder."""
    text, folder = read(test), os.path.dirname(test)
    for name in re.findall(r'^#include "([^"]+)"', text, re.M):
        included = os.path.join(folder, name)
        if os.path.isfile(path(included)):
            text += read(included)
    return text


def check_tests(rows):
    problems, texts = [], {}
    for row in done(rows):
        where = "%s@%s" % (row.symbol, row.node)
        if not row.test:
            problems.append("%s is done but names no test" % where)
            continue
        if row.test not in texts:
            texts[row.test] = test_text(row.test) if os.path.isfile(path(row.test)) else None
        if texts[row.test] is None:
            problems.append("%s: its test %s does not exist" % (where, row.test))
        elif not names_symbol(row.test, texts[row.test], row.symbol):
            problems.append("%s: its test %s does not name it" % (where, row.test))
    return problems


def check_sources(rows):
    problems = []
    names = abi_objects()
    for name in sorted({row.object for row in done(rows)}):
        if not os.path.exists(path("cbits/abi/" + name)):
            problems.append("cbits/abi/%s, which carries done rows, does not exist" % name)
        elif object_name(name) not in names:
            problems.append("cbits/abi/%s has no GHCOMP_ABI_OBJECT(%s);" % (name, object_name(name)))
    return problems


def check_left_out(rows):
    """What is left out is not in the table."""
    served = {row.symbol for row in rows}
    return ["%s: %s is in %s, too" % (LEFT_OUT, name, TABLE)
            for symbols, _, _ in left_out() for pattern in re.findall(r"[\w*]*_[\w*]+", symbols)
            for name in fnmatch.filter(served, pattern)]


def cmd_check(args):
    rows = load()
    diff = stale(rows)
    for line in diff[:200]:
        print(line)
    problems, warnings = [], []
    if diff:
        problems.append("generated files are stale: run `make gen` and commit what it writes")
    problems += check_sources(rows) + check_left_out(rows)
    built = args.objects or [name for name in OBJECTS if os.path.exists(path(name))]
    for name in built:
        problems += check_object(name, rows)
    (warnings if args.tests_later else problems).extend(check_tests(rows))
    for kind, messages in (("warning: ", warnings), ("", problems)):
        for message in messages[:args.most]:
            print("abi: %s%s" % (kind, message))
        if len(messages) > args.most:
            print("abi: %sand %d more like these" % (kind, len(messages) - args.most))
    print("abi: %d done, %d planned; objects checked: %s" % (
        len(done(rows)), len(rows) - len(done(rows)), ", ".join(built) or "none built"))
    return 1 if problems else 0


def cmd_list(args):
    wanted = {column: getattr(args, column) for column in SELECT if getattr(args, column) is not None}
    for row in load():
        if all(getattr(row, column) == want for column, want in wanted.items()):
            sign = "@@" if row.default == "yes" else "@"
            print(row.symbol if args.names else "%s%s%s\t%s\t%s\t%s" % (
                row.symbol, sign, row.node, row.status, row.object, row.prototype))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("gen").set_defaults(run=cmd_gen)
    check = commands.add_parser("check")
    check.add_argument("--tests-later", action="store_true", help="only warn when a done row has no test")
    check.add_argument("--most", type=int, default=20, help="print at most this many problems")
    check.add_argument("objects", nargs="*", help="shared objects to check instead of the built ones")
    check.set_defaults(run=cmd_check)
    commands.add_parser("tests").set_defaults(run=cmd_tests)
    lister = commands.add_parser("list")
    for option in SELECT:
        lister.add_argument("--" + option)
    lister.add_argument("--names", action="store_true")
    lister.set_defaults(run=cmd_list)
    args = parser.parse_args()
    try:
        return args.run(args)
    except (TableError, OSError, subprocess.CalledProcessError) as error:
        print("abi: %s" % error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
