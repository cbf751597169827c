#!/usr/bin/python3
"""The site as one page: OUT/html/all.html, for reading and printing from end to end, and for a search by the browser.

    tools/site/onepage.py OUT

The articles of all pages that mkdocs has made, in the navigation's order, each under its section. Identifiers get the
page's name in front, and links between the pages become links within the one. Haddock's pages and the sources stay
where they are. Called by mk/docs.mk; its links are tested with those of the other pages (test/docs/site.py).
"""

import html
import os
import posixpath
import re
import sys

ARTICLE = re.compile(r'<article class="md-content__inner md-typeset">(.*?)</article>', re.S)


def pages_of(config):
    """(section, page) in the order of mkdocs.yml's navigation, as stage.py writes it."""
    section, found = "", []
    with open(config, encoding="utf-8") as f:
        for line in f:
            if re.match(r"  - .*:$", line):
                section = line.strip()[2:-1]
            elif line.startswith("      - "):
                found.append((section, line.strip()[2:]))
    return found


def name_of(page):
    return re.sub(r"\W+", "-", page[:-3])


def address_of(page):
    return page[:-3] + ".html"


def moved(article, page, known):
    """The page's HTML with its identifiers and links as they are in the one page."""
    name, folder = name_of(page), posixpath.dirname(page)

    def link(match):
        what, target = match.group(1), html.unescape(match.group(2))
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        address, _, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(folder, address)) if address else address_of(page)
        if path in known and what == "href":
            target = "#" + name_of(known[path]) + ("." + anchor if anchor else "")
        else:
            target = path + ("#" + anchor if anchor else "")
        return '%s="%s"' % (what, html.escape(target))

    article = re.sub(r'(?<![-\w])id="([^"]+)"', r'id="%s.\1"' % name, article)
    return re.sub(r'(?<![-\w])(href|src)="([^"]*)"', link, article)


def main():
    out = os.path.abspath(sys.argv[1])
    site = os.path.join(out, "html")
    pages = pages_of(os.path.join(out, "mkdocs.yml"))
    known = {address_of(page): page for _, page in pages}
    body, contents, before = [], [], None
    for section, page in pages:
        with open(os.path.join(site, address_of(page)), encoding="utf-8") as f:
            article = ARTICLE.search(f.read()).group(1)
        if section != before:
            contents.append("%s<li>%s<ul>" % ("</ul></li>" if before else "", html.escape(section)))
            before = section
        title = re.sub(r"<a class=\"headerlink.*?</a>|<[^>]+>", "", re.search(r"<h1.*?</h1>", article, re.S).group(0))
        contents.append('<li><a href="#%s">%s</a></li>' % (name_of(page), title))
        body.append('<div id="%s">%s</div>' % (name_of(page), moved(article, page, known)))
    with open(os.path.join(site, "index.html"), encoding="utf-8") as f:
        frame = f.read()
    whole = "<h1>All pages</h1>\n<ul>%s</ul></li></ul>\n%s" % ("\n".join(contents), "\n<hr>\n".join(body))
    frame = ARTICLE.sub(lambda m: m.group(0).replace(m.group(1), whole), frame, 1)
    # The first page's own table of contents does not fit here.
    frame = re.sub(r'<nav class="md-nav md-nav--secondary".*?</nav>', "", frame, flags=re.S)
    # "Skip to content".
    frame = re.sub(r'(<a href="#)[^"]*(" class="md-skip")', r"\1%s\2" % name_of(pages[0][1]), frame)
    with open(os.path.join(site, "all.html"), "w", encoding="utf-8") as f:
        f.write(frame)


if __name__ == "__main__":
    main()
