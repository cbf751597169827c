#!/bin/sh
# tools/abi.py finds each kind of mistake. Works on a copy of the table and the files made from it, with one mistake
# at a time.
set -eu
unset BUILD
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fresh() {
    rm -rf "$tmp/tree"
    mkdir -p "$tmp/tree/tools" "$tmp/tree/cbits" "$tmp/tree/docs" "$tmp/tree/test"
    cp tools/abi.py "$tmp/tree/tools"
    cp -r cbits/abi "$tmp/tree/cbits"
    python3 "$tmp/tree/tools/abi.py" gen > /dev/null
}

# refuses WHAT PATTERN: check fails on the tree as it is now and says PATTERN.
refuses() {
    if python3 "$tmp/tree/tools/abi.py" check --most 2000 > "$tmp/out" 2>&1; then
        echo "check.sh: accepted: $1" >&2
        exit 1
    fi
    grep -q -e "$2" "$tmp/out" || { echo "check.sh: $1: no '$2' in:" >&2; head -20 "$tmp/out" >&2; exit 1; }
}

fresh
sed -i 's/num_threads, unsigned flags)/num_threads, long flags)/' "$tmp/tree/cbits/abi/abi.tsv"
refuses 'a table that the prototypes do not follow' '^+.*long flags)'

fresh
sed -i 's/GOMP_barrier;/GOMP_barrel;/' "$tmp/tree/cbits/abi/libgomp.map"
refuses 'an edited map' '^+    GOMP_barrier;'

fresh
sed -i 's/^GOMP_barrier\tGOMP_1.0/GOMP_barrier\tGOMP_1.7/' "$tmp/tree/cbits/abi/abi.tsv"
refuses 'an unknown node' 'unknown version node GOMP_1.7'

fresh
sed -i 's/^\(omp_init_lock\tOMP_1.0\t\)no/\1yes/' "$tmp/tree/cbits/abi/abi.tsv"
refuses 'two default versions' 'omp_init_lock has 2 default versions'

fresh
row=$(grep -n '^GOMP_barrier	GOMP_1.0' "$tmp/tree/cbits/abi/abi.tsv" | cut -d: -f1)
sed -i "$row"'s/[^\t]*$/test\/gone.c/' "$tmp/tree/cbits/abi/abi.tsv"
refuses 'a test that is not there' 'GOMP_barrier@GOMP_1.0: its test test/gone.c does not exist'
echo 'int main(void) { return 0; }' > "$tmp/tree/test/gone.c"
refuses 'a test that does not name the symbol' 'GOMP_barrier@GOMP_1.0: its test test/gone.c does not name it'
echo '/* symbols: GOMP_barrier */' >> "$tmp/tree/test/gone.c"
if python3 "$tmp/tree/tools/abi.py" check --most 2000 | grep 'GOMP_barrier@GOMP_1.0'; then
    echo 'check.sh: a test that names its symbol is not enough' >&2
    exit 1
fi

# The Cabal file's blocks: filled in by gen, noticed by check.
fresh
printf 'library\n  ld-options:\n    -- BEGIN GENERATED ld-options\n    -- END GENERATED ld-options\n' \
    > "$tmp/tree/ghc-openmp.cabal"
refuses 'an empty ld-options block' '^+    -Wl,--export-dynamic-symbol=GOMP_parallel$'
python3 "$tmp/tree/tools/abi.py" gen > /dev/null
[ "$(grep -c 'export-dynamic-symbol=omp_init_lock$' "$tmp/tree/ghc-openmp.cabal")" = 1 ]
sed -i '/END GENERATED/d' "$tmp/tree/ghc-openmp.cabal"
refuses 'a block without an end' 'no END GENERATED ld-options'

# An object that exports something else.
fresh
gcc -shared -fPIC -x c -o "$tmp/object.so" - <<'END'
void GOMP_barrier(void) { }
void ghcomp_inside(void) { }
END
if python3 "$tmp/tree/tools/abi.py" check --most 2000 "$tmp/object.so" > "$tmp/out"; then
    echo 'check.sh: a wrong object was accepted' >&2
    exit 1
fi
for text in 'does not export GOMP_parallel@GOMP_4.0' 'exports ghcomp_inside, which is no done row' \
    'version node OACC_2.6 is missing'; do
    grep -q "$text" "$tmp/out" || { echo "check.sh: no '$text'" >&2; exit 1; }
done
