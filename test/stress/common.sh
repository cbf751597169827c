# Sourced by the scripts here: programs of this folder on the drop-in, and with the runtime under ThreadSanitizer.
# shellcheck shell=sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
seconds=${STRESS_SECONDS:-2}
. "$root/test/sample.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TSAN_OPTIONS=halt_on_error=1:exitcode=99:atexit_sleep_ms=0

# compile NAME FLAG...: $work/NAME from NAME.c.
compile() {
    source=$root/test/stress/$1.c program=$work/$1
    shift
    gcc -O2 -fopenmp "$@" "$source" -o "$program"
}

# Whether the unit tests have built what compile_tsan links. In a sampled run they do it in some runs; so each of those
# has all configurations that need it.
tsan_built() {
    [ -e "$build/obj/default_host_posix.o" ] && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
        make -srq -C "$root" "BUILD=${BUILD:-build}" -o "${BUILD:-build}/flags/tsan" \
        "${BUILD:-build}/tsan/libghcomp.a" 2>/dev/null
}

# compile_tsan NAME FLAG...: $work/NAME.tsan, with that runtime; -fsanitize=thread for the program too.
compile_tsan() {
    source=$root/test/stress/$1.c program=$work/$1.tsan no_aslr=
    shift
    gcc -O1 -g -fopenmp "$@" -c "$source" -o "$program.o"
    gcc -fsanitize=thread -pthread "$program.o" "$build/obj/default_host_posix.o" "$build/tsan/libghcomp.a" -ldl \
        -o "$program.exe"
    if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then
        no_aslr="setarch -R" # ThreadSanitizer needs fixed address ranges
    fi
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$no_aslr" "$program.exe" >"$program"
    chmod +x "$program"
}

# ours SECONDS NAME=VALUE... PROGRAM ARGUMENT...: on the drop-in, for SECONDS at most; $work/out is what it prints. A
# failure ends the script with the program's output.
ours() {
    limit=$1 status=0
    shift
    env LD_LIBRARY_PATH="$build/dropin" timeout -k 5 "$limit" env "$@" >"$work/out" 2>"$work/err" || status=$?
    if [ "$status" -ne 0 ]; then
        echo "$*: status $status"
        tail -3 "$work/out"
        cat "$work/err"
        exit 1
    fi
}

# seeded PROGRAM MASTERS NAME=VALUE...: MASTERS masters for STRESS_SECONDS with a new seed, and the arguments in `more`.
# The seed is printed, so that a failure can be repeated.
more=
seeded() {
    name=$1 masters=$2
    shift 2
    seed=$(($(date +%s) % 100000 + masters))
    # shellcheck disable=SC2086 # a word or none
    ours $((seconds * 20 + 60)) "$@" "$work/$name" "$seed" "$masters" "$seconds" $more
    echo "$* $name $seed $masters: $(cat "$work/out")"
}
