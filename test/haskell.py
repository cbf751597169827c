"""The groups `hs`, whose script counts its own tests, and `should-fail`. Used by run.py."""

import glob
import os
import re
import threading

import harness

ROOT = harness.ROOT
HS_LIMIT, PAIR_LIMIT = 900, 120
BUILD_LIMIT = 600  # for what should-fail's tests share


def failures_of_hs(build):
    """What test/hs/run.sh kept of its failures, and the lines that name them."""
    try:
        with open(os.path.join(build, "test", "hs-failures.log"), encoding="utf-8", errors="replace") as file:
            said = file.read()
    except OSError:
        return "", []
    return said, [" ".join(line.split()) for line in said.splitlines() if re.search(r"(^| )FAIL( |$)", line)]


def hs(options, report):
    """(name, function): test/hs/run.sh runs the Haskell tests itself; its last line's counts are added to ours."""
    script = os.path.join(ROOT, "test", "hs", "run.sh")
    if not os.path.exists(script):
        return

    def function():
        header = harness.Header(script, HS_LIMIT)
        done = harness.until_room(
            [script],
            header.limit,
            cwd=ROOT,
            merge=True,
            env=harness.clean_env({"BUILD": os.path.relpath(options.build, ROOT)}),
        )
        if done.rc == 77 and not done.timed_out:
            return harness.SKIP, done.last_words(), ""
        m = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped\n?\Z", done.out, re.MULTILINE)
        if m is None or done.timed_out:
            return harness.FAIL, done.ending(header.limit) + ", and its last line has no counts", done.out
        counts = [int(n) for n in m.groups()]
        if (done.rc != 0) != (counts[1] > 0):
            return harness.FAIL, "%s, but it counts %d failures" % (done.ending(header.limit), counts[1]), done.out
        for line in done.out.splitlines():
            if line.startswith("SKIP "):
                print(line)
        for wall, cpu, title in re.findall(r"^cost: (\d+) ([\d.]+) (.*)$", done.out, re.MULTILINE):
            report.costs.part("hs: " + title, float(wall), float(cpu))
        report.add_counts("hs", *counts)
        if counts[1]:
            said, names = failures_of_hs(options.build)
            summary = "%d failures; %s" % (counts[1], "; ".join(names))
            report.failures.append(("hs", summary))
            print("FAIL hs: " + summary)
            print(harness.tail(said or done.out))
        return None

    yield "hs/run.sh", function


def should_fail(options, verdict):
    """(name, function) of each test/should-fail/NAME.hs, which must not compile, with its twin NAME_ok.hs, which must:
    run.py there does one pair for each call. The first test that needs it has the library built, and what need not be
    linked compiled."""
    folder = os.path.join(ROOT, "test", "should-fail")
    script = os.path.join(folder, "run.py")
    env = {"BUILD": os.path.relpath(options.build, ROOT)}
    guard = threading.Lock()
    built = []

    def build():
        with guard:
            if not built:
                done = harness.until_room([script, "--together"], BUILD_LIMIT, cwd=ROOT, env=harness.clean_env(env))
                built.append(verdict(done, BUILD_LIMIT))
            return built[0]

    for source in sorted(glob.glob(os.path.join(folder, "*.hs"))):
        name = os.path.basename(source)[:-3]
        if name.endswith("_ok"):
            continue

        def function(name=name):
            result = build()
            if result[0] != harness.PASS:
                return result
            limit = PAIR_LIMIT
            return verdict(
                harness.until_room([script, "--made", name], limit, cwd=ROOT, env=harness.clean_env(env)), limit
            )

        yield "should-fail/" + name, function
