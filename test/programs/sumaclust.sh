#!/bin/sh
# Sumaclust clusters DNA sequences. Its loop, schedule(dynamic, 10), is right where a thread's iterations rise: each
# thread keeps the first sequence that it cannot place. With a bound on the ratio of counts (-R 0.1) one run in ten has
# other clusters where a thread takes lower iterations after higher ones.
. "$(dirname "$0")/common.sh"
program=/usr/bin/sumaclust
needs $program sumaclust
in_scope $program
loads_ours $program
nm -D -u $program | grep -q GOMP_loop_nonmonotonic_dynamic_start || {
    echo "skipped: this sumaclust is built without a dynamic loop"
    exit 77
}
# Mutants of 250 sequences.
awk 'BEGIN {
    srand(1)
    split("a c g t", letters, " ")
    for (s = 0; s < 250; s++)
        for (i = 0; i < 100; i++)
            base[s, i] = letters[1 + int(rand() * 4)]
    for (s = 0; s < 3000; s++) {
        from = int(rand() * 250)
        line = ""
        for (i = 0; i < 100; i++)
            line = line (rand() < 0.03 ? letters[1 + int(rand() * 4)] : base[from, i])
        print ">s" s " count=" 1 + int(rand() * 1000) ";\n" line
    }
}' </dev/null >"$work/sequences.fa"
# A sampled run has one or two of the four combinations.
sample_group 4
for threads in 2 8; do
    $program -p $threads -t 0.95 -R 0.1 "$work/sequences.fa" >"$work/libgomp" 2>/dev/null
    [ "$(grep -c '^>' "$work/libgomp")" -eq 3000 ] || { echo 'sumaclust loses sequences on libgomp'; exit 1; }
    for host in posix ghc; do
        sampled || continue
        for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            on_ours env GHCOMP_HOST=$host $program -p $threads -t 0.95 -R 0.1 "$work/sequences.fa" \
                >"$work/ours" 2>"$work/ours.err" || { cat "$work/ours.err"; exit 1; }
            cmp "$work/libgomp" "$work/ours" || {
                echo "sumaclust: other clusters in run $run with $threads threads on the $host host"
                exit 1
            }
        done
    done
done
