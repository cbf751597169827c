# Sourced by the scripts here: building and running small programs on the drop-in.
# shellcheck shell=sh disable=SC2034 # the variables are for the scripts
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/${BUILD:-build}
case ${BUILD:-build} in /*) build=$BUILD ;; esac
dropin=$build/dropin
here=$root/test/host
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset GHCRTS GHCOMP_HOST OMP_NUM_THREADS LD_PRELOAD

skip() {
    echo "skipped: $1"
    exit 77
}
needs_companion() {
    [ -e "$dropin/libghcomp_rts.so" ] || skip "no companion here (it is built where GHC is installed)"
}
needs_ghc() {
    command -v ghc >/dev/null 2>&1 || skip "needs ghc"
    ghc_version=$(ghc --numeric-version)
}
compile() { # NAME.c -> NAME, or what the options name
    gcc -O1 -fopenmp -Wall -I"$root/cbits/include" -I"$here" "$@" -ldl
}
# run COMMAND...: on the drop-in, into $work/out, $work/err and $status.
run() {
    status=0
    LD_LIBRARY_PATH=${libraries:-$dropin} timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
}
fail() {
    echo "$1 (status $status)"
    echo "-- stdout"
    cat "$work/out"
    echo "-- stderr"
    cat "$work/err"
    exit 1
}
ended() { # STATUS: how the program should have ended
    [ "$status" -eq "$1" ] || fail "status $1 was expected"
}
printed() { # REGEX: a line of stdout
    grep -Eqx -e "$1" "$work/out" || fail "no line of stdout is: $1"
}
quiet() {
    [ ! -s "$work/err" ] || fail "nothing was expected on stderr"
}
told() { # REGEX: the one line on stderr
    if [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -q -e "$1" "$work/err"; then
        fail "one line was expected on stderr: $1"
    fi
}
