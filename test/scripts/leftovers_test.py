#!/usr/bin/env python3
"""Nothing is committed that no rule makes and no page shows: every result of bench/ has its page, every picture is in
one."""

import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))
import chart  # noqa: E402


def tracked(folder):
    out = subprocess.run(["git", "ls-files", folder], cwd=ROOT, stdout=subprocess.PIPE, check=True,
                         universal_newlines=True)
    return out.stdout.split()


def pages():
    """The text of all Markdown pages, by their path."""
    texts = {}
    for name in tracked("docs") + ["README.md"]:
        if name.endswith(".md"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                texts[name] = file.read()
    return texts


def without_page(results, texts):
    """The results that no page was generated from."""
    made_from = set(re.findall(r"^Generated from `([^`]+)` by `make gen`", "\n".join(texts.values()), re.M))
    return [name for name in results if name not in made_from]


def not_shown(pictures, texts):
    """The pictures that no page shows."""
    shown = set(re.findall(r"\(((?:[\w./]*/)?pictures/[^)]+)\)", "\n".join(texts.values())))
    shown = {os.path.basename(name) for name in shown}
    return [name for name in pictures if os.path.basename(name) not in shown]


class Leftovers(unittest.TestCase):
    def test_results(self):
        results = tracked("bench/results")
        self.assertTrue(results)
        self.assertEqual(without_page(results, pages()), [])

    def test_pictures(self):
        pictures = tracked("docs/pictures")
        self.assertTrue(pictures)
        self.assertEqual(not_shown(pictures, pages()), [])

    def test_finds(self):
        texts = {"docs/a.md": "Generated from `bench/results/a.json` by `make gen`; x.\n![x](pictures/a.svg)"}
        self.assertEqual(without_page(["bench/results/a.json", "bench/results/tmp.json"], texts),
                         ["bench/results/tmp.json"])
        self.assertEqual(not_shown(["docs/pictures/a.svg", "docs/pictures/b.svg"], texts), ["docs/pictures/b.svg"])

    def test_colours(self):
        """No two series of a picture have the same colour: in the palette, and in the pictures as committed."""
        self.assertEqual(len(set(chart.COLOURS)), len(chart.COLOURS))
        for name in tracked("docs/pictures"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                legend = re.findall(r'<circle cx="\d+" cy="[\d.]+" r="5" fill="(#[0-9a-f]+)"/>', file.read())
            self.assertEqual(len(set(legend)), len(legend), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
