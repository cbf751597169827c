#!/usr/bin/env bash
# tools/multi-peers.sh without a chroot: what it refuses, and what it builds and measures in a place, by a fake
# tools/chroot.sh in a tree of its own, which runs the commands in the folder's srv.

# shellcheck disable=SC2015  # fail ends the script
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree/tools" "$work/tree/bench" "$work/bin" "$work/c/srv" "$work/place" "$work/old"
cp tools/multi-peers.sh "$work/tree/tools/"
cd "$work/tree"

fail() { printf 'FAILED: %s\n--- output:\n%s\n--- called:\n%s\n' "$1" "$output" "$(cat "$work/called")" >&2; exit 1; }
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$1"; chmod +x "$1"; }
run() {
    : >"$work/called"
    status=0; output=$(WORK=$work PATH=$work/bin:$PATH bash tools/multi-peers.sh "$@" 2>&1) || status=$?
}
refused() { # refused WORDS WHAT: one line, exit status 1, before anything was measured
    [ $status -eq 1 ] && [[ $output == "ghc-openmp: tools/multi-peers.sh: "*"$1"* ]] || fail "$2"
    [ "$(wc -l <<<"$output")" -eq 1 ] && [ ! -s "$work/called" ] || fail "$2: one line and no call"
}
called() { grep -qxF -- "$1" "$work/called" || fail "$2"; }

# shellcheck disable=SC2016  # the fake commands expand it
fake tools/chroot.sh 'cd "$2/srv" && shift 3 && PATH="$WORK/place" exec "$@"'
for command in sh bash cat mkdir touch; do ln -s "$(type -P "$command")" "$work/place/$command"; done
fake "$work/place/ghc" :
fake "$work/place/clang-23" :
fake "$work/place/gcc" 'echo /new/libgomp.so.1'
# shellcheck disable=SC2016
fake "$work/place/make" 'printf "make: %s\n" "$*" >>"$WORK/called"; [ ! -e broken ]'
# shellcheck disable=SC2016
fake "$work/place/python3" 'printf "run: %s\n" "$*" >>"$WORK/called"; touch "${!#}"
echo "Written."; [ ! -e wrong ]'
fake "$work/bin/gcc" "echo $work/old/libgomp.so.1"
fake "$work/bin/nproc" 'echo 2'
touch "$work/old/libgomp.so.1" "$work/old/libomp.so.5"
cat >bench/common.py <<EOF
def find_libomp():
    return "$work/old/libomp.so.5"


def package_of(path):
    return "package of " + path.split("/")[-1]
EOF
git init -q
git add tools bench
git -c user.name=n -c user.email=e commit -qm first

run
refused 'name one chroot' 'no argument'
run --speed "$work/c"
refused "no option '--speed'" 'an unknown option is named'
run --only constructs,sleep "$work/c"
refused "no measurement 'sleep'" 'an unknown measurement is named'
run --limit long "$work/c"
refused "not 'long'" 'the limit is a number'

run --only constructs,clang --limit 60 --jobs 3 "$work/c"
[ $status -eq 0 ] || fail 'both are measured'
called 'make: -j3 all' 'the tree is built'
grep -q '^make: .*CLANG=clang-23 .*build/bench/constructs-clang' "$work/called" || fail 'programs by the newest clang'
omp='--peer build/peers/libomp --peer /usr/lib/llvm-23/lib/libomp.so.5'
called "run: bench/run.py run --cc gcc --runtimes ours-posix,ours-ghc --peer build/peers/libgomp --peer \
/new/libgomp.so.1 $omp --limit 60 --out constructs-2-cores.json" 'all four beside ours'
called "run: bench/run.py run --clang --cc clang-23 --runtimes ours-posix,ours-ghc $omp --limit 60 --out \
clang-2-cores.json" "clang's code on both libomps"
tree=$work/c/srv/ghc-openmp-peers
[ "$(cat "$tree/build/peers/libomp/version")" = 'package of libomp.so.5' ] || fail 'the version of a copied peer'
[ "$(git -C "$tree" rev-parse HEAD)" = "$(git rev-parse HEAD)" ] || fail 'the copy knows its commit'
[ -e build/multi-peers/constructs-2-cores.json ] && [ ! -e "$tree/constructs-2-cores.json" ] || fail 'the result'

run --only none "$work/c"
[ $status -eq 0 ] && ! grep -q '^run' "$work/called" || fail 'none only builds'

touch "$tree/wrong"
run --only clang "$work/c"
[ $status -eq 1 ] && [[ $output == *'a measurement failed'* ]] || fail 'a failed measurement is told'
rm "$tree/wrong"; touch "$tree/broken"
run "$work/c"
[ $status -eq 1 ] && [[ $output == *'does not build'* ]] || fail 'a build that fails is told'
rm "$work/place/ghc"
run "$work/c"
[ $status -eq 1 ] && [[ $output == *'there is no GHC in'* ]] || fail 'a place without GHC'
echo 'multi-peers: all passed'
