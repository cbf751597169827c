"""`ghcomp doctor python` and `ghc-openmp doctor python` start this file by its path, in the interpreter that they are
asked about, which need not have this package. imports.py has what it does.
"""

import os
import sys

# The interpreter puts this file's folder first, whose modules are not the program's.
if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from ghc_openmp import imports  # noqa: E402

del sys.path[0]
imports.main()
