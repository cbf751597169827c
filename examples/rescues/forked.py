"""The same from Python: a library with parallel regions is called, and then by the processes of a forked pool."""

import ctypes
import multiprocessing
import os
import sys

library = ctypes.CDLL(os.path.abspath(sys.argv[1]))


def total(n):
    return library.total(n)


if __name__ == "__main__":
    print("in this process:", total(1000000), flush=True)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print("in forked ones:", *pool.map(total, [1000000, 2000000]), flush=True)
