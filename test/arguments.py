"""The command line of test/run.py."""

import argparse
import os

import emulate
import harness
import sample
import suite


def parse(description, groups, named, emulated):
    """groups: what runs by itself; named: what runs where it is named, and with --all; emulated: what --emulate may
    run."""
    p = argparse.ArgumentParser(description=description)
    p.add_argument(
        "groups",
        nargs="*",
        metavar="GROUP",
        help="among: " + ", ".join(groups + named) + " (default: all but the last three)",
    )
    suite.add_options(p)
    p.add_argument(
        "--emulate", metavar="ARCHITECTURE", help="run cross-compiled unit and conformance tests under qemu-user"
    )
    p.add_argument("--llvm", metavar="N", type=int, default=0,
                   help="the version of clang and flang that compile the group `clang`, instead of the one that the "
                        "machine's tests are written for")
    p.add_argument("--all", action="store_true", help="all groups, also those that run only where they are named")
    p.add_argument("--sample", metavar="N", type=int, default=1,
                   help="one in N of each program's combinations of compiler, host, sanitizer and settings")
    p.add_argument("--seed", metavar="N", type=int, help="which of them (default: by the number of commits)")
    p.add_argument("--costs", metavar="FILE", help="write what each test cost: wall seconds, CPU seconds, name")
    options = suite.finish_options(p.parse_args())
    options.machine = emulate.chosen(options.emulate)
    options.seen = set()
    if options.emulate and (not options.groups or set(options.groups) - emulated):
        p.error("--emulate is for these groups: %s" % ", ".join(sorted(emulated)))
    options.build = os.path.join(harness.ROOT, options.build)
    for group in options.groups:
        if group not in groups + named:
            p.error("no group `%s`; the groups are %s" % (group, ", ".join(groups + named)))
    if options.jobs < 1 or options.sample < 1:
        p.error("--jobs and --sample need a positive number")
    if options.all:
        options.groups = groups + named
    elif not options.groups:
        options.groups = groups
    seed = options.seed
    if seed is None:
        seed = sample.default_seed(harness.ROOT) if options.sample > 1 else 0
    options.sample = sample.Sample(options.sample, seed)
    os.environ.update(options.sample.environment())
    return options
