#!/bin/sh
# A Haskell program whose C function has target regions for a device (offload_haskell.hs): on the drop-in, on the
# process's own RTS and on POSIX threads, as on libomp.
#
# limit: 300
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for command in clang-19 ghc; do
    command -v $command >/dev/null || { echo "no $command here"; exit 77; }
done
libraries=$(dirname "$(realpath "$(clang-19 -print-file-name=libomptarget.so)")")
[ -e "$libraries/libomptarget.so" ] || { echo 'no libomptarget here'; exit 77; }
clang-19 -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -shared -fPIC -o "$tmp/liboffload_haskell.so" \
    test/programs/offload_haskell.c 2>"$tmp/err" ||
    { echo "clang-19 cannot build for offload here: $(head -1 "$tmp/err")"; exit 77; }
ghc -v0 -threaded -rtsopts -outputdir "$tmp" -o "$tmp/program" test/programs/offload_haskell.hs \
    -L"$tmp" -loffload_haskell -optl-Wl,--allow-shlib-undefined
LD_LIBRARY_PATH="$libraries:$tmp" "$tmp/program" +RTS -N2 >"$tmp/out" 2>&1 ||
    { echo "the program does not run on libomp here: $(tail -1 "$tmp/out")"; exit 77; }
. test/sample.sh
sample_group 6
for host in posix ghc auto; do
    for capabilities in 1 3; do
        sampled || continue
        GHCOMP_HOST=$host LD_LIBRARY_PATH="$PWD/$build/dropin:$libraries:$tmp" \
            "$tmp/program" +RTS -N$capabilities >"$tmp/out" 2>&1 ||
            { echo "offload_haskell.sh: $host, -N$capabilities: $(cat "$tmp/out")" >&2; exit 1; }
    done
done
