#!/bin/sh
# A program by clang for an offload target (offload.c) on the drop-in and under `ghcomp run`, as on libomp; and one that
# has a part by gcc (offload_both.c), which libomp cannot serve. A program that is its own tool (offload_tool.c) learns
# of the devices (ompt_libomp_connect).
#
# limit: 120
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
command -v clang-19 >/dev/null || { echo 'no clang-19 here'; exit 77; }
libraries=$(dirname "$(realpath "$(clang-19 -print-file-name=libomptarget.so)")")
[ -e "$libraries/libomptarget.so" ] || { echo 'no libomptarget here'; exit 77; }
clang-19 -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -o "$tmp/offload" test/programs/offload.c 2>"$tmp/err" ||
    { echo "clang-19 cannot build for offload here: $(head -1 "$tmp/err")"; exit 77; }
LD_LIBRARY_PATH="$libraries" "$tmp/offload" >"$tmp/libomp" 2>&1 ||
    { echo "the program does not run on libomp here: $(tail -1 "$tmp/libomp")"; exit 77; }
fail() { echo "offload.sh: $1: $(cat "$tmp/out")" >&2; exit 1; }
ours="$PWD/$build/dropin:$libraries"
for host in posix ghc; do
    for threads in 1 4; do
        GHCOMP_HOST=$host OMP_NUM_THREADS=$threads LD_LIBRARY_PATH="$ours" \
            "$tmp/offload" >"$tmp/out" 2>&1 || fail "$host, $threads threads"
        cmp -s "$tmp/libomp" "$tmp/out" || fail "$host differs from libomp, $(cat "$tmp/libomp")"
    done
done
for setting in OMP_TARGET_OFFLOAD=mandatory OMP_TARGET_OFFLOAD=disabled OMP_DEFAULT_DEVICE=1; do
    env "$setting" LD_LIBRARY_PATH="$libraries" "$tmp/offload" >"$tmp/libomp" 2>&1 || true
    env "$setting" LD_LIBRARY_PATH="$ours" "$tmp/offload" >"$tmp/out" 2>&1 || true
    cmp -s "$tmp/libomp" "$tmp/out" || fail "with $setting differs from libomp, $(cat "$tmp/libomp")"
done
OMP_AVAILABLE_DEVICES='kind(cpu)[1]' LD_LIBRARY_PATH="$ours" "$tmp/offload" >"$tmp/out" 2>&1 || true
[ "$(grep -c '^ghc-openmp: warning: OMP_AVAILABLE_DEVICES: ' "$tmp/out")" = 1 ] ||
    fail 'a selection of devices: no line'
OMP_AVAILABLE_DEVICES='*' LD_LIBRARY_PATH="$ours" "$tmp/offload" >"$tmp/out" 2>&1 || fail 'all devices'
if grep -q OMP_AVAILABLE_DEVICES "$tmp/out"; then fail 'all devices: a line'; fi
[ ! -x "$build/bin/ghcomp" ] || LD_LIBRARY_PATH="$libraries" "$build/bin/ghcomp" run "$tmp/offload" >"$tmp/out" 2>&1 ||
    fail 'ghcomp run'

clang-19 -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -o "$tmp/tool" test/programs/offload_tool.c
LD_LIBRARY_PATH="$libraries" "$tmp/tool" >"$tmp/libomp" 2>&1 || true
for host in posix ghc; do
    GHCOMP_HOST=$host LD_LIBRARY_PATH="$ours" "$tmp/tool" >"$tmp/out" 2>&1 || fail "a tool, $host"
    cmp -s "$tmp/libomp" "$tmp/out" || fail "a tool, $host: differs from libomp, $(cat "$tmp/libomp")"
done

gcc -O1 -fopenmp -shared -fPIC -o "$tmp/libgccpart.so" test/programs/offload_gcc.c
clang-19 -O1 -fopenmp -fopenmp-targets=x86_64-pc-linux-gnu -o "$tmp/both" test/programs/offload_both.c \
    -L "$tmp" -lgccpart -Wl,--allow-shlib-undefined
for host in posix ghc; do
    GHCOMP_HOST=$host LD_LIBRARY_PATH="$ours:$tmp" "$tmp/both" >"$tmp/out" 2>&1 || fail "code by gcc and clang, $host"
done
