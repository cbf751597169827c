"""A headless browser looks at the site: chromium opens harness pages beside it, which load its pages in frames and say
what they find.

For some pages, at the width of a telephone and of a desk, in the dark form and in the light one: the page is not wider
than the screen, the ground and the ink are of that form and far enough from each other, every picture that is shown is
loaded, the other form's are hidden, and the diagrams' colours are the form's. The search finds a page by a word of it.
Imported by site.py. `sh tools/deps.sh browser` installs chromium.
"""

import functools
import http.server
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading

PAGES = ("index.html", "start.html", "guide-c.html", "how-it-works.html", "results.html", "results-haskell.html",
         "sharing.html", "coverage.html", "environment.html", "ghcomp-h.html")
WIDTHS = (390, 1280)
# Only a browser that never answers takes this long; site.py's own limit is above.
LIMIT_S = 1200
# A word, and a page that the search must find by it. Few pages have these: the theme shows the first results, and more
# when the list is scrolled.
SEARCHES = (("GHCOMP_ADMISSION", "environment.html"), ("butterfly", "barriers.html"))

# Frames are loaded one after the other; the server gets what was found. The frame has the palette's choice from the
# storage that the site's own switch writes.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><body style="margin:0"><iframe id="f"></iframe>
<script>
const pages = %s, widths = %s, searches = %s, found = [], frame = document.getElementById("f")
const wait = ms => new Promise(done => setTimeout(done, ms))
const light = colour => { const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(v => v / 255)
  .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
const contrast = (a, b) => { const [low, high] = [light(a), light(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05) }
async function open(address, width) {
  frame.style.cssText = "border:0;width:" + width + "px;height:900px"
  await new Promise(done => { frame.onload = done; frame.src = address })
  const inside = frame.contentDocument
  for (const image of inside.querySelectorAll("img")) image.loading = "eager"
  await wait(100)
  return inside
}
function form(index, scheme) {
  localStorage.setItem("/.__palette", JSON.stringify({index, color: {scheme, primary: "indigo", accent: ""}}))
}
async function look(page, width, scheme) {
  const say = words => found.push(page + ", " + width + " wide, " + scheme + ": " + words)
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
  if (page == "how-it-works.html" && article.querySelectorAll(".diagram svg").length < 6) say("no diagrams")
}
function over(colour, ground) {
  const [r, g, b, a] = colour.match(/[\\d.]+/g).map(Number), under = ground.match(/[\\d.]+/g).map(Number)
  return "rgb(" + [r, g, b].map((v, i) => Math.round(v * (a ?? 1) + under[i] * (1 - (a ?? 1)))).join(",") + ")"
}
async function search(word, page) {
  const inside = await open("index.html", 1280), input = inside.querySelector("[data-md-component=search-query]")
  for (let i = 1; i < 6000; i++) {
    // What is typed before the page's scripts listen is lost: it is typed again, and anew at 16, 32, 64...
    input.focus(); input.value = i >= 16 && !(i & (i - 1)) ? "" : word
    input.dispatchEvent(new frame.contentWindow.Event("input", {bubbles: true}))
    input.dispatchEvent(new frame.contentWindow.KeyboardEvent("keyup", {bubbles: true}))
    await wait(100)
    const links = [...inside.querySelectorAll(".md-search-result__link")].map(e => e.getAttribute("href"))
    if (links.some(link => link.split(/[?#]/)[0].endsWith(page))) return
  }
  found.push("the search for " + word + " does not find " + page)
}
async function main() {
  for (const [index, scheme] of [[0, "default"], [1, "slate"]]) {
    form(index, scheme)
    for (const page of pages) for (const width of widths) await look(page, width, scheme)
  }
  for (const [word, page] of searches) await search(word, page)
}
main().catch(e => found.push("the look fails: " + e + e.stack)).finally(() =>
  fetch("/__found", {method: "POST", body: JSON.stringify(found)}))
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/__look.html":
            return super().do_GET()
        body = (HARNESS % tuple(json.dumps(x) for x in (PAGES, WIDTHS, SEARCHES))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def wrong(site):
    """What the browser found, one line each."""
    server = http.server.ThreadingHTTPServer(("localhost", 0), functools.partial(Handler, directory=site))
    server.found = queue.Queue()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    profile = tempfile.mkdtemp()
    try:
        with open(os.path.join(profile, "log"), "w") as log:
            browser = subprocess.Popen(
                ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--user-data-dir=" + profile, "--no-first-run", "--window-size=1400,1000",
                 "http://localhost:%d/__look.html" % server.server_port],
                stdout=log, stderr=log, start_new_session=True, env=dict(os.environ, HOME=profile))
        try:
            return server.found.get(timeout=LIMIT_S)
        except queue.Empty:
            with open(os.path.join(profile, "log")) as log:
                return ["chromium said nothing in %d s: %s" % (LIMIT_S, log.read()[-300:])]
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
            server.shutdown()
    finally:
        shutil.rmtree(profile, ignore_errors=True)  # its processes may still be ending
