#!/bin/sh
# Kalign 3, a command-line program that aligns sequences along a tree, a task for each of its branches.
. "$(dirname "$0")/common.sh"
program=/usr/lib/kalign/kalign-plain
needs $program kalign
in_scope $program
loads_ours $program
nm -D -u $program | grep -q GOMP_task || { echo "skipped: this kalign is built without tasks"; exit 77; }
awk 'BEGIN {
    srand(5)
    split("ACDEFGHIKLMNPQRSTVWY", letters, "")
    for (s = 1; s <= 150; s++) {
        line = ""
        for (i = 0; i < 200; i++)
            if (rand() < 0.97)
                line = line letters[1 + (rand() < 0.7 ? (i * 7 + int(s / 30)) % 20 : int(rand() * 20))]
        print ">sequence" s "\n" line
    }
}' </dev/null >"$work/sequences.fa"
# The alignment goes to a file; what it prints has times. The number of threads is an option of its own,
# and the alignment depends on it.
align='rm -f "$3" && "$0" --type protein -n "$1" -i "$2" -o "$3" >/dev/null && cat "$3"'
for n in 1 2 4 7; do
    compare align$n sh -c "$align" $program $n "$work/sequences.fa" "$work/alignment"
done
[ "$(grep -c '^>' "$work/align1.ours")" -eq 150 ]
