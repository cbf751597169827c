"""A headless browser looks at the site: chromium opens harness pages beside it, which load its pages in frames and say
what they find.

For some pages, at the width of a telephone and of a desk, in the dark form and in the light one (a sampled run has a
third of these, test/sample.py): the page is not wider than the screen, the colours of background and text are of that
form and far enough from each other, every picture that is shown is loaded, the other form's are hidden, and the
diagrams' colours are the form's. The search finds a page by a word of it.

How it ends: the harness waits for events alone (a frame's load, a picture's decoding, a change of the list of results),
never for a time, and tells the server the name of each step when it begins. A step that takes longer than STEP_S, a
browser that ends and one that never begins are each a finding that names the step. Only seconds in which this process
ran are counted: one that was stopped has not waited. Imported by site.py; `sh tools/deps.sh browser` installs chromium.
"""

import functools
import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import sample  # noqa: E402

PAGES = ("index.html", "guide/start.html", "guide/c.html", "guide/sharing.html", "internals/design.html",
         "reference/coverage.html", "reference/environment.html", "reference/ghcomp-h.html", "results/constructs.html",
         "results/haskell.html")
WIDTHS = (390, 1280)
FORMS = ("default", "slate")  # light and dark, in the order of the site's palette
# A step takes a tenth of a second on an idle machine, and the first one some seconds, in which chromium starts.
STEP_S = START_S = 120
# No network, no keyring and no crash reports, and timers that run although the window is hidden.
FLAGS = ("--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --no-default-browser-check"
         " --disable-extensions --disable-sync --disable-background-networking --disable-component-update"
         " --disable-breakpad --password-store=basic --disable-background-timer-throttling"
         " --disable-renderer-backgrounding --disable-backgrounding-occluded-windows --window-size=1400,1000").split()
# A word, and a page that the search must find by it. Few pages have these: the theme shows the first results, and more
# when the list is scrolled.
SEARCHES = (("GHCOMP_ADMISSION", "reference/environment.html"), ("butterfly", "internals/barriers.html"))

# Frames are loaded one after the other; the server gets what was found. The frame has the palette's choice from the
# storage that the site's own switch writes.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><iframe id="f"></iframe>
<script>
const looks = %s, searches = %s, found = [], frame = document.getElementById("f")
const step = name => fetch("/__step", {method: "POST", body: JSON.stringify(name)})
const light = colour => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(v => v / 255)
  .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
const contrast = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05) }
async function open(address, width) {
  frame.style.cssText = "border:0;width:" + width + "px;height:900px"
  await new Promise(done => { frame.onload = done; frame.src = address })
  const inside = frame.contentDocument
  const pictures = [...inside.querySelectorAll("img")]
  for (const image of pictures) image.loading = "eager"
  await Promise.all(pictures.map(image => image.decode().catch(() => 0)))  // look() says which ones failed
  return inside
}
function form(index, scheme) {
  localStorage.setItem("/.__palette", JSON.stringify({index, color: {scheme, primary: "indigo", accent: ""}}))
}
async function look(page, width, scheme) {
  const where = page + ", " + width + " wide, " + scheme, say = words => found.push(where + ": " + words)
  await step(where)
  const inside = await open(page, width), view = frame.contentWindow, style = e => view.getComputedStyle(e)
  if (inside.body.dataset.mdColorScheme != scheme) say("the form is " + inside.body.dataset.mdColorScheme)
  if (inside.documentElement.scrollWidth > width) say(inside.documentElement.scrollWidth + " pixels wide")
  const ground = style(inside.body).backgroundColor, article = inside.querySelector("article")
  if ((light(ground) < 0.2) != (scheme == "slate")) say("the ground is " + ground)
  for (const e of article.querySelectorAll("h1, p, td, li, code"))
    if (e.innerText.trim() && contrast(over(style(e).color, ground), ground) < 4) {
      say("hard to read: " + e.innerText.slice(0, 40)); break
    }
  const shown = [...article.querySelectorAll("img")].filter(e => style(e).display != "none")
  for (const image of article.querySelectorAll("img")) {
    const own = image.getAttribute("src").endsWith(scheme == "slate" ? "#only-dark" : "#only-light")
    if (own != shown.includes(image)) say("not the form's picture: " + image.getAttribute("src"))
  }
  for (const image of shown) if (!image.naturalWidth) say("not loaded: " + image.getAttribute("src"))
  for (const text of article.querySelectorAll(".diagram .node text")) {
    const shape = text.parentNode.querySelector("path, polygon"), fill = style(shape).fill
    if (fill == "none" || contrast(style(text).fill, fill) < 4) { say("a diagram: " + text.textContent); break }
  }
  if (page == "internals/design.html" && article.querySelectorAll(".diagram svg").length < 6) say("no diagrams")
}
function over(colour, ground) {
  const [r, g, b, a] = colour.match(/[\\d.]+/g).map(Number), under = ground.match(/[\\d.]+/g).map(Number)
  return "rgb(" + [r, g, b].map((v, i) => Math.round(v * (a ?? 1) + under[i] * (1 - (a ?? 1)))).join(",") + ")"
}
async function search(word, page) {
  // The theme types the address's q into its field once its index is there, so that nothing is typed too early.
  await step("the search for " + word)
  const inside = await open("index.html?q=" + word, 1280)
  const result = inside.querySelector("[data-md-component=search-result]")
  const links = () => [...result.querySelectorAll(".md-search-result__link")].map(e => e.getAttribute("href"))
  await new Promise(done => {
    const ended = () => { if (links().length || /^No /.test(result.innerText)) done() }
    new frame.contentWindow.MutationObserver(ended).observe(result, {childList: true, subtree: true})
    ended()
  })
  if (!links().some(link => link.split(/[?#]/)[0].endsWith(page)))
    found.push("the search for " + word + " does not find " + page)
}
async function main() {
  for (const [page, width, index, scheme] of looks) {
    form(index, scheme)
    await look(page, width, scheme)
  }
  for (const [word, page] of searches) await search(word, page)
}
main().catch(e => found.push("the look fails: " + e + e.stack)).finally(() =>
  fetch("/__found", {method: "POST", body: JSON.stringify(found)}))
</script>"""


def looks():
    """(page, width, number of the form, its name); a sampled run has a third of them, at least one of each page."""
    every = {"%s [%d, %s]" % (page, width, form): (page, width, index, form)
             for index, form in enumerate(FORMS) for page in PAGES for width in WIDTHS}
    chosen = sample.of_environment().of(list(every))
    return [look for name, look in every.items() if name in chosen]


class Handler(http.server.SimpleHTTPRequestHandler):
    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass  # the browser leaves a page while something is on its way

    def do_GET(self):
        if self.path != "/__look.html":
            return super().do_GET()
        body = (HARNESS % tuple(json.dumps(x) for x in (looks(), SEARCHES))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.said.put((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def listen(said, browser, log):
    """What the harness found, or one line that says how it ended instead."""
    name, quiet, limit, ended = "the start of chromium", 0, START_S, False
    while quiet < limit and not ended:
        ended = browser.poll() is not None  # asked first: what it told before its end is then in the queue
        try:
            while True:
                path, words = said.get(timeout=0 if ended else 1)
                if path == "/__found":
                    return words
                name, quiet, limit = words, 0, STEP_S
        except queue.Empty:
            quiet += 1
    how = "chromium ended with status %d" % browser.returncode if ended else "no end in %d s" % limit
    with open(log) as text:
        return ["%s: %s: %s" % (name, how, text.read()[-300:])]


def wrong(site):
    """What the browser found, one line each."""
    # An address and not a name, which may stand for one that the server does not listen at.
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=site))
    server.said = queue.Queue()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = tempfile.mkdtemp()
    try:
        log = os.path.join(profile, "log")
        with open(log, "w") as out:
            browser = subprocess.Popen(
                ["chromium", *FLAGS, "--user-data-dir=" + profile,
                 "http://127.0.0.1:%d/__look.html" % server.server_port],
                stdout=out, stderr=out, start_new_session=True, env=dict(os.environ, HOME=profile))
        try:
            return listen(server.said, browser, log)
        finally:
            try:
                os.killpg(browser.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it has ended, and nothing of it is left
            browser.wait()
            server.shutdown()
            server.server_close()
    finally:
        shutil.rmtree(profile, ignore_errors=True)  # its processes may still be ending
