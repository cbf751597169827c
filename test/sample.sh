# Sourced by scripts that run programs in many configurations: with TEST_SAMPLE=N, which the runner sets, a run has one
# in N of them, by TEST_SEED, and at least one of each group (sample.py says how). By itself a script runs all.
# shellcheck shell=sh

# sample_group COUNT: so many configurations follow, each of which asks `sampled`, in the same order in each run.
sample_group() {
    sample_number=-1
    sample_turn=$((${TEST_SEED:-0} % ${TEST_SAMPLE:-1}))
    [ "$1" -ge "${TEST_SAMPLE:-1}" ] || sample_turn=$((sample_turn % $1))
}

# sampled: whether the next configuration is part of this run.
sampled() {
    sample_number=$((sample_number + 1))
    [ $((sample_number % ${TEST_SAMPLE:-1})) -eq "$sample_turn" ]
}
