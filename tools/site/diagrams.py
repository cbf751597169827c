#!/usr/bin/env python3
"""Diagrams: docs/diagrams/*.dot drawn by graphviz as SVG beside them, which the pages show.

    tools/site/diagrams.py        draws all again (`make diagrams`); the SVG is committed

A node or edge of the sources has a class (`class="ours"`), never a colour; docs/site/extra.css has the colours of each
class in light and in dark. A drawn file has these rules in itself, so that a viewer of the source tree shows it in
either form. The site puts the SVG into its page without them (`page_svg`), since there the page's colours reach it.
Called by stage.py; tested by test/docs/stage_test.py.
"""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "docs", "diagrams")
STYLESHEET = os.path.join(ROOT, "docs", "site", "extra.css")
STYLE = re.compile(r"<style>.*?</style>", re.S)


def style(css):
    """The rules for a drawing that stands by itself."""
    light, dark = re.findall(r"\{([^{}]*--diagram-ink:[^{}]*)\}", css)
    rules = re.findall(r"^\.diagram ((?!svg|\{)[^{}]*\{[^{}]*\})", css, re.M)
    return "<style>\n:root { %s }\n@media (prefers-color-scheme: dark) { :root { %s } }\n%s\n</style>" % (
        " ".join(light.split()), " ".join(dark.split()), "\n".join(rule.replace(", .diagram ", ", ") for rule in rules))


def draw(path):
    """What is committed for a diagram: its SVG with the rules for its colours."""
    done = subprocess.run(["dot", "-Tsvg", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode or done.stderr:
        raise SystemExit("ghc-openmp: site: dot cannot draw %s: %s" % (path, done.stderr.strip()))
    svg = done.stdout[done.stdout.index("<svg"):]
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.S)
    svg = re.sub(r'<polygon fill="white"[^>]*/>\n?', "", svg, count=1)
    svg = re.sub(r' (fill|stroke)="(black|lightgrey)"', "", svg)
    with open(STYLESHEET, encoding="utf-8") as file:
        return re.sub(r"(<svg[^>]*>)", lambda m: m.group(0) + "\n" + style(file.read()), svg, count=1)


def structure(svg):
    """What a drawing says, whichever version of graphviz drew it: each node and edge with its class and its texts."""
    parts = re.findall(r'<g id="[^"]*" class="((?:node|edge|cluster)[^"]*)">\s*<title>([^<]*)</title>(.*?)</g>', svg,
                       re.S)
    return sorted((kind, title, tuple(re.findall(r"<text[^>]*>([^<]*)</text>", rest))) for kind, title, rest in parts)


def page_svg(svg, name):
    """A committed drawing as one line for a page, without its colours and without sizes in points, so that it is as
    wide as the page lets it be; `name` keeps the identifiers of two diagrams apart."""
    svg = STYLE.sub("", svg)
    width = float(re.search(r'width="([\d.]+)pt"', svg).group(1))
    size = 'style="max-width:%dpx" role="img"' % round(width * 1.25)
    svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', size, svg, count=1)
    prefix = re.sub(r"\W", "-", re.sub(r".*/|\.svg$", "", name))
    svg = re.sub(r' id="([^"]+)"', r' id="%s-\1"' % prefix, svg)
    svg = re.sub(r' font-family="[^"]*"', "", svg)
    svg = re.sub(r"<title>[^<]*</title>", "", svg)
    return re.sub(r"\s*\n\s*", "", svg)


def main():
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.dot"))):
        with open(path[:-4] + ".svg", "w", encoding="utf-8") as file:
            file.write(draw(path))


if __name__ == "__main__":
    sys.exit(main())
