#!/bin/sh
# The shared objects export the done rows of abi.tsv, each at its version node and with the right default, and
# nothing else: no internal name of the runtime is exported. This script does not use tools/abi.py, so that one
# checks the other.
# Usage: exports.sh [OBJECT...]
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- "${BUILD:-build}/dropin/libgomp.so.1" "${BUILD:-build}/lib/libghcomp.so"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

tab=$(printf '\t')
awk -F "$tab" 'NR > 1 && $5 == "done" { print $1 ($3 == "yes" ? "@@" : "@") $2 }' cbits/abi/abi.tsv \
    > "$tmp/rows"
if [ -f cbits/include/ghcomp.h ]; then
    sed -n 's/^GHCOMP_API[^(]*[ *]\(ghcomp_[a-z0-9_]*\)(.*/\1@@GHCOMP_1.0/p' cbits/include/ghcomp.h \
        >> "$tmp/rows"
fi
LC_ALL=C sort "$tmp/rows" > "$tmp/want"

status=0
for object in "$@"; do
    # A linker may add a symbol for each version node itself: absolute, named as the node.
    readelf --dyn-syms -W "$object" |
        awk '$1 ~ /^[0-9]+:$/ && $5 != "LOCAL" && $7 != "UND" &&
             !($7 == "ABS" && $8 ~ /^(VERSION|OMP|GOMP|OACC|GOACC|GOMP_PLUGIN|GHCOMP)[_0-9.]*(@.*)?$/) { print $8 }' |
        LC_ALL=C sort > "$tmp/have"
    if ! diff -u "$tmp/want" "$tmp/have" > "$tmp/diff"; then
        echo "exports.sh: $object: - is in abi.tsv and not exported, + is exported and not in abi.tsv" >&2
        sed -n '3,40p' "$tmp/diff" | grep '^[-+]' >&2
        status=1
    fi
done
exit $status
