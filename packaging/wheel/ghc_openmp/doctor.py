"""Would a program or a library run on the runtime, and if not, why: the verdict of `ghcomp doctor`, in Python.

It comes from files: the loader lists what it would load (--list, which runs nothing of them), and their symbols are
compared with the runtime's. That is the interpreter's loader, never one that a file names. What a program loads later
is not seen; report() sees it. The texts are the launcher's.
"""

import os
import re
import shutil
import stat
import subprocess
import sys

from . import runtime, texts
from .elf import LIBRARY, PROGRAM, Elf, ElfError
from .report import RUNTIME

PREFIXES = ("GOMP_", "omp_", "GOACC_", "acc_", "__kmpc_", "kmp_")
VALUED = ("-u", "--unset", "-C", "--chdir", "-a", "--argv0")  # env's options that take the next word
SHOWN = 5  # symbols that a line names
LISTING_S = 60


class Stops(Exception):
    """Why it would not run."""


class Foreign(Stops):
    """It runs, but never on this runtime."""


class Unread(Stops):
    """It may perhaps be executed, but not read, so that there is no verdict."""


def locate(name):
    """The path of a command as the shell finds it."""
    if "/" in name:
        if not os.path.exists(name):
            raise Stops(texts.no_file())
        return name
    found = shutil.which(name)
    if found is None:
        raise Stops(texts.no_command())
    return found


def _env_command(words):
    """env(1)'s words from its command on."""
    while words and (words[0].startswith("-") or "=" in words[0]):
        words = words[2 if words[0] in VALUED else 1:]
    return words


def _through_env(name, rest):
    """The command that env starts; env itself, where its options may change what the words say."""
    command = _env_command(rest)
    if not command:
        return name
    changed, quoted = rest[0].startswith("-"), re.search(r"['\"\\$]", " ".join(rest))
    return name if changed and (quoted or shutil.which(command[0]) is None) else command[0]


def _interpreter(path, depth=4):
    """The program that a script's #! line leads to, or the path itself."""
    if os.path.isdir(path):
        raise Stops(texts.is_folder())
    if not os.path.isfile(path):
        raise Stops("not a regular file")
    try:
        with open(path, "rb") as f:
            line = f.readline(512)
    except OSError as e:
        raise (Unread if isinstance(e, PermissionError) else Stops)("cannot be read: " + e.strerror)
    if not line.startswith(b"#!"):
        return path
    # As the kernel does: the carriage return of a line from DOS is a part of the name.
    words = [word for word in re.split(r"[ \t]+", os.fsdecode(line[2:].rstrip(b"\n"))) if word]
    if not words or not depth:
        raise Stops("its #! line names no interpreter")
    name = _through_env(words[0], words[1:]) if os.path.basename(words[0]) == "env" else words[0]
    try:
        found = locate(name)
    except Stops as e:
        raise Stops("the interpreter of its #! line, %s: %s" % (name, e))
    return _interpreter(found, depth - 1)


def _privileges(path):
    mode = os.stat(path)
    if mode.st_mode & stat.S_ISUID and mode.st_uid != os.getuid():
        raise Stops(texts.gains("setuid", "the bit"))
    if mode.st_mode & stat.S_ISGID and mode.st_gid != os.getgid():
        raise Stops(texts.gains("setgid", "the bit"))
    try:
        capable = os.getxattr(path, "security.capability") and os.getuid() != 0
    except OSError:
        return
    if capable:
        raise Stops(texts.gains("has file capabilities", "them"))


def _mentions(path):
    """A stripped static program still has libgomp's messages in it."""
    with open(path, "rb") as f:
        return re.search(rb"libgomp: |OMP_NUM_THREADS", f.read(64 << 20)) is not None


def listing(path):
    """([(name, path)] of what the loader would load with it and the runtime, [names that are not found])."""
    environment = dict(os.environ, **runtime.settings(os.environ))
    loader = Elf(sys.executable).interpreter
    try:
        done = subprocess.run([loader, "--list", os.path.abspath(path)], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=LISTING_S)
    except subprocess.TimeoutExpired:
        raise Stops("the loader does not end listing its libraries")
    found, missing = [], []
    for line in os.fsdecode(done.stdout).splitlines():
        match = re.match(r"\s*(\S+)(?: => (.*?))? \(0x[0-9a-f]+\)$", line)
        if match:
            found.append((match.group(1), runtime.plain(match.group(2) or match.group(1))))
        elif line.endswith("=> not found"):
            missing.append(line.split()[0])
    return found, missing


def _names(symbols):
    shown = sorted(name + ("@" + version if version else "") for name, version in symbols)
    more = " and %d more" % (len(shown) - SHOWN) if len(shown) > SHOWN else ""
    return ", ".join(shown[:SHOWN]) + more


def _wanted(users):
    """{(name, version)} of OpenMP that the files ask for and none of them has."""
    own = {s.name for e in users for s in e.symbols if s.defined}
    found = set()
    for one in users:
        for s in one.symbols:
            if s.defined or s.weak:
                continue
            if s.library:
                if re.match(r"libgomp|libomp(?!target)|libiomp5", s.library):
                    found.add((s.name, s.version))
            elif s.name.startswith(PREFIXES) and s.name not in own:
                found.add((s.name, None))
    return found


def _static(path, elf):
    names = {s.name for s in elf.static + elf.symbols if s.defined}
    if "ghcomp_link_anchor" in names:
        return [("note: ", texts.carried_static())]
    if "GOMP_parallel" in names or _mentions(path):
        raise Stops(texts.static_program())
    return [("none", texts.static_plain())]


def _judge(wanted, drop_in):
    offered = {(s.name, s.version) for s in drop_in.symbols if s.defined}
    served = offered | {(name, None) for name, _ in offered}
    accelerator = {w for w in wanted if w[0].startswith(("GOACC_", "acc_"))}
    plugins = {w for w in wanted if w[0].startswith("GOMP_PLUGIN_")}
    if accelerator:
        raise Stops(texts.open_acc(_names(accelerator)))
    if plugins:
        raise Stops(texts.plugin(_names(plugins)))
    if wanted - served:
        raise Stops(texts.lacking(_names(wanted - served)))


def _dynamic(path, elf):
    """Notes about a file that the loader loads, or Stops."""
    names = {s.name for s in elf.static + elf.symbols if s.defined}
    if "ghcomp_link_anchor" in names:
        return [("note: ", texts.carried())]
    if "GOMP_parallel" in names and not RUNTIME.match(os.path.basename(path)):
        raise Stops(texts.static_part())
    found, missing = listing(path)
    notes, users, asks = [("warning: ", texts.not_found(name, "a library of it")) for name in missing], [elf], False
    for name, file in found:
        if not os.path.isfile(file) or os.path.dirname(os.path.realpath(file)) == runtime.folder():
            continue
        if RUNTIME.match(os.path.basename(name)) or RUNTIME.match(os.path.basename(file)):
            kind = texts.libgomp_renamed() if "gomp" in name else texts.llvm_runtime()
            notes.append(("note: ", texts.idle_copy(os.path.basename(name), os.path.basename(path), kind)))
        else:
            users.append(Elf(file))
    asks = any(RUNTIME.match(name) for e in users for name in e.needed)
    wanted = _wanted(users)
    _judge(wanted, Elf(runtime.library()))
    return notes if wanted or asks else notes + [("none", texts.uses_none())]


def diagnose(name):
    """[(kind, text)]: kind is `note: `, `warning: `, or `none` where there is nothing to serve. Stops: it would not
    run."""
    path = locate(name)
    program = _interpreter(path)
    notes = [("note: ", texts.script_runs(program))] if program != path else []
    try:
        elf = Elf(program)
        if not elf.ours:
            raise Stops(texts.foreign_machine("ELF machine %d" % elf.machine))
        if elf.kind not in (PROGRAM, LIBRARY):
            raise Stops(texts.is_object())
        if elf.interpreter and "ld-linux" not in os.path.basename(elf.interpreter) and "libc.so.6" not in elf.needed:
            raise Foreign(texts.foreign_loader(elf.interpreter))
        if elf.interpreter or elf.pie or elf.kind == PROGRAM:
            _privileges(program)
        loaded = elf.interpreter or (elf.kind == LIBRARY and not elf.pie)
        return notes + (_dynamic(program, elf) if loaded else _static(program, elf))
    except ElfError as e:
        raise Stops(texts.is_text() if str(e) == "not an ELF file" else str(e))
