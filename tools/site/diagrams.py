"""Diagrams: docs/diagrams/*.dot drawn by graphviz, as SVG that takes its colours from the page.

A node or edge of the sources has a class (`class="ours"`), never a colour; docs/site/extra.css has the colours of each
class in light and in dark. The SVG is put into the page itself, since only there the page's colours reach it. Called by
stage.py; tested by test/docs/stage_test.py.
"""

import re
import subprocess


def draw(path):
    """The diagram as one line of SVG, without sizes in points, so that it is as wide as the page lets it be."""
    done = subprocess.run(["dot", "-Tsvg", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode or done.stderr:
        raise SystemExit("ghc-openmp: site: dot cannot draw %s: %s" % (path, done.stderr.strip()))
    return page_svg(done.stdout, path)


def page_svg(svg, name):
    """What `dot -Tsvg` prints, made fit for a page; `name` keeps the identifiers of two diagrams apart."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.S)
    width = float(re.search(r'width="([\d.]+)pt"', svg).group(1))
    size = 'style="max-width:%dpx" role="img"' % round(width * 1.25)
    svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', size, svg, 1)
    prefix = re.sub(r"\W", "-", re.sub(r".*/|\.dot$", "", name))
    svg = re.sub(r' id="([^"]+)"', r' id="%s-\1"' % prefix, svg)
    svg = re.sub(r'<polygon fill="white"[^>]*/>', "", svg, 1)
    svg = re.sub(r' (fill|stroke)="(black|none|lightgrey)"', lambda m: m.group(0) if m.group(2) == "none" else "", svg)
    svg = re.sub(r' font-family="[^"]*"', "", svg)
    svg = re.sub(r"<title>[^<]*</title>", "", svg)
    return re.sub(r"\s*\n\s*", "", svg)
