"""The languages of generated programs: their compilers, their writers, and what the generator may use of them.

generate.py, run_cases.py and fuzz.py ask this table, and nothing else, what a language has.
"""

import c
import c_loops
import fortran
import fortran_loops

COMMON_C = {
    "writers": c.WRITERS, "comment": "//", "flags": [], "types": c_loops.TYPES,
    "axis": ["int", "int", "int", "unsigned", "i64", "u64", "i64", "u64", "short"],
    # Not unsigned types: GCC 12 passes wrong iterations to the wait of a sink behind the iteration.
    "doacross": ["int", "i64", "i64", "int"], "triangles": True, "simd nests": True, "task pairs": True,
    "atomics": c_loops.ATOMIC_STEPS,
    "private": ["u64", "u64", "big", "aligned", "Sum"],
    "logical": ["&&", "||"],
}
LANGUAGES = {
    "c": dict(COMMON_C, compiler="gcc", suffix=".c", program=lambda cases: c.program(cases, "c"),
              lacks={"throw", "objects", "iterators", "workshare", "allocatables"}),
    "c++": dict(COMMON_C, compiler="g++", suffix=".cc", program=lambda cases: c.program(cases, "c++"),
                lacks={"workshare", "allocatables"}),
    "fortran": {
        "compiler": "gfortran", "suffix": ".f90", "program": fortran.program, "writers": fortran.WRITERS,
        "comment": "!", "flags": fortran.FLAGS, "types": fortran_loops.TYPES, "lacks": set(fortran.LEFT_OUT),
        "axis": ["int", "int", "int", "i64", "i64", "short", "char"], "doacross": ["int", "i64"], "triangles": False,
        "simd nests": False, "task pairs": False, "atomics": fortran_loops.ATOMIC_STEPS, "private": fortran.PRIVATE,
        "logical": ["&&", "||", "eqv", "neqv"],
    },
}


def of_suffix(path):
    return next(name for name, language in LANGUAGES.items() if path.endswith(language["suffix"]))
