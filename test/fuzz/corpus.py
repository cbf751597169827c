#!/usr/bin/env python3
"""The bounded part of the fuzzing, for CI: the cases of corpus/seeds and the programs saved in corpus/.

A line of corpus/seeds is a seed, a file's number and the numbers of the first and the last case to run of it. Each file
runs in two configurations for each host; a sampled run has a part of the files. A saved program is what fuzz.py writes
for a failure; its head has `flags:`, `env:` and the line `expect:` that it has to print.
"""
# limit: 240
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import fuzz  # noqa: E402
import languages  # noqa: E402
import run_cases  # noqa: E402
from configurations import environment, harness  # noqa: E402

import sample  # noqa: E402  (harness has made its folder known)

CORPUS = os.path.join(HERE, "corpus")
REPEATS = 3
# Seconds for a file: some cases hang on libgomp, and the expected lines come from the model in any case.
LIBGOMP_LIMIT = "4"
UNDECIDED = 2  # cases at most that both libgomp and ours fail, which could hide failures of ours


def saved(path, options, folder):
    """What is wrong with a saved program's run, or None."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    head = dict(re.findall(r"^(?://|!) (flags|env|expect): (.*)$", text, re.MULTILINE))
    language = languages.of_suffix(path)
    exe, words = run_cases.compile_text(text, language, folder, head["flags"].split())
    if exe is None:
        return "does not compile:\n" + words
    env = dict(word.split("=", 1) for word in head["env"].split())
    if env.get("GHCOMP_HOST") not in options.hosts:
        env["GHCOMP_HOST"] = options.hosts[0]
    for _ in range(REPEATS):
        done = harness.run([exe], run_cases.LIMIT, env=environment(env, options.dropin))
        if done.timed_out or done.rc != 0 or done.out.strip() != head["expect"]:
            return "%s\n%s" % (done.ending(run_cases.LIMIT), harness.tail(done.text()))
    return None


def main():
    options = fuzz.arguments(["--configurations", "2", "--no-shrink", "--libgomp-limit", LIBGOMP_LIMIT])
    fuzz.ready(options)
    folder = tempfile.mkdtemp(prefix="fuzz-")
    fuzzer = fuzz.Fuzzer(options, folder)
    failed = 0
    try:
        fuzz.learn_compiler(folder)
        with open(os.path.join(CORPUS, "seeds"), encoding="utf-8") as f:
            rows = [line.split() for line in f if line.strip() and not line.startswith("#")]

        def one(row):
            seed, file, first, last = row[0], int(row[1]), int(row[2]), int(row[3])
            fuzzer.one_file(file, first, last - first + 1, seed)

        chosen = sample.of_environment()
        rows = [row for number, row in enumerate(rows) if chosen.has("corpus", number)]
        asked = sum(int(last) - int(first) + 1 for _, _, first, last in rows)
        harness.parallel(one, rows, options.jobs)
        for number, name in enumerate(sorted(os.listdir(CORPUS))):
            if name.endswith((".c", ".cc", ".f90")) and chosen.has("saved", number):
                wrong = saved(os.path.join(CORPUS, name), options, folder)
                if wrong:
                    failed += 1
                    print("%s: %s" % (name, wrong))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(fuzzer.last_line())
    if len(fuzzer.undecided) > UNDECIDED:
        failed += 1
        print("ours fails %d cases that libgomp fails, too: at most %d are expected" % (
            len(fuzzer.undecided), UNDECIDED))
    if fuzzer.cases * 2 < asked or not asked:
        failed += 1
        print("%d cases of %d ran: the compiler fails the others" % (fuzzer.cases, asked))
    return 1 if failed or fuzzer.failures or fuzzer.refused else 0


if __name__ == "__main__":
    sys.exit(main())
