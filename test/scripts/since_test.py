#!/usr/bin/env python3
# Tests of test/hs/since.py: which exports have no `@since`, and where it is written.
# limit: 60
import importlib
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hs"))
examples = importlib.import_module("examples")
since = importlib.import_module("since")


def missing(text, *others):
    found = [examples.Module("src/M.hs", one) for one in (text,) + others]
    return [(name, last) for name, _, last in since.missing(found[0], found)]


class Missing(unittest.TestCase):
    def test_with_and_without(self):
        text = "module M (a, b) where\n-- | A.\n--\n-- @since 0.1.0.0\na :: Int\n\n-- | B.\nb\n    :: Int\n"
        self.assertEqual(missing(text), [("b", 6)])

    def test_no_comment_above(self):
        self.assertEqual(missing("module M (a) where\n\na :: Int\n"), [("a", None)])
        self.assertEqual(missing("module M (a) where\n-- Not for Haddock.\na :: Int\n"), [("a", None)])

    def test_types_and_operators(self):
        text = ("module M (T (..), C, (&)) where\n-- | T.\ndata T = T\n-- | C.\nclass Ord a => C a where\n"
                "-- | And.\n(&) :: a\n")
        self.assertEqual(missing(text), [("T", 1), ("C", 3), ("&", 5)])

    def test_the_comment_of_a_module_that_is_imported(self):
        inner = "module M.Internal (a) where\n-- | A.\n--\n-- @since 0.1.0.0\na :: Int\n"
        self.assertEqual(missing("module M (a) where\nimport M.Internal (a)\n", inner), [])
        without = inner.replace("@since", "since")
        self.assertEqual(missing("module M (a) where\nimport M.Internal (a)\n", without), [("a", 3)])

    def test_a_role_is_no_definition(self):
        self.assertEqual(missing("module M (T) where\ntype role T nominal\n-- | T.\ndata T a\n"), [("T", 2)])


if __name__ == "__main__":
    unittest.main()
