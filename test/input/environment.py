#!/usr/bin/env python3
# timing-part: CPU seconds of a run
"""Environment variables with every kind of bad value, on our runtime and, where the meaning is the same, on libgomp.

Covered: each variable of cbits/core/env/env_table.c and its alias, NAME_ALL, NAME_DEV and NAME_DEV_n forms, with empty,
blank, negative, huge, signed, zero-padded and non-numeric texts, trailing garbage, control characters, bytes that are
not UTF-8, lists as long as the kernel lets through, and texts of 10 MB that the program sets itself; the grammars of
OMP_PLACES, GOMP_CPU_AFFINITY, OMP_AFFINITY_FORMAT, OMP_ALLOCATOR and OMP_SCHEDULE; thousands of variables at once.

A run passes when the program ends by itself with status 0, in time, with a team of the right size, and

- says nothing, or says for each bad variable one line that names it, shows the beginning of the value on one line, and
  says what is used instead (then the ICVs are those of a program without the variable),
- agrees with libgomp whether the value is valid, and if so on the ICVs, but for the differences listed below.

GHCOMP_DEEP=1 adds random texts (SEED and COUNT are variables, too). A sampled run (test/sample.py) has a third of each
variable's texts.
"""
# limit: 120

import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import common  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PASSIVE = {b"OMP_WAIT_POLICY": b"passive"}  # no spinning on a busy machine
LONG = 120000  # Linux gives a program no string of more than 131,072 bytes

# --- texts ------------------------------------------------------------------------------------------------------------

GENERAL = {
    "empty": b"", "blank": b" \t ", "line feed": b"\n", "zero": b"0", "one": b"1", "three": b"3", "padded": b"  3\t",
    "minus": b"-1", "minus two": b"-2", "minus zero": b"-0", "minus huge": b"-99999999999999999999",
    "plus": b"+3", "plus minus": b"+-3", "two plusses": b"++3", "plus apart": b"+ 3", "zeros": b"0003",
    "many zeros": b"0" * 5000 + b"3", "2^31-1": b"2147483647", "2^31": b"2147483648", "2^32-1": b"4294967295",
    "2^32": b"4294967296", "2^63-1": b"9223372036854775807", "2^63": b"9223372036854775808",
    "2^64-1": b"18446744073709551615", "2^64": b"18446744073709551616", "40 digits": b"9" * 40,
    "digits": b"9" * LONG, "hexadecimal": b"0x3", "octal": b"010", "exponent": b"3e0", "fraction": b"1.5",
    "word": b"bogus", "garbage behind": b"3x", "word behind": b"3 x", "two numbers": b"3 4", "comma behind": b"3,",
    "comma before": b",3", "two commas": b"3,,4", "semicolon": b"3;4", "list": b"3,4", "blank list": b" 3 , 4 ",
    "zero in a list": b"3,0", "suffix": b"100k", "control": b"3\x01", "escape": b"\x1b[31m3", "alert": b"\a",
    "two lines": b"3\n4", "carriage return": b"3\r", "delete": b"3\x7f", "byte": b"\xff\xfe", "byte behind": b"3\xa0",
    "C1": b"3\xc2\x9b31m", "overlong": b"\xc0\xaf", "surrogate": b"\xed\xa0\x80", "wide digit": "３".encode(),
    "umlaut": "größe".encode(), "percent": b"%n%s%s%n%99999d", "quotes": b"'3'", "true": b"true", "True": b" tRuE ",
    "trues": b"true,true", "false": b"FALSE", "truex": b"truex", "yes": b"yes", "long list": b"1," * (LONG // 2) + b"1",
    "long word": b"x" * LONG, "long words": b"close," * (LONG // 6) + b"spread", "parentheses": b"(" * LONG,
    "backslashes": b"\\" * 500, "umlauts": "ä".encode() * 1000, "escapes": b"\x1b" * 5000,
}
WORDS = ("active", "passive", "default", "mandatory", "disabled", "verbose", "close", "spread", "primary", "master",
         "auto", "posix", "GHC", " Posix ", "sticky", "all", "wait", "off", "on", "haskell", "fair", "adapt", "keep",
         "flat", "tree",
         "centralized", "honour", "ignore", "infinite", "INFINITY", "static", "dynamic", "guided", "unknown")

NUMBERS = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_MAX_ACTIVE_LEVELS", "OMP_NUM_TEAMS", "OMP_TEAMS_THREAD_LIMIT",
           "OMP_DEFAULT_DEVICE", "OMP_MAX_TASK_PRIORITY", "OMP_STACKSIZE", "GOMP_STACKSIZE", "GOMP_SPINCOUNT",
           "GOMP_DEBUG")
TRUTHS = ("OMP_DYNAMIC", "OMP_NESTED", "OMP_CANCELLATION", "OMP_DISPLAY_AFFINITY", "OMP_DISPLAY_ENV")
CHOICES = ("OMP_PROC_BIND", "OMP_WAIT_POLICY", "OMP_TARGET_OFFLOAD", "GHCOMP_HOST", "GHCOMP_CPU_QUOTA", "GHCOMP_SHARE",
           "GHCOMP_ADMISSION", "GHCOMP_FAVOUR", "GHCOMP_COLLECTOR_THREADS", "GHCOMP_TRACE", "GHCOMP_TSAN",
           "GHCOMP_BARRIER", "GOMP_BARRIER_TYPE")
# libomp's, which libgomp does not know; those that print something are in test/scripts/environment.sh.
KMP = ("KMP_AFFINITY", "KMP_BLOCKTIME", "KMP_LIBRARY", "KMP_STACKSIZE", "KMP_DEVICE_THREAD_LIMIT", "KMP_ALL_THREADS",
       "KMP_TEAMS_THREAD_LIMIT", "KMP_TEAMS_PROC_BIND", "KMP_FORCE_REDUCTION", "KMP_DETERMINISTIC_REDUCTION",
       "KMP_ENABLE_TASK_THROTTLING", "KMP_TASKLOOP_MIN_TASKS")
GRAMMARS = ("OMP_SCHEDULE", "OMP_PLACES", "GOMP_CPU_AFFINITY", "OMP_AFFINITY_FORMAT", "OMP_ALLOCATOR")
SIZES = ["16384b", "16383b", "16k", "15K", "64MB", " 64 k ", "64 K b", "1G", "1T", "17179869184G", "18014398509481984K",
         "18446744073709551615B", "18446744073709551616B", "k", "64kk", "-64k"]
SCHEDULES = ["static", " Static , 4 ", "static,0", "static,-1", "static,2147483647", "static,2147483648",
             "static,18446744073709551616", "static,", ",4", "static 4", "static,4,", "static,4,4", "static,4x",
             "monotonic:static", "monotonic : dynamic", "nonmonotonic:guided,7", "monotonic:", "monotonic",
             "monotonic:monotonic:static", "monotonic,nonmonotonic:static", "nonmonotonic:auto,3", "auto,3", "runtime",
             "dynamic,+3", "dynamic,0003", "guided,0x3", "static\n", "static\x01", "\x1bstatic", "trapezoidal",
             "static;4"]
PLACES = [
    "{0}", "{0},{1}", "{0}:2", "{0}:2:1", "{0,1}", "{0:2}", " { 0 : 2 } , { 1 } ", "0", "0,1", "0:2", "{1}:2:-1",
    "{0}:0", "{0}:-1", "{0:0}", "{0:-1}", "{0:2:0}", "{0}:3:0", "{0}:1:-1", "{1}:3:-1", "{0:2:-1}", "{-1}", "{+0}",
    "{0}:+2", "{0},", ",{0}", "{0},,{1}", "{0}{1}", "{", "}", "{}", "{0", "0}", "{{0}}", "{0:}", "{0::1}", "{0:1:}",
    "{0:1:1:1}", "{0}:", "{0}:1:", "{0}:1:1:1", "{0},!{0}", "!{0}", "{0},!{1}", "{0,!0}", "{0,!1}", "!!{0}", "{!0}",
    "{0}:2,!{1}", "threads", "Cores", "sockets", "ll_caches", "numa_domains", "threads(1)", " threads ( 1 ) ",
    "threads(0)", "threads(-1)", "threads()", "threads(1", "threads)", "threads(99999)",
    "threads(99999999999999999999)", "threads(1)x", "threads,cores", "threads {0}", "thread", "cores(1)(1)",
    "{0}:99999", "{0}:65535", "{0}:65536:0", "{0}:4294967297", "{0}:18446744073709551617", "{99999}", "{8191}",
    "{8192}", "{65535}", "{65536}", "{4294967296}", "{18446744073709551616}", "{0:65535}", "{0:65536}",
    "{0:4294967296}", "{0:1:99999999999}", "{0:2:-99999999999}",
    "{0}:2:9223372036854775807", "{0}\n", "{0}\x01", "{\x1b[31m0}", "{0}\xff", "{٠}",
]
BOMBS = [
    b"{0}:16384", b"{0}:16384:0", b"{0:8192}:16384:0", b"{0:8192},{0:8192}:16383:0", b"{0:8192:1}:16384:1",
    b"{0:65535}:16384:1", b"{0}:65535,{0}:65535", b"{0}:16384," + b"!0," * 16000 + b"0",
    b"{0:8000}:8000:0," + b"!{0:8000,8100}," * 8000 + b"0", b"{" + b"0:65535," * 13000 + b"0}",
    b"{" + b"65535:65535:-1," * 7000 + b"0}", b"{" + b"0:65535:0," * 11000 + b"0}", b"{0}," * 30000 + b"{0}",
    b"{0,!0}," * 16000 + b"{0}", b"{" * LONG, b"{0" + b",{0" * 30000, b"!" * LONG, b"0:16384:0," * 11000 + b"0",
    b"{" + b"!0," * 39000 + b"1}", b"0" * LONG, b"{0}:" + b"1" * LONG, b" " * LONG + b"{0}",
    b"threads(" + b"9" * LONG + b")",
]
CPU_LISTS = ["0", "0 1", "0,1", "0-1", "0-1:1", "0-1:2", "0 , 1", "0,,1", ",0", "0,", "0-", "-1", "1-0", "0-1:0",
             "0-1:", "0-1:-1", "0--1", "0 - 1", "0x1", "0-65535", "0-65536", "0-99999999999999999999", "0-65535:65535",
             "a", "0a",
             "0\n1", "0\x01", "\x1b0", "0;1", "99999", "70000", "8191", "0-16383", "0-16384", "٠", "{0}"]
CPU_BOMBS = [b"0 " * 16384, b"0 " * 16385, b"0-65535:1," * 12000, b"0-65535:65535," * 8000, b"0," * 60000, b"-" * LONG]
FORMATS = [
    "", "plain", "%n", "%%", "%", "%%%", "100%", "%q", "%Q%n", "%{thread_num}", "%{thread_num", "%{}",
    "%{ thread_num }", "%{thread_num}}", "%{Thread_Num}", "%{thread_num\n}", "%5n", "%.5n", "%0.5n", "%05n", "%0n",
    "%.n", "%.0n", "%.05n", "%0", "%.", "%5", "%-5n", "%+5n", "%5.5n", "%..5n", "%00.5n", "%99999n", "%65536n",
    "%65537n", "%18446744073709551617n", "%4294967298n", "% n", "%\n", "%\x01", "\x1b[31m%n", "%\xff", "%s%s%s%s",
    "%n%hn", "%t%T%L%n%N%a%H%P%i%A",
    "%{team_num}%{num_teams}%{nesting_level}%{num_threads}%{ancestor_tnum}%{host}%{process_id}%{native_thread_id}"
    "%{thread_affinity}", "%{%n}", "%{{host}}", "%5{host}", "%0.5{host}", "%é",
]
KMP_LISTS = [
    "none", "compact", "scatter,1,1", "balanced", "explicit", "compact,compact", "compact,", "granularity=",
    "granularity", "proclist", "proclist=", "proclist=[", "proclist=[]", "proclist=[0", "proclist=[0]",
    "proclist=[0,1]", "proclist=[{0,1}]", "proclist=[{0,1]", "proclist=[0-1]", "proclist=[0-65535]",
    "proclist=[0-99999:1]", "proclist=[0-100000]", "proclist=[1-0:-1]", "proclist=[7000]", "proclist=[0-1:0]",
    "proclist=[\x01]", "\x1b[31m", "compact,99999", "compact,0,99999", "compact,100000", "verbose", "respect,none",
    "reset,none",
]
KMP_BOMBS = [b"proclist=[" + b"0," * 8000 + b"0]", b"proclist=[" + b"0," * 50000 + b"0]", b"verbose," * 15000 + b"none",
             b"proclist=[" + b"{0}," * 30000 + b"0]", b"proclist=[" + b"[" * LONG, b"proclist=[0]," * 9000 + b"respect",
             b"granularity=" + b"x" * LONG]
FORMAT_BOMBS = [b"%65536n" * 17000, b"%.9999n" * 17000, b"%A" * 60000, b"%" * LONG, b"%{" * 60000,
                b"%{" + b"x" * LONG + b"}",
                b"%n" * 60000, b"%0." + b"9" * LONG + b"n", b"%{host}" * 16000]
SPACE, ALLOCATOR = "omp_default_mem_space", "omp_default_mem_alloc"
ALLOCATORS = [
    ALLOCATOR, ALLOCATOR.upper(), " %s " % ALLOCATOR, "omp_null_allocator", "omp_large_cap_mem_alloc", "1", "0", SPACE,
    SPACE + ":", SPACE + ":,", SPACE + ":alignment", SPACE + ":alignment=", SPACE + ":alignment=64",
    ALLOCATOR + ":alignment=64", SPACE + ":alignment=0", SPACE + ":alignment=-64", SPACE + ":alignment=3",
    SPACE + ":alignment=64,", SPACE + ":alignment=64,,pinned=true", SPACE + ":alignment=9223372036854775808",
    SPACE + ":alignment=4611686018427387904", SPACE + ":pool_size=0", SPACE + ":pool_size=1",
    SPACE + ":pool_size=18446744073709551615", SPACE + ":pool_size=18446744073709551616", SPACE + ":pool_size=1k",
    SPACE + ":fallback=none", SPACE + ":fallback=null_fb",
    SPACE + ":fallback=allocator_fb", SPACE + ":fb_data=1", SPACE + ":pinned=maybe",
    SPACE + ":pinned=true,pinned=false", SPACE + ":sync_hint=private", SPACE + ":access=cgroup",
    SPACE + ":partition=nearest", SPACE + " : alignment = 64 ",
    SPACE + ":unknown=1", SPACE + "=1", SPACE + ":alignment:64", SPACE + ":alignment=64:pinned=true",
    "omp_unknown_mem_space", SPACE + ":alignment=64\n", SPACE + ":\x01", "\x1b[31m" + SPACE, SPACE + ":alignment=0x40",
    SPACE + "\xff",
]
ALLOCATOR_BOMBS = [(SPACE + ":" + "alignment=64," * 9000 + "alignment=64").encode(),
                   (SPACE + ":" + "," * 100000).encode(),
                   (SPACE + ":alignment=" + "9" * 100000).encode(), b"omp_" * 30000]


def encoded(texts):
    return [t.encode() if "\xff" not in t else t.encode("latin-1") for t in texts]


SPECIAL = {
    "OMP_STACKSIZE": encoded(SIZES), "GOMP_STACKSIZE": encoded(SIZES), "OMP_SCHEDULE": encoded(SCHEDULES),
    "OMP_PLACES": encoded(PLACES) + BOMBS, "GOMP_CPU_AFFINITY": encoded(CPU_LISTS) + CPU_BOMBS,
    "OMP_AFFINITY_FORMAT": encoded(FORMATS) + FORMAT_BOMBS, "OMP_ALLOCATOR": encoded(ALLOCATORS) + ALLOCATOR_BOMBS,
    "KMP_AFFINITY": encoded(KMP_LISTS) + KMP_BOMBS,
    "GOMP_SPINCOUNT": [b"7k", b"7 M", b"7T", b"7P", b"7kb", b"18446744073709551T", b"infinite 3", b"-1 ", b"- 1"],
}
SHORT = ("empty", "blank", "three", "minus", "2^64", "garbage behind", "two lines", "byte", "long word", "percent")


def cases():
    """(variable, value) of the part that always runs."""
    for name in NUMBERS + TRUTHS + CHOICES + GRAMMARS + KMP:
        texts = list(GENERAL.values())
        # Variables of one kind have one parser: without GHCOMP_DEEP one of them gets all texts.
        if not common.DEEP and name not in ("OMP_NUM_THREADS", "GOMP_SPINCOUNT", "OMP_DYNAMIC", "OMP_PROC_BIND",
                                            "GHCOMP_HOST"):
            texts = [GENERAL[kind] for kind in SHORT]
        if name in CHOICES:
            texts += [w.encode() for w in WORDS]
        for value in texts + SPECIAL.get(name, []):
            yield name, value
    for name in ("OMP_NUM_THREADS", "OMP_SCHEDULE", "OMP_PROC_BIND", "OMP_STACKSIZE", "OMP_ALLOCATOR", "OMP_DYNAMIC"):
        for form in ("_ALL", "_DEV", "_DEV_0", "_DEV_2147483647"):
            for kind in SHORT:
                yield name + form, GENERAL[kind]
    for number in (b"", b"x", b"00", b"-1", b"+1", b"2147483648", b"1" * 100000, b"\x1b[31m", b"\n", b"\xff", b" 1"):
        yield os.fsdecode(b"OMP_NUM_THREADS_DEV_" + number), b"3"


def random_cases(rng, count):
    pieces = [b"{", b"}", b":", b",", b"!", b"(", b")", b"-", b"+", b"%", b" ", b"\n", b"\x00"[:0], b"\xff", b"0", b"1",
              b"65535", b"18446744073709551616", b"threads", b"close", b"static", b"monotonic", b"true", b"k", b"G",
              b"=", b"alignment",
              SPACE.encode(), b"n", b".", b"posix", b"tree"]
    names = NUMBERS + TRUTHS + CHOICES + GRAMMARS + KMP
    for _ in range(count):
        yield rng.choice(names), b"".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12)))


# --- differences from libgomp -----------------------------------------------------------------------------------------

# Variables, values, what ours does unlike libgomp 12.2, and why.
EXPECTED = [
    ("OMP_NUM_THREADS", rb"^\d{10,19}$", "refused", "libgomp takes the lower 32 bits"),
    (".*", rb"^-0$", "refused", "a sign other than +"),
    ("OMP_SCHEDULE|GOMP_SPINCOUNT", rb"-[02]$", "refused", "negative; libgomp takes it modulo 2^64"),
    ("OMP_SCHEDULE", rb"^static,-1$", "refused", "negative; libgomp takes it for no chunk size"),
    ("OMP_THREAD_LIMIT|OMP_MAX_ACTIVE_LEVELS", rb"^(9223372036854775808|18446744073709551615)$", "accepted",
     "any number of 64 bits beyond the limit is the limit"),
    ("GOMP_DEBUG", rb"^\d{10,}$", "accepted", "any number of 64 bits but 0 is on"),
    ("GOMP_SPINCOUNT", rb"^18446744073709551T$", "refused", "more than 64 bits; libgomp wraps"),
    ("GOMP_SPINCOUNT", rb"^- 1$", "accepted", "space between the sign and the number"),
    ("OMP_DYNAMIC|OMP_CANCELLATION|OMP_NESTED", rb"^true.+", "other ICVs",
     "libgomp says that it is invalid, and uses it"),
    ("OMP_DYNAMIC|OMP_CANCELLATION|OMP_NESTED|OMP_DISPLAY_AFFINITY|OMP_DISPLAY_ENV",
     rb"(?i)^\s*(1|0|yes|no|y|n|t|f|on|off|\.?(true|t|false|f)\.|enabled|disabled)\s*$", "accepted", "libomp's words"),
    ("OMP_PROC_BIND", rb"(?i)^\s*(1|0|disabled)\s*$", "accepted", "libomp's words"),
    ("OMP_STACKSIZE|GOMP_STACKSIZE", rb"^(1T|64MB)$", "accepted", "libomp's units"),
    ("OMP_SCHEDULE", rb"^trapezoidal$", "accepted", "libomp's kinds"),
    ("OMP_SCHEDULE", rb"^(static|guided)", "other ICVs", "libgomp says that it is invalid, and uses the kind"),
    ("OMP_TARGET_OFFLOAD", rb"^mandatory$", "other ICVs: default_device", "OpenMP 5.2; libgomp from GCC 13 on does so"),
    ("OMP_PLACES", rb"^(\{\+0\}|\{0\}:\+2|threads\(-1\))$", "refused", "a sign in front of a number or a count"),
    ("OMP_PLACES", rb"^threads\(\d{5}\)$", "refused", "a count of more than 65535"),
    ("OMP_PLACES", rb"^\{0:1:\d{11}\}$", "refused", "a stride of more than 65535"),
    ("OMP_PLACES", rb"^3,0$", "accepted", "a place without a usable CPU is left out, with a line"),
    ("OMP_PLACES", rb"^\{0,?(\}|!1\}).*$|^\{0\},!\{1\}$", "accepted", "what is excluded need not be there"),
    ("OMP_PLACES", rb"^(\{0\},|1,){9}", "refused", "more than 16384 places"),
    ("OMP_PLACES", rb"^\{0\}:16384$", "accepted", "places beyond the machine's CPUs are left out"),
    ("OMP_PLACES", rb"^\{(0|65535):|^\{!0,!0|^\{0,!0\},", "accepted",
     "CPUs that are not there are left out, however many"),
    ("GOMP_CPU_AFFINITY", rb"[3-9]|010", "libgomp ends", "none of the CPUs is usable: libgomp says so and exits"),
    ("GOMP_CPU_AFFINITY", rb"^3,0$", "other ICVs: num_places", "CPUs that are not usable are left out"),
    ("GOMP_CPU_AFFINITY", rb"^0x1$", "refused", "hexadecimal, which libgomp reads here alone"),
    ("GOMP_CPU_AFFINITY", rb"^8191$", "refused", "no usable CPU"),
    ("GOMP_CPU_AFFINITY", rb"^(0 |1,){9}|^0-(65535|16384)$", "refused", "more than 16384 places"),
    ("GOMP_CPU_AFFINITY", rb"^0-16383$", "other ICVs: num_places", "places are usable CPUs"),
    ("GOMP_CPU_AFFINITY", rb"^(0-65535:65535,){9}", "accepted", "CPUs that are not usable are left out"),
    ("OMP_AFFINITY_FORMAT", rb"%", "refused", "libgomp ends the program when it uses a malformed format"),
    ("OMP_ALLOCATOR", rb"^omp_default_mem_space", "accepted", "OpenMP 5.2's memory spaces, in libgomp from GCC 13 on"),
]
LIBGOMP = (12, 12)  # the versions that the list is about


def difference_is_known(name, value, what):
    return any(re.fullmatch(names, name) and re.search(texts, value, re.DOTALL) and re.match(kind, what)
               for names, texts, kind, _ in EXPECTED)


# --- runs -------------------------------------------------------------------------------------------------------------

BLOCK = re.compile(rb"\nOPENMP DISPLAY ENVIRONMENT BEGIN\n.*?\nOPENMP DISPLAY ENVIRONMENT END\n", re.DOTALL)


def messages(done, shows_affinity):
    """The lines of stderr, without what the program was asked to show."""
    lines = [l for l in BLOCK.sub(b"", done.err).split(b"\n") if l]
    return [l for l in lines if not (shows_affinity and re.match(rb"level \d+ thread ", l))]


def icvs(done):
    return dict(l.split(" ", 1) for l in done.out.decode("ascii", "replace").splitlines())


class Runner:
    def __init__(self, report, probe):
        self.report, self.probe = report, probe
        self.default = {}

    def ours(self, variables, argv=(), **limits):
        env = {b"LD_LIBRARY_PATH": os.fsencode(common.DROPIN), **PASSIVE}
        if b"GHCOMP_HOST" not in variables:
            env[b"GHCOMP_HOST"] = b"posix"
        env.update(variables)
        self.report.runs += 1
        return common.run([self.probe] + list(argv), env, **limits)

    def libgomp(self, variables):
        return common.run([self.probe], {**PASSIVE, **variables}, limit=60)

    def sound(self, done, what, cpu=3.0, memory=300):
        """Whether the program ran to its end, within bounds."""
        check, now = self.report.check, icvs(done)
        members = ("1",) if now.get("thread_limit") == "1" or now.get("max_active_levels") == "0" else \
                  ("1", "2") if now.get("dynamic") == "1" else ("2",)
        return (check(done.rc == 0, "%s: %s" % (what, done.text()))
                and check(now.get("members") in members, "%s: a wrong team; %s" % (what, done.text()))
                and check(done.cpu <= cpu or not common.TIMING, "%s: it took %.1f s" % (what, done.cpu))
                and check(done.memory <= memory, "%s: it used %.0f MB" % (what, done.memory)))

    def value(self, case):
        """One variable with one value: on both sides. Returns (name, value, kind of difference) or None."""
        name, value = case
        what = "%s=%r" % (name[:60], value[:60])
        variables = {os.fsencode(name): value}
        done = self.ours(variables)
        stack = name in ("OMP_STACKSIZE", "GOMP_STACKSIZE", "OMP_STACKSIZE_ALL")
        if stack and done.rc == 1 and self.too_large(done, what):
            return None
        if not self.sound(done, what):
            return None
        said = messages(done, name == "OMP_DISPLAY_AFFINITY")
        refused = bool(said)
        if name in ("OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"):
            refused = refused and b"of its places have no CPU" not in said[0]
        for line in said:
            problem = common.bad_line(line)
            if not self.report.check(problem is None, "%s: %s: %r" % (what, problem, line[:300])):
                return None
        if said:
            self.one_line(name, value, what, said, done, refused)
        if (name.startswith(("GHCOMP_", "KMP_")) or "_DEV" in name or name.endswith("_ALL")
                or name == "GOMP_BARRIER_TYPE"):
            return None  # libgomp does not know them (from GCC 13 on: the forms for devices)
        theirs = self.libgomp(variables)
        if theirs.rc != 0:
            return name, value, "libgomp ends"
        they_refused = any(b"libgomp: " in l for l in messages(theirs, name == "OMP_DISPLAY_AFFINITY"))
        if refused != they_refused:
            return name, value, "refused" if refused else "accepted"
        mine, their = icvs(done), icvs(theirs)
        different = sorted(k for k in mine if mine[k] != their.get(k) and k != "members")
        pairs = ", ".join("%s %s, not %s" % (k, mine[k], their.get(k)) for k in different)
        return (name, value, "other ICVs: " + pairs) if different else None

    def too_large(self, done, what):
        """A stack that no thread can have ends the program with one line at its first region."""
        lines = messages(done, False)
        return self.report.check(len(lines) == 1 and common.bad_line(lines[0]) is None
                                 and b"Thread creation failed" in lines[0],
                                 "%s: not one line about the stack: %r" % (what, done.err[:500]))

    def one_line(self, name, value, what, said, done, refused):
        check = self.report.check
        if not check(len(said) == 1, "%s: %d lines: %r" % (what, len(said), done.err[:600])):
            return
        line = said[0].decode()
        plain = common.escaped(os.fsencode(name)[:400])
        check(plain[:150] in line, "%s: the line does not name the variable: %s" % (what, line))
        shown = common.escaped(value[:400])[:100]
        rest = re.search("when parsing: (.*); it takes", line)
        if rest:  # libgomp's wording: the rest that does not fit
            start = rest.group(1)[:-3] if rest.group(1).endswith("...") else rest.group(1)
            check(start and (len(value) > 4000 or start in common.escaped(value)),
                  "%s: the line does not show the rest: %s" % (what, line))
        elif "is not the number of a device" not in line:
            check(shown in line, "%s: the line does not show the value: %s" % (what, line))
        check(re.search("using |ignored", line), "%s: the line does not say what is used: %s" % (what, line))
        if refused:
            now = icvs(done)
            check(all(now.get(k) == self.default[k] for k in self.default), "%s: it is refused, and changes %r" % (
                what, {k: now.get(k) for k in self.default if now.get(k) != self.default[k]}))


def huge(runner):
    """Texts of 10 MB, which the program sets before it loads the runtime."""
    size = 10 * 1000 * 1000
    texts = [b"9", b"1,", b"x", b" ", b"{0},", b"{0:65535},", b"0:65535,", b"0 ", b"%n", b"%65536n", b"close,", b"(",
             b"!0,",
             b"static,", b"alignment=64,", b"\xff"]
    names = ("OMP_NUM_THREADS", "OMP_PLACES", "GOMP_CPU_AFFINITY", "OMP_PROC_BIND", "OMP_SCHEDULE",
             "OMP_AFFINITY_FORMAT", "OMP_ALLOCATOR", "OMP_STACKSIZE", "GHCOMP_HOST", "OMP_THREAD_LIMIT",
             "OMP_NUM_THREADS_DEV_3", "GOMP_SPINCOUNT",
             "OMP_DYNAMIC")

    def one(case):
        name, text = case
        what = "%s=%r repeated to 10 MB" % (name, text)
        done = runner.ours({}, [name, text, str(size // len(text))])
        if runner.sound(done, what, cpu=3.0, memory=400):
            said = messages(done, False)
            runner.report.check(len(said) <= 1 and all(common.bad_line(l) is None and name.encode() in l for l in said),
                                "%s: %r" % (what, done.err[:500]))

    pairs = [(n, t) for n in names for t in texts]
    if not common.DEEP:
        pairs = [p for i, p in enumerate(pairs) if i % 8 == names.index(p[0]) % 8 or p[0] == "OMP_PLACES"]
    common.in_parallel(one, common.sampled(pairs, lambda pair: "10 MB"))


def many(runner):
    """Many variables at once: a warning for each bad one, bounded time."""
    report = runner.report
    bad = {b"OMP_NUM_THREADS_DEV_%d" % i: b"x" for i in range(3000)}
    done = runner.ours(bad)
    if runner.sound(done, "3000 bad variables"):
        lines = messages(done, False)
        report.check(len(lines) == len(bad) and not any(map(common.bad_line, lines)),
                     "3000 bad variables: %d lines" % len(lines))
    good = {b"OMP_NUM_THREADS_DEV_%d" % i: b"2" for i in range(40000)}
    done = runner.ours(good)
    if runner.sound(done, "40000 settings for devices", cpu=2.0):
        report.check(len(messages(done, False)) == 1, "40000 settings for devices: %r" % done.err[:500])
    other = {b"OMP_%d" % i: b"2" for i in range(40000)}
    done = runner.ours(other)
    if runner.sound(done, "40000 unknown variables", cpu=2.0):
        report.check(not messages(done, False), "40000 unknown variables: %r" % done.err[:500])
    every = {os.fsencode(n): b"\x1b[31mbogus\n" for n in NUMBERS + TRUTHS + CHOICES + GRAMMARS + KMP
             if n not in ("GHCOMP_HOST",)}
    done = runner.ours(every)
    if runner.sound(done, "every variable bad"):
        lines = messages(done, False)
        named = [n for n in every if any(n in l for l in lines)]
        # Any text without a percent sign is a format.
        report.check(len(lines) == len(every) - 1 == len(named) and not any(map(common.bad_line, lines)),
                     "every variable bad: %d lines for %d: %r" % (len(lines), len(every), done.err[:3000]))


def main():
    report = common.Report()
    with tempfile.TemporaryDirectory() as work:
        probe = common.compiled(os.path.join(HERE, "probe.c"), work)
        runner = Runner(report, probe)
        runner.default = icvs(runner.ours({}))
        todo = common.sampled(cases(), lambda case: case[0])
        if common.DEEP:
            seed = int(os.environ.get("SEED", "0")) or random.randrange(1 << 32)
            print("SEED=%d" % seed)
            todo += list(random_cases(random.Random(seed), int(os.environ.get("COUNT", "4000"))))
        differences = [d for d in common.in_parallel(runner.value, todo) if d]
        huge(runner)
        many(runner)
        unknown = [d for d in differences if not difference_is_known(*d)]
        version = int(common.harness.compiler_version("gcc").split()[-1].split(".")[0])
        if "--differences" in sys.argv:
            for d in differences:
                print("%s=%r: %s" % (d[0], d[1][:60], d[2]))
        if LIBGOMP[0] <= version <= LIBGOMP[1]:
            for name, value, what in unknown:
                report.check(False, "%s=%r: %s by ours, unlike libgomp" % (name, value[:60], what))
        report.end("%d runs of ours, %d values compared with libgomp's, %d differences, %d of them not listed"
                   % (report.runs, len(todo), len(differences), len(unknown)))


if __name__ == "__main__":
    main()
