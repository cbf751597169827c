#!/usr/bin/python3
"""Prepares the documentation site: the folder that mkdocs makes the pages from.

    tools/site/stage.py OUT [--haddock FOLDER]

The pages are those of the tree: README.md, CONTRIBUTING.md, CHANGELOG.md and docs/. They are copied to OUT/pages, their
links as they are in the tree. What this changes:

- a link to a file of the tree that is no page goes to a copy of that file (source/), to a folder to a list of it;
- a picture is there twice, for a light and for a dark ground (pictures.py), a diagram stands in its page (diagrams.py);
- reference pages are made (reference.py), and OUT/mkdocs.yml, which says where each page is in the navigation:
  docs/site/navigation.txt, whose sections are the folders of docs/.

A link to nothing is an error. The interpreter is the system's, since mkdocs and pygments are Debian's packages. Called
by `make docs` (mk/docs.mk); tested by test/docs.
"""

import argparse
import fnmatch
import os
import posixpath
import shutil
import sys

import diagrams
import markdown
import pictures
import reference
import source

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOP_PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md"}
ADR = "docs/internals/adr"


def fail(text):
    sys.exit("ghc-openmp: site: " + text)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


class Site:
    def __init__(self, out):
        self.out = os.path.join(out, "pages")
        self.pages = {}         # path in the tree -> path of the page
        self.texts = {}         # path of the page -> Markdown
        self.sources = set()    # files of the tree that pages link to
        self.folders = set()
        for path, page in TOP_PAGES.items():
            self.pages[path] = page
        for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                if name.endswith(".md"):
                    self.pages[path] = posixpath.relpath(path, "docs").replace("README.md", "index.md")

    def write(self, page, text, mode="w"):
        path = os.path.join(self.out, page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, mode, **({} if "b" in mode else {"encoding": "utf-8"})) as f:
            f.write(text)

    def add(self, page, text, where):
        """A page whose links are relative to the file `where` of the tree."""
        self.texts[page] = text
        changed = markdown.links(text, lambda image, words, target: self.link(image, words, target, where, page))
        self.write(page, markdown.adapt(changed))

    def link(self, image, words, target, where, page):
        """The link in the site's terms; None where it needs no change."""
        address, mark, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:") or not address:
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(where), address))
        if path.startswith("docs/haddock/"):
            return None
        if not os.path.exists(os.path.join(ROOT, path)):
            fail("%s links to %s, which is not there" % (where, target))
        if image:
            return self.image(words, path, page)
        return "[%s](%s%s%s)" % (words, self.relative(self.address(path), page), mark, anchor)

    def address(self, path):
        """Where the site has a file or a folder of the tree."""
        if path in self.pages:
            return self.pages[path]
        if os.path.isdir(os.path.join(ROOT, path)):
            index = posixpath.join(path, "README.md")
            if index in self.pages:
                return self.pages[index]
            if path == ADR:
                return "internals/adr/index.md"
            self.folders.add(path)
            return "source/%s/index.html" % path
        self.sources.add(path)
        return "source/%s.html" % path

    def relative(self, address, page):
        return posixpath.relpath(address, posixpath.dirname(page) or ".")

    def image(self, words, path, page):
        if path.startswith("docs/diagrams/"):
            return '\n<div class="diagram" title="%s">%s</div>\n' % (
                words.replace('"', "&quot;"), diagrams.page_svg(read(path), path))
        if not path.endswith(".svg"):
            fail("%s shows %s; pictures are SVG" % (page, path))
        shown = []
        for form in pictures.FORMS:
            address = posixpath.relpath(path, "docs")[:-4] + "-%s.svg" % form
            self.write(address, pictures.in_form(read(path), form))
            shown.append("![%s](%s#only-%s)" % (words, self.relative(address, page), form))
        return "\n".join(shown)

    def decisions(self):
        """The list of decisions, since their folder has none."""
        lines = ["# Decisions", "", "One page for each that would be hard to change later: what was decided, and why.",
                 ""]
        for path in sorted(p for p in self.pages if fnmatch.fnmatch(p, ADR + "/[0-9]*.md")):
            lines.append("- [%s](%s)" % (markdown.title(read(path), path), posixpath.basename(path)))
        self.add("internals/adr/index.md", "\n".join(lines) + "\n", ADR + "/index.md")

    def write_sources(self):
        """Copies of the files that pages link to, and of those in the folders that they link to."""
        for folder in sorted(self.folders):
            names = sorted(n for n in os.listdir(os.path.join(ROOT, folder)) if not n.startswith((".", "__")))
            files = [n for n in names if os.path.isfile(os.path.join(ROOT, folder, n))]
            self.sources.update(posixpath.join(folder, n) for n in files)
            self.write("source/%s/index.html" % folder, source.listing(folder, names, files))
        for path in sorted(self.sources):
            self.write("source/%s.html" % path, source.page(path, read(path)))


def navigation(site, has_haddock):
    """The lines of mkdocs.yml's `nav`. docs/site/navigation.txt has a section in each line that is not indented, and a
    page or a pattern for pages in each that is. A page that it does not name, and one in the section of another folder,
    is an error."""
    known, lines, used, section = set(site.texts), ["nav:"], set(), ""
    for line in read("docs/site/navigation.txt").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            section = line.strip()
            lines.append("  - %s:" % section)
            continue
        pattern = line.strip()
        if pattern == "reference/haskell-modules.md" and not has_haddock:
            continue
        found = sorted(p for p in known if fnmatch.fnmatch(p, pattern) and p not in used)
        if not found:
            fail("docs/site/navigation.txt names %s, which is no page" % pattern)
        strange = [page for page in found if "/" in page and page.split("/")[0] != section.lower()]
        if strange:
            fail("docs/site/navigation.txt has %s in the section %s" % (strange[0], section))
        lines += ["      - %s" % page for page in found]
        used.update(found)
    rest = sorted(known - used)
    if rest:
        fail("docs/site/navigation.txt does not name %s" % rest[0])
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out")
    parser.add_argument("--haddock", help="the folder with Haddock's pages; without it the site has none")
    options = parser.parse_args()
    out = os.path.abspath(options.out)
    site = Site(out)
    shutil.rmtree(site.out, ignore_errors=True)
    for path, page in sorted(site.pages.items()):
        site.add(page, read(path), path)
    site.decisions()
    site.add("reference/ghcomp-h.md", reference.header_page(read("cbits/include/ghcomp.h")),
             "docs/reference/ghcomp-h.md")
    if options.haddock:
        # Cabal puts README.md and CHANGELOG.md beside the modules; the site has them.
        shutil.copytree(options.haddock, os.path.join(site.out, "haddock"), ignore=shutil.ignore_patterns("*.md"))
        reference.settle_haddock(os.path.join(site.out, "haddock"))
        site.add("reference/haskell-modules.md", reference.haddock_page(os.path.join(site.out, "haddock")),
                 "docs/reference/haskell-modules.md")
    site.write_sources()
    for name in ("extra.css",):
        shutil.copy(os.path.join(ROOT, "docs", "site", name), os.path.join(site.out, name))
    with open(os.path.join(out, "mkdocs.yml"), "w", encoding="utf-8") as f:
        f.write("# Made by tools/site/stage.py.\nINHERIT: %s\ndocs_dir: %s\nsite_dir: %s\n%s\n" % (
            os.path.join(ROOT, "docs", "site", "mkdocs.yml"), site.out, os.path.join(out, "html"),
            "\n".join(navigation(site, bool(options.haddock)))))
    print("site: %d pages, %d files of the tree" % (len(site.texts), len(site.sources)))


if __name__ == "__main__":
    main()
