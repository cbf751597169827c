#!/usr/bin/python3
"""tools/site: Markdown made ready for the site, links, pictures, diagrams and reference pages, on made-up input."""

import glob
import html
import os
import re
import shutil
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "site"))
import diagrams  # noqa: E402
import markdown  # noqa: E402
import onepage  # noqa: E402
import pictures  # noqa: E402
import reference  # noqa: E402


class Markdown(unittest.TestCase):
    def test_a_list_gets_a_blank_line(self):
        self.assertEqual(markdown.adapt("words\n- one\n- two"), "words\n\n- one\n- two")

    def test_what_belongs_to_an_item_is_indented_by_four(self):
        self.assertEqual(markdown.adapt("- one\n  goes on\n\n      code\n\nend"),
                         "- one\n    goes on\n\n        code\n\nend")
        self.assertEqual(markdown.adapt("1. one\n\n   a paragraph\n2. two"), "1. one\n\n    a paragraph\n\n2. two")
        self.assertEqual(markdown.adapt("- one\n  - inner\n- two"), "- one\n    - inner\n- two")

    def test_code_stays(self):
        for text in ("```\n- one\n<!-- x -->\n```", "    - code\n    more"):
            self.assertEqual(markdown.adapt(text), text)

    def test_comments_go(self):
        self.assertEqual(markdown.adapt("<!-- from: a -->\nwords"), "words")

    def test_what_is_folded_is_read(self):
        self.assertEqual(markdown.adapt("<details>\n<summary>x</summary>"),
                         '<details markdown="1">\n<summary>x</summary>')
        self.assertEqual(markdown.adapt("```\n<details>\n```"), "```\n<details>\n```")

    def test_links(self):
        seen = []

        def change(image, words, target):
            seen.append((image, words, target))
            return "[%s](new)" % words

        text = "see [`a`](b.md#c) and ![p](q.svg), `[no](x)`\n\n    [code](y)\n\n```\n[fence](z)\n```\n[over\nlines](w)"
        changed = markdown.links(text, change)
        self.assertEqual(seen, [("", "\0000\0", "b.md#c"), ("!", "p", "q.svg"), ("", "over\nlines", "w")])
        self.assertIn("[`a`](new)", changed)
        for kept in ("`[no](x)`", "[code](y)", "[fence](z)"):
            self.assertIn(kept, changed)


class Pictures(unittest.TestCase):
    SVG = '<svg>\n<style>\n@media (prefers-color-scheme: dark) {\n[fill="#222"] { fill: #ddd; }\n}\n</style>\n</svg>'

    def test_forms_do_not_depend_on_the_system(self):
        self.assertNotIn("fill: #ddd", pictures.in_form(self.SVG, "light"))
        self.assertIn("fill: #ddd", pictures.in_form(self.SVG, "dark"))
        for form in pictures.FORMS:
            self.assertNotIn("@media", pictures.in_form(self.SVG, form))

    def test_a_picture_without_a_dark_form_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "no dark form"):
            pictures.in_form("<svg></svg>", "dark")


class Diagrams(unittest.TestCase):
    SOURCES = sorted(glob.glob(os.path.join(diagrams.FOLDER, "*.dot")))

    def committed(self, source):
        with open(source[:-4] + ".svg", encoding="utf-8") as f:
            return f.read()

    @unittest.skipUnless(shutil.which("dot"), "graphviz is not installed")
    def test_pictures_are_those_of_the_sources(self):
        self.assertTrue(self.SOURCES)
        for source in self.SOURCES:
            self.assertEqual(diagrams.structure(self.committed(source)), diagrams.structure(diagrams.draw(source)),
                             source + ": run make diagrams")

    def test_pictures_have_the_words_of_the_sources(self):
        for source in self.SOURCES:
            with open(source, encoding="utf-8") as f:
                words = {line for label in re.findall(r'label="([^"]*)"', f.read()) for line in label.split("\\n")}
            said = {html.unescape(t) for t in re.findall(r"<text[^>]*>([^<]*)</text>", self.committed(source))}
            self.assertLessEqual(words - {""}, {t.replace("\xa0", " ") for t in said}, source)

    def test_structure_sees_a_change(self):
        svg = self.committed(self.SOURCES[0])
        self.assertNotEqual(diagrams.structure(svg), diagrams.structure(svg.replace("</text>", "x</text>", 1)))

    def test_a_picture_has_both_forms(self):
        for source in self.SOURCES:
            self.assertIn("prefers-color-scheme: dark", self.committed(source))

    def test_no_colours_of_its_own(self):
        source = os.path.join(diagrams.FOLDER, "layers.dot")
        svg = diagrams.page_svg(self.committed(source), "layers.svg")
        self.assertIn('class="node ours"', svg)
        self.assertIn('id="layers-', svg)
        for own in ('"black"', '"white"', "<title>", "<style>", "\n", "pt\""):
            self.assertNotIn(own, svg)

    def test_a_bad_diagram_is_an_error(self):
        with self.assertRaises(SystemExit):
            diagrams.draw(os.path.join(ROOT, "docs", "diagrams", "nothing.dot"))


class Reference(unittest.TestCase):
    def header(self):
        with open(os.path.join(ROOT, "cbits", "include", "ghcomp.h"), encoding="utf-8") as f:
            return f.read()

    def test_every_function_of_the_header_is_there(self):
        page = reference.header_page(self.header())
        for line in self.header().splitlines():
            if line.startswith("GHCOMP_API"):
                name = line.split("(")[0].replace("*", " ").split()[-1]
                self.assertIn(name + "(", page)
        self.assertIn("| `GHCOMP_STAT_STEALS` | tasks taken from another thread |", page)
        self.assertNotIn("GHCOMP_API", page)

    def test_comments(self):
        for comment, text in ((" Words\n   go on. ", "Words\ngo on."),
                              (" *a = ghcomp_x(*b)\n   more", "*a = `ghcomp_x`(*b)\nmore"),
                              (" One:\n   - a\n     b\n   - c\n   End. ", "One:\n- a\n  b\n- c\n\nEnd."),
                              ("\n * Types.\n *\n *   ghcomp_x   y\n *   ghcomp_z   y\n ",
                               "Types.\n\n    ghcomp_x   y\n    ghcomp_z   y")):
            self.assertEqual(reference.plain(comment), text)

    def test_a_new_counter_is_there(self):
        header = self.header().replace("    GHCOMP_STATS\n",
                                       "    GHCOMP_STAT_NEW, /* what is\n       new */\n    GHCOMP_STATS\n")
        self.assertIn("| `GHCOMP_STAT_NEW` | what is new |", reference.header_page(header))


class OnePage(unittest.TestCase):
    def test_links_and_identifiers(self):
        known = {"a.html": "a.md", "adr/b.html": "adr/b.md"}
        text = '<h1 id="x">t</h1><a href="#x">1</a><a href="../a.html#y">2</a>' \
               '<img src="p.svg#only-dark"><a href="https://z">3</a>'
        self.assertEqual(onepage.moved(text, "adr/b.md", known),
                         '<h1 id="adr-b.x">t</h1><a href="#adr-b.x">1</a><a href="#a.y">2</a>'
                         '<img src="adr/p.svg#only-dark"><a href="https://z">3</a>')


if __name__ == "__main__":
    unittest.main()
