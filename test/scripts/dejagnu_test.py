#!/usr/bin/env python3
# Tests of test/suites/libgomp/dejagnu.py: the directives of libgomp's suite are read as DejaGnu reads them.
# limit: 60
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites", "libgomp"))
import dejagnu  # noqa: E402


class Words(unittest.TestCase):
    def test_braces_and_quotes(self):
        self.assertEqual(
            dejagnu.words(r'run { target { a && { ! b } } } "x\n\\\[\[a\]" y'),
            ["run", " target { a && { ! b } } ", "x\n\\[[a]", "y"],
        )

    def test_unbalanced(self):
        for text in ("{ a", '"a'):
            with self.assertRaises(dejagnu.DirectiveError):
                dejagnu.words(text)


class Selectors(unittest.TestCase):
    def setUp(self):
        self.target = dejagnu.Target("c")
        self.target.TRIPLE = "x86_64-pc-linux-gnu"

    def test_values(self):
        for text, value in (
            ("c", True),
            ("fortran", False),
            ("! c", False),
            ("*-*-*", True),
            ("x86_64-*-*", True),
            ("alpha*-*-*", False),
            ("i?86-*-* x86_64-*-*", True),
            (" { ! lp64 } ", False),
            ("{ i?86-*-* x86_64-*-* } && lp64", True),
            ("{ i?86-*-* x86_64-*-* } && ia32", False),
            ("offload_device || { ! offload_device }", True),
            ("skip-all-targets", False),
            ("offload_device_shared_as", True),
            ("offload_device_nonshared_as", False),
        ):
            with self.subTest(text):
                self.assertEqual(self.target.holds(text), value)

    def test_unknown_is_an_error(self):
        with self.assertRaises(dejagnu.DirectiveError):
            self.target.holds("offload_device_quantum")


class Parse(unittest.TestCase):
    def parse(self, text, language="c", level="-O2"):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as f:
            f.write(text)
            f.flush()
            return dejagnu.parse(f.name, dejagnu.Target(language), level)

    def test_default_is_run(self):
        case = self.parse("int main (void) { return 0; }\n")
        self.assertEqual((case.action, case.reason, case.options), ("run", None, None))

    def test_options(self):
        case = self.parse(
            '/* { dg-do run } */\n/* { dg-options "-O1 -g" { target c } } */\n'
            '/* { dg-options "-O3" { target c++ } } */\n'
            '/* { dg-additional-options "-std=gnu99" {target c } } */\n'
        )
        self.assertEqual((case.options, case.additional), (["-O1", "-g"], ["-std=gnu99"]))

    def test_not_for_here(self):
        for line in (
            "dg-do compile",
            "dg-do run { target offload_device }",
            "dg-require-effective-target ia32",
            'dg-skip-if "" { *-*-* }',
        ):
            with self.subTest(line):
                self.assertIsNotNone(self.parse("// { %s }\n" % line).reason)

    def test_skip_if_looks_at_the_options(self):
        line = '! { dg-skip-if "" { ! run_expensive_tests } { "*" } { "-O0" "-O2" } }\n'
        self.assertIsNone(self.parse(line, level="-O2").reason)
        self.assertIsNotNone(self.parse(line, level="-O1").reason)

    def test_what_the_run_must_do(self):
        case = self.parse(
            '/* { dg-shouldfail "why" } */\n/* { dg-set-target-env-var OMP_PLACES "{6,7}:4:-2,!{2,3}" } */\n'
            '/* { dg-output "libgomp: x(\\n|\\r\\n)+" } */\n/* { dg-output "end" } */\n'
            '/* { dg-timeout 10 } */\n/* { dg-additional-sources "a.c b.c" } */\n'
        )
        self.assertTrue(case.should_fail)
        self.assertEqual(case.env, {"OMP_PLACES": "{6,7}:4:-2,!{2,3}"})
        self.assertEqual((case.timeout, case.sources), (10, ["a.c", "b.c"]))
        self.assertTrue(case.pattern().search("libgomp: x\n\nend"))
        self.assertFalse(case.pattern().search("libgomp: x end"))

    def test_selectors_without_the_word_target(self):
        case = self.parse(
            '/* { dg-shouldfail "why" { offload_device } } */\n/* { dg-output "ok" { xfail { offload_device } } } */\n'
        )
        self.assertFalse(case.should_fail)
        self.assertTrue(case.pattern().search("ok"))
        self.assertIsNone(case.reason)
        self.assertTrue(self.parse('/* { dg-shouldfail "why" { lp64 } } */\n').should_fail)
        self.assertIsNotNone(self.parse('/* { dg-output "ok" { xfail { lp64 } } } */\n').reason)
        self.assertIsNotNone(self.parse("/* { dg-output-file x.output } */\n").reason)
        self.assertIsNotNone(self.parse('/* { dg-ice "why" { lp64 } } */\n').reason)
        self.assertIsNone(self.parse('/* { dg-ice "why" { offload_device } } */\n').reason)

    def test_unknown_directive_is_an_error(self):
        with self.assertRaisesRegex(dejagnu.DirectiveError, ":1: dg-frobnicate"):
            self.parse("// { dg-frobnicate 1 }\n")


if __name__ == "__main__":
    unittest.main()
