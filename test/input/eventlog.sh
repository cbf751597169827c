#!/bin/sh
# An eventlog that cannot be written: into a folder that is not writable, onto a full device, into a folder that is not
# there, and onto a device that takes everything. The program that wrote OpenMP's events into it ends as GHC's RTS lets
# it end, in time, with all its regions done, not by a signal; its messages are short.
# limit: 120
set -eu

build=${BUILD:-build}
if ! command -v ghc >/dev/null; then
    echo 'ghc is not installed'
    exit 77
fi
if ! [ -e "$build/dropin/libghcomp_rts.so" ]; then
    echo 'the companion with the RTS of GHC is not built here'
    exit 77
fi
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

cat > "$work/region.c" <<'C'
int region(void)
{
    int members = 0;
    for (int i = 0; i < 200; i++) {
#pragma omp parallel num_threads(3) reduction(+ : members)
        members++;
    }
    return members;
}
C
gcc -O1 -fopenmp -shared -fPIC "$work/region.c" -o "$work/libregion.so"
cat > "$work/Main.hs" <<'HS'
module Main (main) where
import Foreign.C.Types (CInt (..))
import System.Mem (performMajorGC)
foreign import ccall safe "region" region :: IO CInt
main :: IO ()
main = do
    n <- region
    performMajorGC
    m <- region
    putStrLn ("members " ++ show (n + m))
HS
ghc -v0 -dynamic -threaded -eventlog -rtsopts -outputdir "$work/o" "$work/Main.hs" -L"$work" -lregion \
    -optl-Wl,-rpath,"$work" -o "$work/program"

failures=0
# logs TO STATUS...: runs the program with its log there; one of these statuses.
logs() {
    to=$1 done=1 status=0
    shift
    # As the user nobody if the caller is root, which no permission stops.
    # shellcheck disable=SC2086 # the command in front is none, or several words
    timeout -k 2 60 $as env LD_LIBRARY_PATH="$PWD/$build/dropin" GHCOMP_HOST=auto \
        "$work/program" +RTS -N2 -l "-ol$to" > "$work/out" 2> "$work/err" || status=$?
    for wanted; do [ "$status" != "$wanted" ] || done=0; done
    if [ "$status" = 0 ] && [ "$(cat "$work/out")" != 'members 1200' ]; then done=1; fi
    if [ "$done" != 0 ] || [ "$(wc -c < "$work/err")" -gt 4000 ]; then
        echo "a log into $to: status $status, $(head -c 300 "$work/out"), $(head -c 600 "$work/err")"
        failures=$((failures + 1))
    fi
    echo "a log into $(basename "$to"): status $status, $(wc -l < "$work/err") lines"
}
as=
chmod 755 "$work"
logs "$work/good.eventlog" 0
if [ "$(id -u)" = 0 ]; then
    as='setpriv --reuid=65534 --regid=65534 --clear-groups'
fi
mkdir "$work/closed"
chmod 555 "$work/closed"
# GHC's RTS says that it cannot open the file and ends the program (1), or runs it without a log (0).
logs "$work/closed/x.eventlog" 0 1
logs "$work/missing/x.eventlog" 0 1
as=
logs /dev/full 0 1
logs /dev/null 0
# A link that is called like a log, so that the runtime writes its events into it, too.
ln -s /dev/full "$work/full.eventlog"
logs "$work/full.eventlog" 0 1
# A file system that is full after the first part of the log.
mkdir "$work/small"
if mount -t tmpfs -o size=64k tmpfs "$work/small" 2>/dev/null; then
    trap 'umount "$work/small"; chmod -R u+w "$work"; rm -rf "$work"' EXIT
    logs "$work/small/x.eventlog" 0 1
fi
[ "$failures" = 0 ]
