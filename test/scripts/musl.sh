#!/bin/sh
# A program linked with musl, as Alpine's are: `ghcomp run` starts it as it is and says so, one that a script starts
# runs as it is, and `ghcomp doctor` says that it does not get the runtime. A program of glibc's beside it gets it.
#
# limit: 120
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
ghcomp=$PWD/$build/bin/ghcomp
[ -x "$ghcomp" ] || { echo 'the launcher is not built'; exit 77; }
musl=$(ls -d /usr/lib/*-linux-musl 2>/dev/null | head -1)
loader=$(ls /lib/ld-musl-*.so.1 2>/dev/null | head -1)
[ -n "$musl" ] && [ -n "$loader" ] || { echo 'no musl-dev here'; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "musl.sh: $1" >&2; cat "$tmp/out" "$tmp/err" >&2; exit 1; }
echo 'int puts(const char *); int main(void) { puts("musl"); return 3; }' >"$tmp/m.c"
gcc -O1 -fno-pie -fno-stack-protector -c -o "$tmp/m.o" "$tmp/m.c"
gcc -nostdlib -no-pie -o "$tmp/m" "$tmp/m.o" "$musl/crt1.o" "$musl/libc.so" "-Wl,-dynamic-linker,$loader"
cat >"$tmp/g.c" <<'END'
#include <omp.h>
#include <stdio.h>
int main(void) { printf("%d\n", omp_get_max_threads()); return 0; }
END
gcc -fopenmp -o "$tmp/g" "$tmp/g.c"
for command in run profile; do
    rc=0
    "$ghcomp" $command -- "$tmp/m" >"$tmp/out" 2>"$tmp/err" || rc=$?
    [ $rc = 3 ] && [ "$(cat "$tmp/out")" = musl ] || fail "$command: status $rc"
    [ "$(grep -c . "$tmp/err")" = 1 ] && grep -q "not glibc's" "$tmp/err" || fail "$command: no line says why"
done
"$ghcomp" run --threads 7 -- sh -c "'$tmp/m'; '$tmp/g'; '$ghcomp' run '$tmp/g'" >"$tmp/out" 2>"$tmp/err" ||
    fail 'a script'
[ "$(cat "$tmp/out")" = "$(printf 'musl\n7\n7')" ] && [ ! -s "$tmp/err" ] || fail 'a script'
rc=0
"$ghcomp" doctor "$tmp/m" >"$tmp/out" 2>"$tmp/err" || rc=$?
[ $rc = 1 ] && grep -q "not glibc's" "$tmp/out" || fail "doctor: status $rc"

# Without /proc one line says what is missing.
if unshare -m sh -c 'umount -l /proc' 2>/dev/null; then
    rc=0
    unshare -m sh -c "umount -l /proc && exec '$ghcomp' run true" >"$tmp/out" 2>"$tmp/err" || rc=$?
    [ $rc = 125 ] && grep -q '/proc/self/exe' "$tmp/err" && [ "$(grep -c . "$tmp/err")" = 1 ] ||
        fail "no /proc: status $rc"
else
    echo '/proc cannot be taken away here: not tested without it'
fi
