"""What the tests of bench/ share: the head of a made-up result, as bench/common.py makes it of a measurement.

Used by the bench_*_test.py of this folder, which have bench/ on their path.
"""

from common import spread

MACHINE = {"cpu": "a CPU", "cpus_usable": 2, "cpus_online": 2, "memory": "1 GiB", "system": "a system", "kernel": "1",
           "cc": "gcc", "ghc": "9", "libgomp": "1", "libomp": "2", "ghc_openmp": "abc",
           "date": "2026-01-02"}


def result(rows, failures=(), processes=5, timing=None, **more):
    """A result with these rows; timing is the length of a sample, as Watch.conditions has it."""
    conditions = dict({"load_average": {"before": 0, "highest": 0, "after": 0}, "cpu_taken_by_others_percent": 0.0,
                       "cpu_stolen_percent": 0.0, "transfer_ns": None, "processes": processes, "seconds": 1},
                      **timing or {"batch_ms": 15, "batches": 7})
    return dict({"machine": dict(MACHINE), "conditions": conditions, "rows": rows, "failures": list(failures)}, **more)


def spreads(values):
    """A row's `values`, of samples by series."""
    return {name: spread(samples) for name, samples in values.items()}
