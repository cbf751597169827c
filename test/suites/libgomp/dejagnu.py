"""Reads the DejaGnu directives of libgomp's tests: what to compile, with which options, and what the run must
do.

Only what its testsuite uses on a machine without an offload device is here. An unknown directive or effective
target is an error, so that a newer suite is never silently misread. Called by suite.py beside it;
test/scripts/dejagnu_test.py is its test.
"""

import fnmatch
import os
import platform
import re

DIRECTIVE = re.compile(r"\{[ \t]+(dg-[-a-z]+)[ \t]+(.*)[ \t]+\}[^}]*$")
# Directives about the compiler's messages and dumps: they do not affect a run.
COMPILE_ONLY = {
    "dg-final",
    "dg-error",
    "dg-warning",
    "dg-bogus",
    "dg-prune-output",
    "dg-excess-errors",
    "dg-xfail-if",
    "dg-message",
    "dg-note",
    "dg-regexp",
    "dg-allow-blank-lines-in-output",
}


class DirectiveError(Exception):
    pass


def words(text):
    """Split as a Tcl list: braces group without substitution, double quotes with backslash substitution."""
    out, i, n = [], 0, len(text)
    while True:
        while i < n and text[i].isspace():
            i += 1
        if i >= n:
            return out
        if text[i] == "{":
            depth, start = 1, i + 1
            i += 1
            while i < n and depth:
                depth += {"{": 1, "}": -1}.get(text[i], 0)
                i += 2 if text[i] == "\\" else 1
            if depth:
                raise DirectiveError("unbalanced braces in `%s`" % text)
            out.append(text[start : i - 1])
        elif text[i] == '"':
            word, i = [], i + 1
            while i < n and text[i] != '"':
                if text[i] == "\\" and i + 1 < n:
                    word.append({"n": "\n", "t": "\t", "r": "\r"}.get(text[i + 1], text[i + 1]))
                    i += 2
                else:
                    word.append(text[i])
                    i += 1
            if i >= n:
                raise DirectiveError("unbalanced quotes in `%s`" % text)
            i += 1
            out.append("".join(word))
        else:
            start = i
            while i < n and not text[i].isspace():
                i += 1
            out.append(text[start:i])


def _cpu_flags():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as f:
            for line in f:
                if line.startswith("flags"):
                    return set(line.split(":", 1)[1].split())
    except OSError:
        pass
    return set()


class Target:
    """The machine as the suite's selectors see it: x86-64 Linux with no offload device."""

    TRIPLE = platform.machine() + "-pc-linux-gnu"

    def __init__(self, language, expensive=False):
        flags = _cpu_flags()
        true = {
            "tls",
            "tls_runtime",
            "shared",
            "fpic",
            "lto",
            "sync_int_long",
            "size32plus",
            "alias",
            "lp64",
            "large_long_double",
            "__float128",
            "fd_truncate",
            "vect_simd_clones",
            # The suite asks a program whether a target region sees the host's memory; on the host it does.
            "offload_device_shared_as",
            # from GCC 14 and 16 on
            "bitint",
            "exceptions",
            "fopenmp",
            "init_priority",
            "native",
            "nonstandard_math_functions",
            language,
        }
        false = {
            "ia32",
            "c",
            "c++",
            "fortran",
            "skip-all-targets",
            "offload_device",
            "offload_device_nonshared_as",
            "offload_device_nvptx",
            "offload_device_gcn",
            "offload_target_nvptx",
            "offload_target_amdgcn",
            "offload_device_any_intel_mic",
            "offload_device_intel_mic",
            "aarch64_tiny",
            # from GCC 14 and 16 on: devices, and the libraries that drive them
            "offloading_enabled",
            "offload_target_any",
            "offload_target_amdgcn_with_xnack",
            "omp_managedmem",
            "omp_usm",
            "openacc_cuda",
            "openacc_cudart",
            "openacc_cublas",
            "openacc_libcuda",
            "openacc_libcudart",
            "openacc_libcublas",
            "gomp_hip_header_amd",
            "gomp_hip_header_nvidia",
            "gomp_hipfort_module",
            "gomp_libamdhip64",
            "gomp_libhipblas",
        } - true
        self.known = dict.fromkeys(false, False)
        self.known.update(dict.fromkeys(true, True))
        self.known["run_expensive_tests"] = expensive
        self.known["avx_runtime"] = "avx" in flags
        self.known["sse2_runtime"] = "sse2" in flags

    def holds(self, text):
        """The value of a selector expression."""
        w = words(text)
        if not w:
            raise DirectiveError("empty selector")
        if w[0] == "!" and len(w) == 2:
            return not self.holds(w[1])
        if len(w) == 3 and w[1] in ("&&", "||"):
            left, right = self.holds(w[0]), self.holds(w[2])
            return (left and right) if w[1] == "&&" else (left or right)
        if len(w) > 1:
            return any(self.holds(x) for x in w)
        if w[0] != text.strip():
            return self.holds(w[0])
        word = w[0]
        if word.count("-") >= 2 and word not in self.known:
            return fnmatch.fnmatchcase(self.TRIPLE, word)
        if word not in self.known:
            raise DirectiveError("unknown effective target `%s`" % word)
        return self.known[word]

    def selected(self, text):
        """A `target ...` clause as it stands behind an option."""
        m = re.match(r"\s*target\s+(.*)$", text, re.DOTALL) or re.match(r"\s*target(\{.*)$", text, re.DOTALL)
        if not m:
            raise DirectiveError("not a target clause: `%s`" % text)
        return self.holds(m.group(1))


class Case:
    """What one test file asks for.  reason: why it is not a test to run here, or None."""

    def __init__(self):
        self.action = "run"
        self.reason = None
        self.options = None  # replaces the default options (C, C++) or follows the level (Fortran)
        self.additional = []
        self.sources = []
        self.env = {}
        self.should_fail = False
        self.output = []  # regular expressions, in order
        self.timeout = None
        self.timeout_factor = 1.0
        self.has_dg_do_run = False

    def pattern(self):
        return re.compile("".join(self.output), re.DOTALL) if self.output else None


def _skip_if(args, target, flags):
    """dg-skip-if COMMENT SELECTOR [{INCLUDE}...] [{EXCLUDE}...]"""
    if not target.holds(args[1]):
        return False

    def matches(patterns):
        return any(p == "*" or p in flags for p in words(patterns))

    if len(args) > 2 and not matches(args[2]):
        return False
    return not (len(args) > 3 and matches(args[3]))


def parse(path, target, level):
    """The Case of the file; `level` is the optimisation level that the suite gives it."""
    case = Case()
    with open(path, encoding="latin-1") as f:
        lines = f.read().splitlines()
    where = os.path.basename(path)
    case.has_dg_do_run = any("dg-do run" in line for line in lines)
    for number, line in enumerate(lines, 1):
        m = DIRECTIVE.search(line)
        if not m:
            continue
        try:
            _apply(case, m.group(1), words(m.group(2)), target, level)
        except (DirectiveError, IndexError, ValueError) as e:
            raise DirectiveError("%s:%d: %s: %s" % (where, number, m.group(1), e)) from None
    if case.reason is None and case.action != "run":
        case.reason = "dg-do " + case.action
    return case


def _apply(case, name, args, target, level):
    def on(index):
        return len(args) <= index or target.selected(args[index])

    def not_here(reason):
        if case.reason is None:
            case.reason = reason

    if name in COMPILE_ONLY:
        return
    if name == "dg-do":
        case.action = args[0]
        if not on(1):
            not_here("dg-do %s { %s }" % (args[0], args[1]))
    elif name == "dg-options":
        if on(1):
            case.options = words(args[0])
    elif name == "dg-additional-options":
        if on(1):
            case.additional += words(args[0])
    elif name == "dg-additional-sources":
        case.sources += words(args[0])
    elif name == "dg-add-options":
        if args[0] not in ("__float128", "ieee", "tls"):
            raise DirectiveError("unknown feature `%s`" % args[0])
    elif name == "dg-require-effective-target":
        if not target.holds(args[0]):
            not_here("needs " + args[0])
    elif name == "dg-require-alias":
        pass
    elif name == "dg-skip-if":
        if _skip_if(args, target, [level] + (case.options or []) + case.additional):
            not_here("dg-skip-if %s" % (args[0] or args[1]))
    elif name == "dg-xfail-run-if":
        if target.holds(args[1]):
            not_here("expected to fail here: " + args[0])
    elif name == "dg-shouldfail":
        # The selector stands there with or without the word `target`.
        case.should_fail = len(args) < 2 or (
            on(1) if args[1].strip().startswith("target") else target.holds(args[1])
        )
    elif name == "dg-output":
        xfail = re.match(r"\s*xfail\s+(.*)$", args[1], re.DOTALL) if len(args) > 1 else None
        if xfail:
            if target.holds(xfail.group(1)):
                not_here("its output is expected to be wrong here")
            case.output.append(args[0])
        elif on(1):
            case.output.append(args[0])
    elif name in ("dg-output-file", "dg-set-compiler-env-var"):
        not_here(name)
    elif name == "dg-ice":
        if len(args) < 2 or target.holds(args[1]):
            not_here("the compiler is expected to crash")
    elif name == "dg-set-target-env-var":
        case.env[args[0]] = args[1]
    elif name == "dg-timeout":
        case.timeout = float(args[0])
    elif name == "dg-timeout-factor":
        case.timeout_factor = float(args[0])
    else:
        raise DirectiveError("unknown directive")
