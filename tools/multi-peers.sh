#!/usr/bin/env bash
# Measures beside four peers in one run: this machine's libgomp and libomp, and the newer ones of a chroot that
# tools/chroot.sh made, with programs that the chroot's gcc and clang compile.
#
#   tools/multi-peers.sh [--jobs N] [--only MEASUREMENT,...] [--limit SECONDS] [--out FOLDER] PLACE
#
# PLACE is the chroot's folder. It has gcc, GHC, and a clang-NN with its libomp-NN-dev; the newest clang is taken:
#
#   CHROOT_PACKAGES='gcc make python3 git file ghc cabal-install clang-23 libomp-23-dev
#       libghc-ghc-events-dev libghc-optparse-applicative-dev libghc-primitive-dev libghc-vector-dev' \
#       tools/chroot.sh sid ~/chroots/clang-23
#
# The measurements, all by default, in this order, each ending after SECONDS (570), with what it has then:
#
#   constructs  bench/run.py: compiled by gcc, on ours and on all four
#   clang       bench/run.py --clang: on ours and on both libomps
#   trees       bench/trees.py
#   neighbours  bench/neighbours.py
#   noise       bench/noise.py, on ours without GHC; its 20 rounds take an hour: --limit 4200
#
# Results are FOLDER/MEASUREMENT-N-cores.json (build/multi-peers), and become the committed ones by
#
#   cp build/multi-peers/*.json bench/results/ && make gen
#
# Building takes some minutes, in the chroot's /srv/ghc-openmp-peers, which is kept: --only none builds and measures
# nothing, so that a quiet machine is needed for the measuring alone. What is measured is the commit that is checked
# out, with the working tree's changes. Tested by test/scripts/multi-peers_test.sh.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
KNOWN='constructs clang trees neighbours noise'

die() { printf 'ghc-openmp: tools/multi-peers.sh: %s\n' "$*" >&2; exit 1; }

jobs=2 only=$KNOWN limit=570 out=build/multi-peers
while [ $# -gt 0 ]; do
    case $1 in
    --jobs | --only | --limit | --out) [ $# -ge 2 ] || die "$1 needs a value" ;;
    -*) die "no option '$1'; usage: multi-peers.sh [--jobs N] [--only LIST] [--limit SECONDS] [--out FOLDER] PLACE" ;;
    *) break ;;
    esac
    case $1 in
    --jobs) jobs=$2 ;;
    --only) only=${2//,/ } ;;
    --limit) limit=$2 ;;
    --out) out=$2 ;;
    esac
    shift 2
done
[ $# = 1 ] || die "name one chroot that tools/chroot.sh made"
[[ $limit =~ ^[1-9][0-9]*$ ]] || die "--limit takes a number of seconds, not '$limit'"
[ "$only" != none ] || only=
for name in $only; do
    [[ " $KNOWN " == *" $name "* ]] || die "no measurement '$name'; there are $KNOWN, and none"
done
place=$1
tree=$place/srv/ghc-openmp-peers

in_place() { "$root/tools/chroot.sh" run "$place" -- sh -c "cd ghc-openmp-peers && $1"; }

# The tracked files with the commit that they belong to, which results name; what was built before is kept.
copy_tree() {
    mkdir -p "$tree"
    [ -d "$tree/.git" ] || git -C "$tree" init -q
    git -C "$tree" fetch -q --depth 1 "file://$root" HEAD
    git -C "$tree" checkout -q -f FETCH_HEAD
    git ls-files -z | tar --null --ignore-failed-read --files-from=- -cf - 2>/dev/null |
        tar -xf - --no-same-owner -C "$tree"
}

# old_peer FILE: a copy of this machine's object in the place, with what it is; prints its folder there.
old_peer() {
    local folder
    folder=build/peers/$(basename "$1" ".so.${1##*.}")
    mkdir -p "$tree/$folder"
    cp -L "$1" "$tree/$folder/"
    of_bench 'common.package_of(sys.argv[1]) or ""' "$1" >"$tree/$folder/version"
    [ -s "$tree/$folder/version" ] || die "$1 is of no package, so its version is not known"
    echo "$folder"
}

of_bench() { # of_bench EXPRESSION ARGUMENT...: what bench's Python says
    python3 -B -c "import sys; sys.path.insert(0, 'bench'); import common; print($1)" "${@:2}"
}

# arguments_of MEASUREMENT: the script and its own options.
arguments_of() {
    case $1 in
    constructs) echo "run.py run --cc gcc" ;;
    clang) echo "run.py run --clang --cc clang-$version" ;;
    trees) echo "trees.py run --cc gcc --processes 3" ;;
    neighbours) echo "neighbours.py run --cc gcc --processes 3 --seconds 0.5" ;;
    noise) echo "noise.py run --cc gcc" ;;
    esac
}

copy_tree
# shellcheck disable=SC2016  # the place's shell expands it
version=$(in_place 'for n in 29 28 27 26 25 24 23 22 21 20; do
    if command -v clang-$n >/dev/null; then echo $n; break; fi; done')
[ -n "$version" ] || die "there is no clang in $place: install clang-NN and libomp-NN-dev there"
in_place 'command -v ghc >/dev/null' || die "there is no GHC in $place: install ghc and cabal-install there"
old_gomp=$(old_peer "$(gcc -print-file-name=libgomp.so.1)")
found=$(of_bench 'common.find_libomp() or ""')
[ -n "$found" ] || die "no libomp.so.5; install libomp5-19 (tools/deps.sh bench)"
old_omp=$(old_peer "$found")

mkdir -p "$out"
log=$out/build.log
echo "multi-peers: building in $tree, log in $log"
in_place "make -j$jobs all && make -j$jobs CLANG=clang-$version \
    build/bench/constructs build/bench/constructs-clang build/bench/trees build/bench/neighbours" >"$log" 2>&1 ||
    { tail -5 "$log" >&2; die "the tree does not build in $place; the log is $log"; }

failed=0 cores=$(nproc)
for name in $only; do
    peers="--peer $old_omp --peer /usr/lib/llvm-$version/lib/libomp.so.5"
    # shellcheck disable=SC2016  # the place's shell expands it
    [ "$name" = clang ] || peers="--peer $old_gomp --peer \$(gcc -print-file-name=libgomp.so.1) $peers"
    runtimes=ours-posix,ours-ghc
    [ "$name" != noise ] || runtimes=ours-posix
    result=$name-$cores-cores
    echo "multi-peers: $name, at most $limit s"
    rm -f "$tree/$result.json"
    in_place "python3 bench/$(arguments_of "$name") --runtimes $runtimes $peers --limit $limit --out $result.json" \
        >"$out/$result.log" 2>&1 || failed=1
    if [ -e "$tree/$result.json" ]; then mv "$tree/$result.json" "$out/"; fi
    tail -1 "$out/$result.log"
done
[ "$failed" = 0 ] || die "a measurement failed; its log is $out/MEASUREMENT-$cores-cores.log"
