#!/usr/bin/env bash
# Four programs, each on ghc-openmp and on the system's libgomp: what ran where, how long it took, and whether
# what they print is the same. Exits 1 when anything is wrong. `make demo` builds everything first and calls
# this with the build folder; it takes about a minute.
set -eu

build=${1:-build}
# What it shows needs a team; more than four threads would only lengthen the lines.
threads=${THREADS:-$(nproc)}
[ "$threads" -ge 2 ] || threads=2
[ -n "${THREADS:-}" ] || [ "$threads" -le 4 ] || threads=4
limit=${DEMO_LIMIT:-60} # seconds that one run may take
runs=3

ghcomp=$build/bin/ghcomp
on_ours=("$ghcomp" run --host ghc --threads "$threads" --)
out=$build/demo
wrong=0
summary=''

# The demo shows defaults: nothing that the caller has set for an OpenMP runtime or for GHC's counts.
set_by_caller='^(OMP|GOMP|KMP|GHCOMP)_[A-Z_0-9]*|^GHCRTS|^LD_PRELOAD|^LD_LIBRARY_PATH'
while read -r name; do unset "$name"; done < <(env | grep -oE "$set_by_caller" || true)
export OMP_NUM_THREADS=$threads

bad() { printf '   WRONG: %s\n' "$*"; wrong=$((wrong + 1)); }
indent() { sed 's/^/      /'; }
now_ms() { local t=${EPOCHREALTIME//[.,]/}; echo $((t / 1000)); }

# run_once NAME COMMAND...: one run, its output in $out/NAME.{out,err}, its time in $took; says so when it
# fails.
run_once() {
    local name=$1 begin status=0
    shift
    begin=$(now_ms)
    timeout -k 5 "$limit" "$@" >"$out/$name.out" 2>"$out/$name.err" </dev/null || status=$?
    took=$(($(now_ms) - begin))
    [ $status -eq 0 ] && return 0
    if [ $status -eq 124 ]; then bad "$name did not end in $limit s"
    else bad "$name ended with exit status $status"; fi
    tail -n 5 "$out/$name.err" | indent
    return 1
}

# both NAME COMMAND_ON_OURS vs COMMAND_ON_LIBGOMP: the best of a few runs of each, in turn; fails when a run
# does.
both() {
    local name=$1 first=() i
    shift
    while [ "$1" != vs ]; do first+=("$1"); shift; done
    shift
    best_ours='' best_libgomp=''
    for ((i = 0; i < runs; i++)); do
        run_once "$name.ours" "${first[@]}" || return 1
        if [ -z "$best_ours" ] || [ "$took" -lt "$best_ours" ]; then best_ours=$took; fi
        run_once "$name.libgomp" "$@" || return 1
        if [ -z "$best_libgomp" ] || [ "$took" -lt "$best_libgomp" ]; then best_libgomp=$took; fi
    done
}

# What the programs of examples/ say about where they ran (examples/where.c).
show_where() {
    local name=$1
    echo "   on ghc-openmp (what it said in the last of $runs runs):"
    indent <"$out/$name.ours.err"
    echo "   on libgomp, for comparison:"
    indent <"$out/$name.libgomp.err"
    grep -q "^runtime: ghc-openmp .*threads of GHC's RTS" "$out/$name.ours.err" ||
        bad "it did not run on ghc-openmp in GHC's RTS"
    grep -q 'which is not ghc-openmp' "$out/$name.libgomp.err" || bad "the comparison did not run on libgomp"
}

show_result() {
    local name=$1
    echo "   time, the best of $runs: $best_ours ms on ghc-openmp, $best_libgomp ms on libgomp"
    if cmp -s "$out/$name.ours.out" "$out/$name.libgomp.out"; then
        echo "   output, the same on both:"
        indent <"$out/$name.ours.out"
    else
        bad "the outputs differ (< ghc-openmp, > libgomp):"
        diff "$out/$name.ours.out" "$out/$name.libgomp.out" | indent
    fi
    summary="$summary, $name $best_ours/$best_libgomp ms"
}

# where_from_outside NAME COMMAND...: for a program that says nothing itself, what the kernel says while it
# runs.
where_from_outside() {
    local name=$1 pid tries=0 most=0 n line
    shift
    : >"$out/$name.maps"
    "$@" >"$out/$name.seen" 2>&1 </dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ $tries -lt $((limit * 20)) ]; do
        n=0
        for line in "/proc/$pid/task"/*; do [ -e "$line" ] && n=$((n + 1)); done
        [ $n -gt $most ] && most=$n
        grep -oE '/[^ ]*(libgomp|libghcomp|libHSrts)[^ ]*' "/proc/$pid/maps" 2>/dev/null >>"$out/$name.maps" || true
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -9 $pid 2>/dev/null && bad "$name did not end in $limit s"
    wait $pid || bad "$name ended with a failure"
    sort -u -o "$out/$name.maps" "$out/$name.maps"
    echo "runtime: $(grep libgomp "$out/$name.maps" | tr '\n' ' ')"
    if grep -q libHSrts "$out/$name.maps"; then echo "host:    GHC's RTS, loaded into the process"; fi
    echo "threads: $most in the process at most"
}

[ -x "$ghcomp" ] || { echo "ghc-openmp: demo: no $ghcomp; run make demo" >&2; exit 1; }
echo "ghc-openmp demo: teams of $threads threads on $(nproc) CPUs"

echo
echo "1. A C program: heat on a plate, and nested regions (examples/c/heat.c, compiled by gcc -fopenmp)"
if both heat "${on_ours[@]}" "$out/heat" vs "$out/heat"; then
    show_where heat
    show_result heat
fi

echo
echo "2. A Fortran program: the Mandelbrot set (examples/fortran/mandelbrot.f90, compiled by gfortran -fopenmp)"
if both mandelbrot "${on_ours[@]}" "$out/mandelbrot" vs "$out/mandelbrot"; then
    show_where mandelbrot
    show_result mandelbrot
fi

echo
echo "3. A program as the distribution packaged it, not rebuilt: primecount, which counts the primes up to 10^14"
primecount=$(command -v primecount || true)
if [ -z "$primecount" ]; then
    bad "no primecount; run make demo"
else
    needs=$(ldd "$primecount" | grep -oE '/[^ ]+' | grep -vE 'libgomp|libghcomp' | cat - <(echo "$primecount") |
        while read -r object; do nm -D -u "$object" 2>/dev/null; done |
        sed -nE 's/.* U ((GOMP|omp)_[a-z_0-9]*).*/\1/p' | sort -u)
    echo "   it needs of an OpenMP runtime: $(echo "$needs" | tr '\n' ' ')" | fold -s -w 100 | sed '2,$s/^/      /'
    if [ -z "$needs" ]; then
        bad "it needs no OpenMP runtime, so that it shows nothing"
    elif both primecount "${on_ours[@]}" "$primecount" 1e14 vs "$primecount" 1e14; then
        echo "   on ghc-openmp:"
        where_from_outside primecount.ours "${on_ours[@]}" "$primecount" 1e15 >"$out/primecount.ours.where"
        indent <"$out/primecount.ours.where"
        if ! grep -q 'dropin/libgomp' "$out/primecount.ours.maps" || ! grep -q libHSrts "$out/primecount.ours.maps"
        then
            bad "it did not run on ghc-openmp in GHC's RTS"
        fi
        echo "   on libgomp, for comparison:"
        where_from_outside primecount.libgomp "$primecount" 1e15 >"$out/primecount.libgomp.where"
        indent <"$out/primecount.libgomp.where"
        show_result primecount
        [ "$(cat "$out/primecount.ours.out")" = 3204941750802 ] || bad "there are 3204941750802 primes up to 10^14"
    fi
fi

echo
echo "4. A Haskell program that calls OpenMP C by a safe call while Haskell threads run (examples/haskell/Mixed.hs)"
if both haskell "$out/mixed" vs "$out/mixed-libgomp"; then
    show_where haskell
    show_result haskell
fi

echo
if [ $wrong -eq 0 ]; then
    echo "demo: all 4 programs ran on ghc-openmp with the output they have on libgomp (ours/libgomp: ${summary#, })"
else
    echo "demo: $wrong things went WRONG; the outputs are in $out"
    exit 1
fi
