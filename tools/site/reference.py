"""Reference pages made from what the tree has: ghcomp.h, and the modules that Haddock documents.

Called by stage.py; tested by test/docs/stage_test.py.
"""

import html
import os
import re

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
STATISTIC = re.compile(r"^ *(GHCOMP_STAT_\w+),\s*/\*\s*(.*?)\s*\*/", re.M | re.S)


def plain(comment):
    """A C comment's text as Markdown: its margin goes; a part in columns, all lines of which are indented, becomes
    code, and so do names."""
    lines = comment.split("\n")
    margin = r" \* ?" if all(line.startswith(" *") for line in lines[1:] if line.strip()) else r" {0,3}"
    lines = [lines[0].strip()] + [re.sub("^" + margin, "", line).rstrip() for line in lines[1:]]
    parts = "\n".join(lines).strip("\n").split("\n\n")
    return "\n\n".join(re.sub("^", "  ", part, flags=re.M) if columns(part) else in_words(part) for part in parts)


def columns(part):
    return all(line.startswith("  ") for line in part.split("\n"))


def in_words(part):
    """A paragraph, or a list and its continuation, before which Markdown needs a blank line."""
    part = re.sub(r"(\n(?:- |  ).*)\n(?=[^- ])", r"\1\n\n", part)
    return re.sub(r"(?<![`\w])(ghcomp_\w+|GHCOMP_\w+|setNumCapabilities|newCallback)(?![`\w])", r"`\1`", part)


def declarations(header):
    """(comment, code) of the header's parts: a comment, then lines up to the next blank line or comment."""
    body = header[header.index("GHCOMP_API const"):] if "GHCOMP_API const" in header else header
    body = "/*" + header[:header.index("GHCOMP_API const")].rsplit("/*", 1)[1] + body
    body = body[:body.rindex("#ifdef __cplusplus")]
    parts, at = [], 0
    for match in re.finditer(r"^/\*.*?\*/\n?", body, re.S | re.M):
        if parts:
            parts[-1][1] = body[at:match.start()].strip("\n")
        parts.append([match.group(0).strip()[2:-2], ""])
        at = match.end()
    parts[-1][1] = body[at:].strip("\n")
    return parts


def statistics(header):
    """A table of the counters, in the enumeration's order."""
    rows = [(name, re.sub(r"\s+", " ", words)) for name, words in STATISTIC.findall(header)]
    if not rows:
        raise SystemExit("ghc-openmp: site: ghcomp.h has no GHCOMP_STAT_ counters")
    return ["| counter | counts |", "|---|---|"] + ["| `%s` | %s |" % row for row in rows]


def header_page(header):
    """cbits/include/ghcomp.h as a page."""
    head = COMMENT.search(header).group(1)
    lines = ["# ghcomp.h", "", "Generated from `cbits/include/ghcomp.h`, which is installed with the library.", "",
             plain(head), ""]
    section = None
    for comment, code in declarations(header):
        if comment.strip().startswith("----"):
            section = re.match(r"\s*-+ (.*?) -{3,}", comment).group(1)
            lines += ["## " + section.split(":")[0], "", plain(comment[comment.index("\n"):]), ""]
            lines += ["```c", code, "```", ""] if code else []
            continue
        names = re.findall(r"\b(ghcomp_\w+)\(", code) or re.findall(
            r"enum (\w+)|\(\*(\w+)\)|struct (\w+)|\b(GHCOMP_\w+)", code)
        name = names[0] if isinstance(names[0], str) else next(filter(None, names[0]))
        lines += ["### " + name, ""]
        lines += ["```c", code.replace("GHCOMP_API ", ""), "```", "", plain(comment), ""]
        if "GHCOMP_STAT_" in code:
            lines += statistics(code) + [""]
    return "\n".join(lines)


def haddock_page(folder):
    """A list of the library's public modules, each linked to its page of Haddock; `folder` is beside the page."""
    pages = [n for n in os.listdir(folder) if re.match(r"(OpenMP|Data)(-[\w-]+)?\.html$", n)]
    names = sorted(n[:-5].replace("-", ".") for n in pages)
    if not names:
        raise SystemExit("ghc-openmp: site: no modules in %s; make haddock builds them" % folder)
    lines = ["# Haskell modules", "", "Haddock's pages of each module, with an example for each function; "
             "[which module for what](haskell.md#which-module-for-what), [all names](../haddock/doc-index.html).", "",
             "| module | |", "|---|---|"]
    for name in names:
        if ".Internal" not in name:
            lines.append("| [%s](../haddock/%s.html) | %s |" % (name, name.replace(".", "-"), summary(folder, name)))
    return "\n".join(lines) + "\n"


def summary(folder, name):
    """The first sentence of a module's description."""
    with open(os.path.join(folder, name.replace(".", "-") + ".html"), encoding="utf-8") as f:
        match = re.search(r'<div id="description">.*?<div class="doc"><p>(.*?)</p>', f.read(), re.S)
    words = html.unescape(re.sub(r"<[^>]+>|\s+", lambda m: "" if m.group(0)[0] == "<" else " ",
                                 match.group(1))) if match else ""
    return re.split(r"(?<=[.:]) ", words)[0].replace("|", "\\|").strip()


def settle_haddock(folder):
    """Haddock's pages without what leads out of the site: its script from elsewhere, and links to names that have no
    page here, such as those of packages whose documentation is not installed. Their words stay."""
    texts = {}
    for name in os.listdir(folder):
        if name.endswith(".html"):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                texts[name] = f.read()
    anchors = {name: set(re.findall(r' (?:id|name)="([^"]+)"', text)) for name, text in texts.items()}

    for name, text in texts.items():
        def link(match):
            page, _, anchor = html.unescape(match.group(1)).partition("#")
            page = page or name
            there = page in anchors and (not anchor or anchor in anchors[page])
            return match.group(0) if there or not page.endswith(".html") else match.group(2)

        text = re.sub(r'<script src="https?:[^>]*></script>', "", text)
        # The words of such a link have no link inside.
        text = re.sub(r'<a href="([^"]*)"[^>]*>((?:(?!</?a\b).)*)</a>', link, text, flags=re.S)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
