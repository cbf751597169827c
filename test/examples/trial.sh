#!/bin/sh
# tools/clean-trial.sh: its commands are those of README and the pages, and the parts that no other test runs print what
# the pages say, in this tree. docs/internals/testing.md says what runs the others.
# limit: 900
. "$(dirname "$0")/common.sh"
sh tools/clean-trial.sh --pages
for wrong in '' --no-such 'build/none no-such-part'; do
    # shellcheck disable=SC2086  # two words
    if sh tools/clean-trial.sh $wrong >"$build/trial.log" 2>&1 || ! grep -q usage "$build/trial.log"; then
        echo "clean-trial.sh $wrong: no usage"
        exit 1
    fi
done
[ -x "${BUILD:-build}/bin/ghcomp" ] || skip "the launcher is not built"
# A sampled run has one of them.
sample_group 3
for part in readme linear trace; do
    if sampled; then sh tools/clean-trial.sh --here $part; fi
done
