"""Files of the tree as pages of the site, with their syntax in colours: what a page that links to them leads to.

They are no pages of mkdocs, so that the search finds the documentation and not its sources. Called by stage.py.
"""

import html
import posixpath

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

FORM = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>%s</title>
<style>
body { margin: 1em 1.5em; font-family: sans-serif; background: #fff; color: #222; }
pre { font-size: 0.85em; line-height: 1.35; overflow-x: auto; }
td.linenos pre { color: #777; padding-right: 1em; text-align: right; }
%s
@media (prefers-color-scheme: dark) {
body { background: #1e2129; color: #ddd; } a { color: #8ab4f8; }
%s
}
</style></head><body><h1>%s</h1>
%s
</body></html>
"""


def styles(name):
    formatter = HtmlFormatter(style=name)
    return formatter.get_style_defs(".code") + "\n.code { background: transparent; }"


def frame(title, body):
    return FORM % (html.escape(title), styles("default"), styles("github-dark"), html.escape(title), body)


def page(path, text):
    try:
        lexer = get_lexer_for_filename(path)
    except ClassNotFound:
        lexer = TextLexer()
    return frame(path, highlight(text, lexer, HtmlFormatter(cssclass="code", linenos="table", lineanchors="L")))


def listing(folder, names, files):
    """The names in a folder; files are links to their copies."""
    items = []
    for name in names:
        shown = html.escape(name)
        address = posixpath.relpath("%s/%s.html" % (folder, shown), folder)
        items.append("<li>%s</li>" % ('<a href="%s">%s</a>' % (address, shown) if name in files else shown + "/"))
    return frame(folder + "/", "<ul>\n%s\n</ul>" % "\n".join(items))
