# Sourced by scripts that run a program in many configurations: with TEST_SAMPLE=N, which the runner sets, a run has one
# in N of them, by TEST_SEED (sample.py). By itself a script runs all.
# shellcheck shell=sh
sample_number=0
# sampled: whether the next configuration is part of this run. Each configuration asks, in the same order in each run.
sampled() {
    sample_number=$((sample_number + 1))
    [ $(((sample_number + ${TEST_SEED:-0}) % ${TEST_SAMPLE:-1})) -eq 0 ]
}
