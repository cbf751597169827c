#!/usr/bin/env python3
"""Words that this tree used before it took the field's terms are not in it any more (ADR 17).

CHANGELOG.md, measured results and pictures say what was true when they were made, and ADR 17 has the table of old and
new words; they are not looked at.
"""

import collections
import functools
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Old name, as a regular expression: what to say instead.
IDENTIFIERS = {
    r"\bghcomp_few|\bGHCOMP_FEW\b|\bby few\b": "barrier_flags",
    r"\bghcomp_large_": "barrier_policy",
    r"\bghcomp_relay": "fork_tree",
    r"\bghcomp_tree\b|\bghcomp_tree_(?!from\b)": "combining_tree",
    r"\bghcomp_apart": "worker_placement",
    r"\bghcomp_bell|\bGHCOMP_BELL|\bBELL_": "eventcount",
    r"\bghcomp_cores": "cpu_account",
    r"\bghcomp_room": "yield_to_haskell",
    r"\bghcomp_tally": "pending count",
    r"\bghcomp_share_(?!mode\b)|\bstruct ghcomp_share\b": "chunk_pool",
    r"\bghcomp_(hs_)?alone\b|\bghcomp_hs_company\b|\bcompanyOf\b|\bCompany\b": "helpers",
    r"\bghcomp_(capabilities_)?sight\b|\bGHCOMP_SIGHT|\bcapabilitySight\b|\bSight(None|Aware|Finding|Unaware)\b":
        "capability_visibility",
    r"\bGHCOMP_\w+_TURNS\b": "REGIONS_QUEUED",
    r"\bGHCOMP_\w+_IMPATIENT\b": "ADMISSION_TIMEOUTS",
    r"\bCROWDED_TICKS\b": "RIPE_TICKS_MOST",
    r"\bghcomp_bed_|\bGHCOMP_(ORDERED_)?BED(S|_NS)\b": "sleep_word",
    r"\bvain_waits\b|\bVAIN_WAITS\b|\bvain_yields\b": "timeouts, empty_yields",
    r"\bghcomp_\w+_(unseen|seen|told|untold|watched)\b|\bghcomp_watched\b": "_fast, _observed, _reported",
    r"\bghcomp_tool_(quiet|pass|passes|lets_pass|leaves_out|left_out)(_\w+)?\b|\bghcomp_task_pass_t\b":
        "filtered, credit",
    r"\bGHCOMP_(TASK|TEAM)_(FLAG_)?(UNTOLD|LEFT_OUT|SEEN)\b|\bGHCOMP_OBSERVE_UNPLAIN\b": "FILTERED, OBSERVED, SLOW",
    r"\b\w+_told\.h\b|\btrace/(unseen|observers|races)|\btool_left_out\.c\b|\bhost/boot\.c\b":
        "the file's new name",
    r"(?<!bench/c/)(?<![\w/{,-])(few|large|relay|tree|apart|cores|room|alone|served|share|capability)\.[ch]\b(?!_)":
        "the file's new name",
}
WORDS = {
    r"\bbeds?\b": "sleep word",
    r"\bbells?\b": "eventcount",
    r"\beras?\b": "epoch",
    r"\brelay(s|ed|ing)?\b": "fork tree",
    r"\bcrowded(?=\b|_)": "oversubscribed",
    r"\bpressed\b": "CPU-contended",
    r"\bdear\b": "slow, costly",
    r"\brovers?\b": "steal cursor",
    r"\btall(y|ies)\b": "pending count",
    r"\bimpatien(t|ce)\b": "admission timeout",

    r"\bsight\b": "visibility",
    r"\bcompany\b": "helpers",
    r"\bteams? of a few\b": "team that waits by flags",
}
# Words for the three states of observation (core/observe/fast_self.h), in cbits/, also as parts of identifiers. In the
# folders of the hooks no sentence tells a tool of something, or leaves out a task.
STATES = {
    r"(?<![^\W_])un(seen|told|plain)(?![^\W_])": "fast, filtered, unreported",
    r"\b\w+_(seen|told)\b": "_observed, _reported",
    r"\blets? tasks? pass\b|\bleft_out\b": "filtered",
    r"\b(no|some)body watches\b": "no hook is active, observed",
}
HOOKS = {
    r"\b(is|are|was|were|been|not) told\b|\btold to a tool\b": "reported",
    r"\b(left|leaves?) out\b|\b(quiet|silent)(ly)?\b": "filtered",
}
# Sentences in the sources are about threads, processes and code, not about persons.
PERSONS = {
    r"\b(no|some|any|every)body\b|\bwhoever\b": "no thread, a thread, the thread that",
}
SOURCE = re.compile(r"^(cbits|profile|src|app|cmm)/")
HOOKED = re.compile(r"^cbits/(core/(observe|trace|tsan|tool|task)|abi/observed)/")
SKIPPED = re.compile(r"^(CHANGELOG\.md|bench/results/.*|docs/results/(?!benchmarks).*\.md|"
                     r"docs/internals/adr/0017-.*\.md|.*\.svg|test/scripts/words_test\.py)$")

# Turns what no word has to blanks.
BLANKS = {code: " " for code in range(128) if not re.match(r"\w", chr(code))}
BETWEEN = re.compile(r"[ /]|\\\.")
BEGINS = re.compile(r"(^|\|)(?:\\b(?:\\w\+)?|(?:\(\?<![^()]*\))+)")


def words_of(text):
    if not text.isascii():
        return set(re.findall(r"\w+", text))
    return set(text.translate(BLANKS).split())


def possible_in(texts):
    """Says of a pattern whether it can match in one of the texts. The words of large texts are few: most patterns match
    a part of one of them. One with blanks, points or slashes may match in between; without what its alternatives have
    to begin after, it matches where it does with that, and takes much less time."""
    vocabulary, text = "\n".join(set().union(*map(words_of, texts))), "\n".join(texts)
    return lambda pattern: (re.search(BEGINS.sub(r"\1", pattern), text, flags_of(pattern)) if BETWEEN.search(pattern)
                            else re.search(pattern, vocabulary, flags_of(pattern)))


def flags_of(pattern):
    return re.I if pattern in WORDS or pattern in PERSONS else 0


@functools.lru_cache(maxsize=None)
def table_for(states, persons, hooks):
    return dict(IDENTIFIERS, **WORDS, **(STATES if states else {}), **(PERSONS if persons else {}),
                **(HOOKS if hooks else {}))


def kind_of(name):
    """Which of the tables the file has besides those of all."""
    return name.startswith(("cbits/", "profile/")), bool(SOURCE.match(name)), bool(HOOKED.match(name))


def found(name, text, possible=lambda pattern: True):
    """Lines that use an old word, with what to say instead."""
    result = []
    for pattern, instead in table_for(*kind_of(name)).items():
        if not possible(pattern):
            continue
        for match in re.finditer(pattern, text, flags_of(pattern)):
            if name.startswith("bench/") and match.group(0) == "tree.c":
                continue
            if name.startswith("test/conformance/") and match.group(0) == "tree.h":
                continue
            line = text.count("\n", 0, match.start()) + 1
            result.append("%s:%d: `%s`: say %s" % (name, line, match.group(0), instead))
    return result


def tracked():
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, stdout=subprocess.PIPE, check=True,
                           universal_newlines=True).stdout.split("\n")
    return [name for name in names if name and not SKIPPED.match(name)]


class Words(unittest.TestCase):
    def test_committed(self):
        kinds = collections.defaultdict(dict)
        for name in tracked():
            try:
                with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                    kinds[kind_of(name)][name] = name + "\n" + file.read()
            except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
                continue
        wrong = []
        for kind, texts in kinds.items():
            possible = set(filter(possible_in(texts.values()), table_for(*kind)))
            wrong += [line for name, text in texts.items() for line in found(name, text, possible.__contains__)]
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))

    def test_possible_patterns_are_all_that_match(self):
        for text in ("see few.c, the bell rings", "a team of a few, wait_seen", "while nobody watches", "x/relay.h",
                     "GHCOMP_STAT_TURNS trace/unseen", "lets tasks pass", "crowded_x", "plain English",
                     "by few", "struct ghcomp_share", "it was told", "left out, quietly", "\u00e9_told.h",
                     "the B\u00e9d", "a Bed\u2014and an era", "Nobody is"):
            may = possible_in([text])
            for name in ("a.c", "cbits/core/tool/a.c"):
                self.assertEqual(found(name, text, may), found(name, text), text)

    def test_finds(self):
        for text in ("ghcomp_few_wait(self)", "see relay.c", "the bell rings", "in this era", "Haskell is pressed",
                     "ghcomp_tree_fit(", "struct ghcomp_share *share", "capabilitySight", "GHCOMP_STAT_TURNS",
                     "CROWDED_TICKS", "impatience", "ghcomp_self_unseen", "GHCOMP_TASK_LEFT_OUT", "abi/lock_told.h"):
            self.assertTrue(found("a.c", text), text)
        for text in ("wait_seen(self)", "team->left_out", "while nobody watches", "its start is untold"):
            self.assertTrue(found("cbits/core/team/a.c", text), text)
        for text in ("a tool is told of it", "the task is left out", "waits quietly"):
            self.assertTrue(found("cbits/core/tool/a.c", text), text)

    def test_leaves_english(self):
        for text in ("a few threads", "several", "a compressed file", "at least two trees", "barrier_tree.c",
                     "ghcomp_share_mode", "ghcomp_tree_from", "task_team.c", "room for two", "generation"):
            self.assertFalse(found("a.c", text), text)
        for text in ("top as the owner saw it, seen_top", "he was told", "the file is left out"):
            self.assertFalse(found("cbits/core/team/a.c", text), text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
