#!/bin/sh
# Clustal Omega, a command-line program that aligns sequences with OpenMP loops and critical sections.
. "$(dirname "$0")/common.sh"
needs /usr/bin/clustalo clustalo
in_scope /usr/bin/clustalo
loads_ours /usr/bin/clustalo
awk 'BEGIN {
    srand(3)
    split("ACDEFGHIKLMNPQRSTVWY", letters, "")
    for (s = 1; s <= 60; s++) {
        line = ""
        for (i = 0; i < 120; i++)
            line = line letters[1 + (rand() < 0.6 ? (i * 7) % 20 : int(rand() * 20))]
        print ">sequence" s "\n" line
    }
}' </dev/null >"$work/sequences.fa"
compare align /usr/bin/clustalo -i "$work/sequences.fa" --outfmt=clustal
