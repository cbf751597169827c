"""The OpenMP runtime of ghc-openmp for Python programs, in place of the libgomp and libomp that their modules ask for.

    python -m ghc_openmp script.py      runs a script on it
    ghc-openmp run -- program           runs any program
    ghc_openmp.report()                 says which runtime each library of this process uses

Importing this package changes nothing in the process: a runtime must be there before the first module that wants one,
so that the runner starts the interpreter anew with LD_PRELOAD.
"""

from .report import report
from .runtime import folder, library
from .version import __version__

__all__ = ["__version__", "folder", "library", "report"]
