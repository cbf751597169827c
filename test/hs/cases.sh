# Counting of a script's cases, for scripts here that source it from the tree's root: pass, fail, and the last line.
# shellcheck shell=sh disable=SC2034
unset GHCRTS GHCOMP_HOST OMP_NUM_THREADS OMP_DYNAMIC LD_PRELOAD LD_LIBRARY_PATH
passed=0 failed=0 skipped=0

pass() { echo "  ok    $1"; passed=$((passed + 1)); }
fail() { # fail CASE [FILE...]: with what the files have
    echo "  FAIL  $1"
    shift
    [ $# -eq 0 ] || cat "$@" | sed 's/^/        /'
    failed=$((failed + 1))
}
counts() { echo "$passed passed, $failed failed, $skipped skipped"; }
