#!/usr/bin/env bash
# Five programs, each on ghc-openmp and on the system's libgomp: what ran where, how long it took, and whether what they
# print is the same. Exits 1 when anything is wrong. `make demo` calls this with the build folder, DEMO_MAKE, the make
# command, and DEMO_START, the time in seconds at which it began. The first two programs need gcc alone; meanwhile the
# packages for the others are installed.
set -eu

build=${1:-build}
# What it shows needs a team; more than four threads would only lengthen the lines.
threads=${THREADS:-$(nproc)}
[ "$threads" -ge 2 ] || threads=2
[ -n "${THREADS:-}" ] || [ "$threads" -le 4 ] || threads=4
limit=${DEMO_LIMIT:-60} # seconds that one run may take
hang_after=5            # seconds for the program that hangs on libgomp, and takes some milliseconds where it does not
runs=3
groups='haskell fortran demo' # of tools/deps.sh, for the programs from the third on

ghcomp=$build/bin/ghcomp
on_posix=(env "LD_LIBRARY_PATH=$build/dropin" GHCOMP_HOST=posix)
on_ghc=("$ghcomp" run --host ghc --threads "$threads" --)
out=$build/demo
mkdir -p "$out"
wrong=0
summary=''

# The demo shows defaults: nothing that the caller has set for an OpenMP runtime or for GHC's counts.
set_by_caller='^(OMP|GOMP|KMP|GHCOMP)_[A-Z_0-9]*|^GHCRTS|^LD_PRELOAD|^LD_LIBRARY_PATH'
while read -r name; do unset "$name"; done < <(env | grep -oE "$set_by_caller" || true)
export OMP_NUM_THREADS=$threads

read -ra make <<<"${DEMO_MAKE:-make}"
bad() { printf '   WRONG: %s\n' "$*"; wrong=$((wrong + 1)); }
indent() { sed 's/^/      /'; }
now_ms() { local t=${EPOCHREALTIME//[.,]/}; echo $((t / 1000)); }

# timed NAME COMMAND...: one run, its output in $out/NAME.{out,err}, its time in $took, its exit status in $status,
# which is 124 where it did not end.
timed() {
    local name=$1 begin
    shift
    begin=$(now_ms) status=0
    timeout -k 5 "$limit" "$@" >"$out/$name.out" 2>"$out/$name.err" </dev/null || status=$?
    took=$(($(now_ms) - begin))
}

# good NAME: whether the timed run had status 0; says so when it had not.
good() {
    local name=$1
    [ $status -eq 0 ] && return 0
    if [ $status -eq 124 ]; then bad "$name did not end in $limit s"
    else bad "$name ended with exit status $status"; fi
    tail -n 5 "$out/$name.err" | indent
    return 1
}

# both NAME COMMAND_ON_OURS vs COMMAND_ON_LIBGOMP: the best of a few runs of each, in turn; fails when a run does, but
# for one that does not end on libgomp: it is the last one, in $endless.
both() {
    local name=$1 first=() i
    shift
    while [ "$1" != vs ]; do first+=("$1"); shift; done
    shift
    best_ours='' best_libgomp='' endless=''
    for ((i = 0; i < runs; i++)); do
        timed "$name.ours" "${first[@]}"
        good "$name.ours" || return 1
        if [ -z "$best_ours" ] || [ "$took" -lt "$best_ours" ]; then best_ours=$took; fi
        timed "$name.libgomp" "$@"
        if [ $status -eq 124 ]; then endless=yes best_libgomp=$took; return 0; fi
        good "$name.libgomp" || return 1
        if [ -z "$best_libgomp" ] || [ "$took" -lt "$best_libgomp" ]; then best_libgomp=$took; fi
    done
}

# What the programs of examples/ say about where they ran (examples/where.c). $2: the threads' host.
show_where() {
    local name=$1 host=$2
    echo "   on ghc-openmp (what it said in the last of $runs runs):"
    indent <"$out/$name.ours.err"
    echo "   on libgomp, for comparison:"
    indent <"$out/$name.libgomp.err"
    grep -q "^runtime: ghc-openmp .*threads of $host" "$out/$name.ours.err" ||
        bad "it did not run on ghc-openmp with threads of $host"
    grep -q 'which is not ghc-openmp' "$out/$name.libgomp.err" || bad "the comparison did not run on libgomp"
}

# compared OURS LIBGOMP: two times, in words. Less than half as much again, or than 20 ms, is noise.
compared() {
    local slow=$1 fast=$2 who='libgomp is'
    if [ "$1" -lt "$2" ]; then slow=$2 fast=$1 who='ghc-openmp is'; fi
    if [ $((slow * 100)) -lt $((fast * 150)) ] || [ $((slow - fast)) -lt 20 ]; then echo 'no difference'
    else
        fast=$((fast > 0 ? fast : 1))
        echo "$who $((slow / fast)).$((slow * 10 / fast % 10)) times as fast"
    fi
}

show_result() {
    local name=$1
    if [ -n "$endless" ]; then
        echo "   time: $best_ours ms on ghc-openmp; on libgomp it did not end in $limit s. Output:"
        indent <"$out/$name.ours.out"
        summary="$summary, $name $best_ours ms/more than $limit s"
        return
    fi
    echo "   time, the best of $runs: $best_ours ms on ghc-openmp, $best_libgomp ms on libgomp:" \
        "$(compared "$best_ours" "$best_libgomp")"
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

# Packages are installed while the first programs are built and run, which go first. A Ctrl-C does not stop an
# installation half-way.
installing=
start_installing() {
    # shellcheck disable=SC2086  # a list
    sh tools/deps.sh --check $groups >/dev/null 2>&1 && return
    echo "demo: GHC and what else is missing is installed meanwhile"
    # shellcheck disable=SC2086
    nice -n 19 sh tools/deps.sh $groups >"$out/packages.log" 2>&1 </dev/null &
    installing=$!
    trap 'wait' EXIT
}
finish_installing() {
    [ -n "$installing" ] || return 0
    kill -0 "$installing" 2>/dev/null && echo "demo: waiting for the packages"
    wait "$installing" || { cat "$out/packages.log" >&2; exit 1; }
    cat "$out/packages.log"
}

# build TARGET: says what the compilers said only when one fails.
build() {
    "${make[@]}" "BUILD=$build" "$1" >"$out/$1.log" 2>&1 </dev/null && return
    tail -n 20 "$out/$1.log" >&2
    echo "ghc-openmp: demo: make $1 failed; the log is $out/$1.log" >&2
    exit 1
}

teams() {
    echo
    echo "1. Teams that change their size, and regions inside regions (examples/c/teams.c, by gcc -fopenmp)"
    # The first thing to be seen is ours; libgomp takes seconds.
    timed teams.ours "${on_posix[@]}" "$out/teams"
    good teams.ours || return 0
    echo "   on ghc-openmp it takes $took ms and prints:"
    indent <"$out/teams.ours.out"
    both teams "${on_posix[@]}" "$out/teams" vs "$out/teams" || return 0
    show_where teams POSIX
    show_result teams
}

# The program that hangs on libgomp. Its second line is the first one, from the forked process.
forked() {
    local mine theirs
    echo
    echo "2. A process that is forked after a region, as pools are (examples/rescues/fork.c, by gcc -fopenmp)"
    timed fork.ours "${on_posix[@]}" "$out/fork"
    good fork.ours || return 0
    echo "   on ghc-openmp it takes $took ms and prints:"
    indent <"$out/fork.ours.out"
    [ "$(sed -n 's/^forked //p' "$out/fork.ours.out")" = "$(sed -n 's/^sum //p' "$out/fork.ours.out")" ] ||
        bad "the forked process has another sum"
    mine=$took
    limit=$hang_after timed fork.libgomp "$out/fork"
    theirs="$took ms"
    if [ $status -eq 0 ]; then echo "   on libgomp it takes $theirs: no difference"
    elif [ $status -eq 124 ]; then
        theirs=hangs
        echo "   on libgomp it hangs: it was killed after $hang_after s"
    else bad "on libgomp it ended with exit status $status"; fi
    summary="$summary, fork $mine ms/$theirs"
}

haskell() {
    echo
    echo "3. OpenMP C beside Haskell threads, called from Haskell (examples/haskell/Mixed.hs)"
    both haskell "$out/mixed" vs "$out/mixed-libgomp" || return 0
    show_where haskell "GHC's RTS"
    show_result haskell
}

mandelbrot() {
    echo
    echo "4. One long loop in Fortran: nothing to gain is to be expected (examples/fortran/mandelbrot.f90)"
    both mandelbrot "${on_ghc[@]}" "$out/mandelbrot" vs "$out/mandelbrot" || return 0
    show_where mandelbrot "GHC's RTS"
    show_result mandelbrot
}

primes() {
    echo
    echo "5. A program as the distribution packaged it, primecount: nothing to gain, either; it runs as it is"
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
        elif both primecount "${on_ghc[@]}" "$primecount" 1e14 vs "$primecount" 1e14; then
            echo "   on ghc-openmp:"
            where_from_outside primecount.ours "${on_ghc[@]}" "$primecount" 1e15 >"$out/primecount.ours.where"
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
}

echo "ghc-openmp demo: teams of $threads threads on $(nproc) CPUs"
start_installing
build demo-first
[ -z "${DEMO_START:-}" ] || echo "demo: the first program starts after $(($(date +%s) - DEMO_START)) s"
teams
forked
finish_installing
echo
echo "demo: building the launcher and the Haskell library"
build demo-rest
haskell
mandelbrot
primes

echo
if [ $wrong -eq 0 ]; then
    echo "demo: all 5 programs ran on ghc-openmp with the right output (ours/libgomp: ${summary#, })"
else
    echo "demo: $wrong things went WRONG; the outputs are in $out"
    exit 1
fi
