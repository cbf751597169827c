#!/bin/sh
# docs/guide/examples/parallel-make.md: the program of the page, its rebuilds and errors; then this library's own
# modules, and cabal-install's (Debian's source package) where they are in build/sources. Interfaces must be those of
# ghc --make.
. "$(dirname "$0")/common.sh"
has_package optparse-applicative || skip "needs the Haskell package optparse-applicative"
build parallel-make
root=$PWD
work=$root/$build/parallel-make
rm -rf "$work"
mkdir -p "$work"
cp -r examples/haskell/parallel-make/program "$work"

# make_it ARGUMENT...: its output in $work/log; the words of $expected must be its last line.
make_it() {
    "$program" "$@" >"$work/log" 2>&1 && code=0 || code=$?
    if [ "$(tail -1 "$work/log")" != "$expected" ] || [ $code != "$status" ]; then
        echo "parallel-make $*: exit status $code, wanted $status and the last line: $expected"
        cat "$work/log"
        exit 1
    fi
}

# same_interfaces FOLDER OTHER: the hashes of all interfaces, but for two: that of the flags, as parallel-make adds an
# -i, and that of the whole file, which has the list of what was used. ghc -c lists no module that it need not load. GHC
# makes one hash of those of many modules, so that one by one are compared only the interfaces of .hs-boot files, and
# all where that hash differs.
hashes() { ghc --show-iface "$1" | sed '/flag hash/d; /interface hash/d; /^exports:/q; / hash: /!d'; }
# shellcheck disable=SC2046  # a word for each module
together() { ghc --abi-hash "-i$1" $(sed -n 's|^[.]/||; y|/|.|; s|[.]hi$||p' "$work/names"); }
same_interfaces() {
    (cd "$1" && find . -name '*.hi' -o -name '*.hi-boot' | sort) >"$work/names"
    (cd "$2" && find . -name '*.hi' -o -name '*.hi-boot' | sort) | cmp -s - "$work/names" ||
        { echo "$1 and $2 have other interfaces"; exit 1; }
    grep -q '[.]hi$' "$work/names" || { echo "$1 has no interfaces"; exit 1; }
    same=$(together "$1")
    [ "$same" ] || { echo "GHC makes no hash of the interfaces in $1"; exit 1; }
    if [ "$same" = "$(together "$2")" ]; then
        sed -i '/[.]hi$/d' "$work/names"
    else
        same=
    fi
    while read -r name; do
        for folder in "$1" "$2"; do
            hashes "$folder/$name" >"$work/hashes.$(basename "$folder")"
        done
        cmp -s "$work/hashes.$(basename "$1")" "$work/hashes.$(basename "$2")" || {
            echo "$name: another interface than ghc --make's"
            diff "$work/hashes.$(basename "$1")" "$work/hashes.$(basename "$2")"
            exit 1
        }
    done <"$work/names"
    [ "$same" ] || { echo "$1 and $2 have other interfaces together"; exit 1; }
}

# The program of the page.
(
    cd "$work/program"
    status=0
    expected='6 modules compiled, 0 unchanged, 0 failed, 0 not tried' make_it -j2 --outputdir ours -o shapes Main.hs
    # A line for each, with the number of those that have begun.
    grep -c '^\[[1-6] of 6\] .' "$work/log" | grep -qx 6 || { cat "$work/log"; exit 1; }
    ./shapes >"$work/out"
    cmp "$work/out" "$root/examples/haskell/parallel-make.out"
    ghc -v0 --make Main.hs -outputdir theirs -o shapes-made
    same_interfaces ours theirs

    # Nothing has changed: GHC runs for the dependencies only. A new time alone: GHC looks, and compiles nothing.
    expected='0 modules compiled, 6 unchanged, 0 failed, 0 not tried' make_it -j2 --outputdir ours -o shapes Main.hs
    [ "$(wc -l <"$work/log")" = 1 ] || { cat "$work/log"; exit 1; }
    # Another body, the same interface: one module. Another interface: those that import it.
    sed -i 's/square of/a square of/' Shapes/Text.hs
    expected='1 module compiled, 5 unchanged, 0 failed, 0 not tried' make_it -j2 --outputdir ours -o shapes Main.hs
    ./shapes | head -1 | grep -qx 'a square of 3: 9'
    # Other flags: all.
    expected='6 modules compiled, 0 unchanged, 0 failed, 0 not tried' \
        make_it -j3 --outputdir ours -o shapes Main.hs -- -O1
    ghc -v0 --make Main.hs -outputdir theirs -o shapes-made -O1
    same_interfaces ours theirs

    # Two modules have errors. Both are shown, and those that need them are not tried. Then one is repaired.
    cp Shapes/Sum.hs Shapes/Text.hs "$work"
    echo 'wrong = "sum" :: Int' >>Shapes/Sum.hs
    echo 'wrong = "text" :: Int' >>Shapes/Text.hs
    status=1
    expected='0 modules compiled, 2 unchanged, 2 failed, 2 not tried' \
        make_it -j2 --outputdir ours -o shapes Main.hs -- -O1
    both_errors() {
        for module in Sum Text; do
            grep -q "Shapes/$module.hs:.*error" "$work/log" || { cat "$work/log"; exit 1; }
        done
        grep -q '^not compiled, because of Shapes.Sum, Shapes.Text: Main, Shapes.Area$' "$work/log" ||
            { cat "$work/log"; exit 1; }
    }
    both_errors
    # The same from nothing, where several modules have one run of GHC.
    for jobs in 1 2; do
        expected='2 modules compiled, 0 unchanged, 2 failed, 2 not tried' \
            make_it "-j$jobs" --outputdir "fresh$jobs" -o shapes Main.hs
        both_errors
    done
    # Not as they were before: from 9.4 on, GHC would find its own results of these sources.
    for module in Sum Text; do
        { cat "$work/$module.hs" && echo '-- repaired'; } >"Shapes/$module.hs"
    done
    status=0
    expected='2 modules compiled, 4 unchanged, 0 failed, 0 not tried' \
        make_it -j2 --outputdir ours -o shapes Main.hs -- -O1

    # A cycle without an .hs-boot file is GHC's error, in the first step.
    status=1
    printf 'module Loop where\nimport Loop2\n' >Loop.hs
    printf 'module Loop2 where\nimport Loop\n' >Loop2.hs
    "$program" -j2 --outputdir loop Loop.hs >"$work/log" 2>&1 && exit 1
    grep -qiE 'module (imports form|graph contains) a cycle' "$work/log" || { cat "$work/log"; exit 1; }
)

# This library's own modules, in one of three sampled runs.
sample_group 3
sampled || exit 0

# Several modules to a run of GHC; one for the dependencies is one more.
cat >"$work/ghc" <<EOF
#!/bin/sh
echo "\$*" >>"$work/runs"
exec ghc "\$@"
EOF
chmod +x "$work/ghc"
modules=$(sed -n '/exposed-modules:/,/build-depends:/s/^    \([A-Z][A-Za-z.]*\)$/\1/p' ghc-openmp.cabal)
count=$(echo "$modules" | wc -l)
# shellcheck disable=SC2086  # a word for each module
{
    status=0
    expected="$count modules compiled, 0 unchanged, 0 failed, 0 not tried" \
        make_it -j2 --quiet --ghc "$work/ghc" --outputdir "$work/library-ours" $modules -- -isrc -XHaskell2010 -O0
    [ "$(wc -l <"$work/runs")" -lt "$count" ] || { echo "as many runs as modules:"; cat "$work/runs"; exit 1; }
    ghc -v0 --make -j2 $modules -isrc -XHaskell2010 -O0 -outputdir "$work/library-theirs"
}
same_interfaces "$work/library-ours" "$work/library-theirs"

# cabal-install.
sources=${BUILD:-build}/sources/haskell-cabal-install
if [ -d "$sources" ] && has_package hackage-security; then
    python3 bench/parallel_make.py check --program "$program" --sources "$sources"
else
    echo "cabal-install left out: it needs tools/deps.sh parallel-make"
    echo "and tools/debian-source.sh haskell-cabal-install build/sources"
fi
