#!/usr/bin/python3
"""test/docs/look.py: how the look ends where the browser does not do its part. In place of chromium a script that is
given the harness's address plays such a browser."""

import os
import queue
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import look  # noqa: E402

TELL = """import json, sys, time, urllib.request
def tell(path, words):
    address = sys.argv[-1].replace("__look.html", path)
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, json.dumps(words).encode())
"""


def ends_with(program, start=60, step=60):
    """What look.wrong says when chromium is this program, and its start and a step may take so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chromium")
        with open(path, "w") as file:
            file.write("#!%s\n%s%s" % (sys.executable, TELL, program))
        os.chmod(path, 0o755)
        with mock.patch.dict(os.environ, PATH=folder + ":" + os.environ["PATH"]):
            with mock.patch.multiple(look, START_S=start, STEP_S=step):
                return look.wrong(folder)


class Ends(unittest.TestCase):
    def test_what_the_harness_found(self):
        self.assertEqual(ends_with("tell('__step', 'a'); tell('__found', ['b is wrong'])"), ["b is wrong"])

    def test_what_was_told_before_an_end_that_is_seen_first(self):
        said = queue.Queue()
        for words in (("/__step", "a"), ("/__found", ["b is wrong"])):
            said.put(words)
        browser = subprocess.Popen(["true"])
        browser.wait()
        self.assertEqual(look.listen(said, browser, os.devnull), ["b is wrong"])

    def test_steps_that_go_on_have_no_limit_together(self):
        self.assertEqual(ends_with("for i in range(5): tell('__step', i); time.sleep(1)\ntell('__found', [])"), [])

    def test_a_browser_that_ends(self):
        found = ends_with("print('no display', flush=True); sys.exit(7)")
        self.assertEqual(found, ["the start of chromium: chromium ended with status 7: no display\n"])

    def test_a_browser_that_never_begins(self):
        self.assertEqual(ends_with("time.sleep(1000)", start=2), ["the start of chromium: no end in 2 s: "])

    def test_a_step_that_does_not_end(self):
        self.assertEqual(ends_with("tell('__step', 'start.html'); time.sleep(1000)", step=2),
                         ["start.html: no end in 2 s: "])


if __name__ == "__main__":
    unittest.main()
