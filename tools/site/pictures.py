"""The committed pictures (docs/pictures) for a light and for a dark ground.

A picture's colours are those of the light form; its style has the dark ones, in `@media (prefers-color-scheme: dark)`
(bench/chart.py, app/Ghcomp/Trace/Svg.hs). So a picture by itself follows the reader's system. A page of the site has a
switch of its own: there one of the two forms is shown, in which nothing depends on the system. Called by stage.py;
tested by test/docs/stage_test.py.
"""

import re

FORMS = ("light", "dark")
DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\n(.*?)\n\}\n", re.S)


def in_form(svg, form):
    """The picture in one form; nothing in it depends on the system."""
    if not DARK.search(svg):
        raise SystemExit("ghc-openmp: site: a picture has no dark form; `make gen` or `make pictures` draws it")
    return DARK.sub((lambda m: m.group(1) + "\n") if form == "dark" else "", svg)
