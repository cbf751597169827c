#!/usr/bin/env python3
# Tests of test/hs/examples.py: which exports have an example, and what doctest is given.
# limit: 60
import importlib.util
import os
import sys
import unittest

TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
SPEC = importlib.util.spec_from_file_location("examples", os.path.join(TEST, "hs", "examples.py"))
examples = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(examples)


def module(text, path="src/M.hs"):
    return examples.Module(path, text)


def missing(text, *others):
    first = module(text)
    return examples.without_example(first, [first] + [module(other) for other in others])


class Exports(unittest.TestCase):
    def test_the_names_of_an_export_list(self):
        text = "module A.B\n  ( -- * Part, one\n    a, T (..)  -- comment, too\n  , C (D, e)\n  , (+++)\n  , type F\n"
        self.assertEqual(module(text + "  , module X.Y\n  ) where\n").exports,
                         ["a", "T", "C", "+++", "F", "module X.Y"])

    def test_a_module_without_exports(self):
        self.assertEqual(module("module A () where\n").exports, [])

    def test_comments_that_look_like_a_header_do_not_count(self):
        text = "{- module Old (x) where -}\n-- module Older (y) where\nmodule A (z) where\n"
        self.assertEqual(module(text).name, "A")


class Missing(unittest.TestCase):
    HEAD = "module M (f, g) where\n"

    def test_an_example_names_each_export(self):
        text = self.HEAD + "-- | F.\n--\n-- >>> f (g 1)\n-- 2\nf :: Int\n\n-- | G.\ng :: Int\n"
        self.assertEqual(missing(text), [])

    def test_a_result_a_longer_name_and_prose_do_not_count(self):
        text = self.HEAD + "-- | Says f and g.\n--\n-- >>> f' (xg 1) + gs\n-- f g\nf :: Int\ng :: Int\n"
        self.assertEqual(missing(text), ["f", "g"])

    def test_lines_of_a_block_count(self):
        text = self.HEAD + "-- | F.\n--\n-- >>> :{\n-- f\n--   g\n-- :}\n-- 1\nf, g :: Int\n"
        self.assertEqual(missing(text), [])

    def test_a_type_by_its_constructor_field_or_own_comment(self):
        self.assertEqual(missing("module M (T (..)) where\n-- |\n-- >>> A 1\n-- A 1\nx = 1\n\n"
                                 "data T = A Int | B\n"), [])
        self.assertEqual(missing("module M (T (..)) where\n-- |\n-- >>> size 1\n-- 1\nx = 1\n\n"
                                 "data T = A\n    { size :: Int }\n"), [])
        self.assertEqual(missing("module M (T) where\n-- |\n--\n-- >>> 1\n-- 1\ndata T = A\n"), [])
        self.assertEqual(missing("module M (T) where\n-- |\n--\n-- >>> Int 1\n-- 1\nx = 1\n\n"
                                 "data T = A Int deriving (Show)\n"), ["T"])

    def test_a_class_with_a_context(self):
        code = "class (A a, B (F a)) => T a where\n    m :: a\n"
        self.assertEqual(missing("module M (T) where\n-- |\n--\n-- >>> 1\n-- 1\n" + code), [])
        self.assertEqual(missing("module M (T (..)) where\n-- |\n-- >>> m\n-- 1\nx = 1\n\n" + code), [])
        self.assertEqual(missing("module M (T) where\n-- |\n-- >>> A\n-- 1\nx = 1\n\n" + code), ["T"])

    def test_an_operator(self):
        self.assertEqual(missing("module M ((+.)) where\n-- |\n--\n-- >>> 1 +. 2\n-- 3\n(+.) :: Int\n"), [])
        self.assertEqual(missing("module M ((+.)) where\n-- |\n--\n-- >>> 1 +.+ 2\n-- 3\n(+.) :: Int\n"), ["+."])

    def test_an_export_that_another_module_defines(self):
        user = "module M (f) where\nimport M.Internal\n"
        self.assertEqual(missing(user, "module M.Internal (f) where\n-- |\n--\n-- >>> f\n-- 1\nf :: Int\n"), [])
        self.assertEqual(missing(user, "module N (g) where\n-- |\n--\n-- >>> f\n-- 1\ng :: Int\n"), ["f"])

    def test_the_exports_of_an_internal_module_that_is_exported_whole(self):
        inner = "module M.Internal (f) where\nf :: Int\n"
        self.assertEqual(missing("module M (module M.Internal) where\nimport M.Internal\n", inner), ["f"])


class ForDoctest(unittest.TestCase):
    def test_examples_stay_in_their_lines(self):
        text = "-- | About M.\nmodule M (f) where\n\n    -- | F.\n    --\n    -- >>> f\n    -- 1\n    f :: Int\n"
        first = module(text)
        self.assertEqual(examples.for_doctest(first, [first]).split("\n"),
                         ["module Examples.M where { import M", "", "", "-- $line4", "--", "-- >>> f", "-- 1", "", "",
                          "}", ""])

    def test_what_an_example_may_use(self):
        inner = module("module OpenMP.Internal.X (f) where\n")
        user = module("module OpenMP.Y (f) where\nimport OpenMP.Internal.X\n")
        head = examples.for_doctest(inner, [inner, user]).split("\n")[0]
        self.assertEqual(head, "module Examples.OpenMP.Internal.X where "
                               "{ import OpenMP; import OpenMP.Internal.X; import OpenMP.Y")

    def test_no_example_is_lost(self):
        for text in ["module M where\n-- >>> f\n-- 1\nf :: Int\n", "module M where\nf :: Int -- ^ >>> f\n",
                     "-- | M.\n-- >>> 1\n-- 1\nmodule M where\n", "module M where\n{- |\n>>> f\n-}\nf :: Int\n"]:
            with self.assertRaises(examples.BadComment):
                first = module(text)
                examples.for_doctest(first, [first])


if __name__ == "__main__":
    unittest.main()
