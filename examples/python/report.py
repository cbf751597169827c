"""Which runtime each library of this process uses."""

import ctypes
import os

import ghc_openmp

part = ctypes.CDLL(os.path.abspath("part.so"))
said = ghc_openmp.report()
print(said)
assert said.as_dict()["runtimes"][0]["name"] == "ghc-openmp"
