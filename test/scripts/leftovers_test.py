#!/usr/bin/env python3
"""Nothing is committed that no rule makes and no page shows: every result of bench/ has its page or is named in one,
and every picture is in one."""

import itertools
import math
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
    """The results that no page was generated from and none names. NAME-before.json, of the same run, belongs to
    NAME.json."""
    named = set(re.findall(r"`(bench/results/[^`]+\.json)`", "\n".join(texts.values())))
    return [name for name in results if re.sub(r"-before(?=\.json$)", "", name) not in named]


def not_shown(pictures, texts):
    """The pictures that no page shows."""
    shown = set(re.findall(r"\(((?:[\w./]*/)?pictures/[^)]+)\)", "\n".join(texts.values())))
    shown = {os.path.basename(name) for name in shown}
    return [name for name in pictures if os.path.basename(name) not in shown]


def channels(colour):
    """Red, green and blue as amounts of light, from 0 to 1."""
    digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
    values = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def contrast(one, other):
    """As the WCAG defines it, 1 to 21; 3 is what it asks of graphics."""
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(channels, (one, other)))
    return (high + 0.05) / (low + 0.05)


def distance(one, other):
    """How far two colours are from each other in CIE's L*a*b* space; 2 can just be seen side by side."""
    def lab(colour):
        r, g, b = channels(colour)
        x, y, z = [t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b,
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)]
        return 116 * y - 16, 500 * (x - y), 200 * (y - z)
    return math.dist(lab(one), lab(other))


def series(svg):
    """The colour of each thing that a picture tells apart: lines, bars, lanes, names of a list, and in a trace the
    kinds of spans and the signs above them."""
    own = re.findall(r'<polyline [^>]*stroke="(#[0-9a-f]{6})"', svg)
    own = own or re.findall(r'<rect class="bar" [^>]*fill="(#[0-9a-f]{6})"', svg)
    # A trace's paler square stands for all, and its colour has four digits.
    own = own or (re.findall(r'<rect x="\d+" y="\d+" width="12" height="12" fill="(#[0-9a-f]{6})"', svg)
                  + re.findall(r'<path fill="(#[0-9a-f]{6})" d="M\d+ \d+h8l-4 7z"', svg))
    return (own or re.findall(r'<rect x="\d+" y="\d+" width="14" height="6" fill="(#[0-9a-f]{6})"', svg)
            or re.findall(r'<circle cx="\d+" cy="[\d.]+" r="5" fill="(#[0-9a-f]{6})"/>', svg))


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
        for colours, ground in ((chart.COLOURS, chart.GROUND), (chart.DARK_COLOURS, chart.DARK[chart.GROUND])):
            for one, other in itertools.combinations(colours, 2):
                self.assertGreater(distance(one, other), 20, (one, other))
            for one in colours:
                self.assertGreater(contrast(one, ground), 3, (one, ground))
        for name in tracked("docs/pictures"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                colours = series(file.read())
            self.assertTrue(colours, name)
            for one, other in itertools.combinations(colours, 2):
                self.assertGreater(distance(one, other), 20, (name, one, other))

    def test_forms_and_notes(self):
        """Each picture has a dark form of every colour in it, and says what was measured, where and when."""
        for name in tracked("docs/pictures"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                svg = file.read()
            self.assertIn("@media (prefers-color-scheme: dark)", svg, name)
            note = re.search(r">[^<]+CPUs; ghc-openmp [0-9a-f]{7,}(-dirty)?; \d{4}-\d\d-\d\d</text>", svg)
            self.assertTrue(note, "%s does not say what was measured, where and when" % name)
            if "/trace-" in name:  # turned round as a whole
                continue
            style, drawn = svg.split("</style>")
            for colour in set(re.findall(r'(?:fill|stroke)="#[0-9a-f]+"', drawn)):
                self.assertIn("[%s] {" % colour, style, name)

    def test_series_are_found(self):
        """Two series of one colour are seen in each kind of picture."""
        lines = [("a", [(1, 1), (2, 5)]), ("b", [(1, 2), (2, 9)])]
        dots = [("row", {0: ([chart.Dot("filled", 1.0, 0.5, 2.0)], None)})]
        for svg in (chart.curves("t", "x", "y", lines), chart.bars("t", "x", [("a", 1, "1"), ("b", 2, "2")]),
                    chart.dots("t", "x", dots, ["one", "two"], {"filled": "ours"}),
                    chart.scatter("t", "x", "y", [("a", 1, 1), ("b", 2, 2)])):
            self.assertEqual(series(svg), list(chart.COLOURS[:2]))
        self.assertEqual(series('<rect x="14" y="34" width="12" height="12" fill="#56b4e9"/>'
                                '<path fill="#882255" d="M548 37h8l-4 7z"/>'
                                '<rect x="99" y="34" width="12" height="12" fill="#ade"/>'), ["#56b4e9", "#882255"])

    def test_points_in_one_place(self):
        """A point stands out from under each one that is drawn over it, and no others are larger."""
        radii = re.findall(r'r="(\d+)" fill="[^"]+" stroke', chart.scatter(
            "t", "x", "y", [("a", 1, 1), ("b", 1, 1), ("c", 1, 1), ("d", 2, 1)]))
        self.assertEqual([int(radius) - chart.RADIUS for radius in radii], [2 * chart.RING, chart.RING, 0, 0])

    def test_distance(self):
        self.assertAlmostEqual(contrast("#000", "#fff"), 21)
        self.assertLess(distance("#808080", "#828282"), 1)
        self.assertGreater(distance("#000", "#fff"), 99)


if __name__ == "__main__":
    unittest.main(verbosity=2)
