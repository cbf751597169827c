#!/bin/sh
# What the programs of a folder need of libgomp and the drop-in does not export: one line for each symbol, with how
# many of the programs need it. What a compiler emits changes between its versions, so the answer is that of
# the installed one.
#
#   tools/needs.sh FOLDER       test/run.py leaves its conformance programs in build/test/programs
#
# A listing, which fails only when there is nothing to list from. Called by tools/multi-ghc.sh.
set -eu
folder=${1:?usage: tools/needs.sh FOLDER}
ours=${BUILD:-build}/dropin/libgomp.so.1
[ -e "$ours" ] || { echo "ghc-openmp: tools/needs.sh: $ours is not built: run make" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

nm -D --defined-only "$ours" | sed 's/.* //; s/@.*//' | sort -u >"$tmp/ours"
programs=0
for program in "$folder"/*; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
    nm -D -u "$program" 2>/dev/null | sed -n 's/^ *U //; s/@.*//; /^\(GOMP\|GOACC\|omp\|acc\)_/p' >>"$tmp/needed"
    programs=$((programs + 1))
done
[ -s "${tmp}/needed" ] || { echo "ghc-openmp: tools/needs.sh: no OpenMP program in $folder" >&2; exit 1; }
echo "$programs programs, which need $(sort -u "$tmp/needed" | wc -l) entries; those that the drop-in lacks:"
sort "$tmp/needed" | uniq -c | awk 'NR == FNR { ours[$1]; next } !($2 in ours)' "$tmp/ours" - | sed 's/^/    /'
