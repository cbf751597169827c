"""Compile a file of cases, run it, and compare each case's line with what the model expects."""

import os
import tempfile

from configurations import cancellation, environment, harness, threads

from languages import LANGUAGES

LIMIT = 60  # seconds of the test's clock (harness.Clock) for a file of cases
COMPILE_LIMIT = 120


def program(cases, language):
    return LANGUAGES[language]["program"](cases)


def flags(file, language):
    """-O0 and sometimes -O1."""
    return ["-O%d" % (file % 4 == 3), "-fopenmp", "-w"] + LANGUAGES[language]["flags"]


def compile_text(text, language, folder, options):
    """The program's path, or None and the compiler's words."""
    compiler, suffix = LANGUAGES[language]["compiler"], LANGUAGES[language]["suffix"]
    work = tempfile.mkdtemp(dir=folder)
    source, exe = os.path.join(work, "cases" + suffix), os.path.join(work, "cases")
    with open(source, "w", encoding="utf-8") as f:
        f.write(text)
    done = harness.run(["nice", compiler, source, "-o", exe] + options, COMPILE_LIMIT, env=harness.clean_env(),
                       cwd=work, merge=True)
    return (exe, "") if done.rc == 0 and os.path.exists(exe) else (None, done.out or done.ending(COMPILE_LIMIT))


class Expectations:
    """The lines that a file's cases have to print, for each environment that makes a difference."""

    def __init__(self, cases, language):
        self.cases, self.language, self.known = cases, language, {}

    def lines(self, env):
        key = threads(env), cancellation(env)
        if key not in self.known:
            self.known[key] = {
                case.number: case.line(case.expected(LANGUAGES[self.language]["writers"], self.language, *key))
                for case in self.cases
            }
        return self.known[key]


class Bad:
    """A case that failed: env None of `dropin` means libgomp."""

    def __init__(self, number, env, what, output):
        self.number, self.env, self.what, self.output = number, env, what, output


def run_file(exe, expected, env, dropin, preload=None, limit=LIMIT):
    """Run all cases; after one that ends or hangs the process, continue with the next one. The list of bad cases."""
    bad, numbers, first = [], sorted(expected), 0
    while first < len(numbers):
        done = harness.run([exe, str(numbers[first]), str(numbers[-1])], limit,
                           env=environment(env, dropin, preload))
        printed = {}
        for line in done.out.splitlines():
            word = line.split(" ", 1)[0]
            if word.isdigit():
                printed[int(word)] = line
        stopped = None
        for number in numbers[first:]:
            if number not in printed:
                stopped = number
                break
            if printed[number] != expected[number]:
                bad.append(Bad(number, env, "prints %s\n   instead of %s" % (printed[number], expected[number]),
                               done.err))
        if stopped is None:
            if done.timed_out or done.rc != 0:
                bad.append(Bad(numbers[-1], env, "after the last case: " + done.ending(limit), done.text()))
            break
        bad.append(Bad(stopped, env, done.ending(limit), done.text()))
        first = numbers.index(stopped) + 1
        if sum(1 for b in bad if b.what.startswith("hung")) >= 3:
            break
    return bad
