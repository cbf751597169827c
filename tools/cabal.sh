#!/bin/sh
# Calls cabal: without a package index, once at a time in a folder, and with those objects of C that make has compiled.
# All packages come from the global package database, and cabal's own state stays in the build folder. A fresh ~/.cabal
# would make cabal ask for a package list first, which needs a network.
# Called by mk/haskell.mk, mk/demo.mk, test/hs and test/examples; usage: tools/cabal.sh build exe:ghcomp. Tested by
# test/scripts/cabal_test.py.
#
# GHCOMP_CABAL_PROJECT is another folder with a cabal.project; then --builddir= must be absolute.
#
# A call waits for the one before, by a lock that ends with it.
#
# tools/cabal.sh package FOLDER MADE [OPTION...] builds all programs of the package in FOLDER, with the library that is
# built; they are MADE/build/NAME/NAME. Where cabal configures each program of a package by itself, for more than a
# second, this configures the package once. The options are those of Cabal's `configure`.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
export CABAL_DIR="${GHCOMP_CABAL_DIR:-$root/build/cabal}"
mkdir -p "$CABAL_DIR"
[ -e "$CABAL_DIR/config" ] || echo 'active-repositories: :none' > "$CABAL_DIR/config"
cd "$root"

# For GHC's own run-time system: with 1 MB, its default, it takes a third more time for small modules. Cabal compares
# options, so each command has these; but for a project that gives some to single packages, which they would replace.
memory='+RTS -A64m -RTS'

if [ "$1" = package ]; then
    package=$2
    mkdir -p "$3"
    made=$(cd "$3" && pwd)
    shift 3
    libraries=$root/dist-newstyle/packagedb/ghc-$(ghc --numeric-version)
    cd "$package"
    setup() { cabal act-as-setup --build-type=Simple -- "$@" -v1 --builddir="$made"; }
    setup configure --package-db=clear --package-db=global --package-db="$libraries" --ghc-options="$memory" "$@"
    setup build
    exit
fi

exec 9>"$CABAL_DIR/lock"
! command -v flock >/dev/null || flock 9

folder=dist-newstyle
for argument in "$@"; do
    case $argument in --builddir=*) folder=${argument#--builddir=} ;; esac
done

# Cabal compiles each C file twice, one after the other and by way of ghc: more than half of the library's build.
# GHCOMP_CABAL_OBJECTS=yes, as make demo has it, takes the objects that make has built for the unit tests. A sampled run
# of the tests (TEST_SAMPLE, test/sample.py) takes those of all files but one in four times TEST_SAMPLE: make has
# compiled each of them, and what Cabal has of its own are the lists and options in ghc-openmp.cabal. Cabal compiles
# what is missing or older than its source. Where some were taken, a run that is not sampled begins anew.
taken=$folder/ghcomp-taken-objects
objects=${GHCOMP_CABAL_OBJECTS:-no}
parts=${TEST_SAMPLE:-1}
part=none
if [ "$parts" -gt 1 ]; then
    objects=yes
    parts=$((parts * 4))
    part=$((${TEST_SEED:-0} % parts))
elif [ -n "${TEST_SAMPLE:-}" ]; then
    objects=no
    if [ -e "$taken" ]; then rm -rf "$folder"; fi
fi

# Cabal does not compile a C file again when only a header or a package's options for C change, and structs of two
# shapes in one program crash. It compares contents, so touching the C files is not enough: the build starts anew.
packages=$(find . \( -name 'build*' -o -name dist-newstyle -o -name .git \) -prune -o -name '*.cabal' -print | sort)
# shellcheck disable=SC2086  # paths without blanks
headers=$({
    find cbits -name '*.h' | sort | xargs cat
    sed -n '/cc-options:/ { :more; p; n; /^ *-[^-]/ b more; }' $packages
} | cksum)
if [ "$(cat "$folder/ghcomp-headers" 2>/dev/null)" != "$headers" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    echo "$headers" >"$folder/ghcomp-headers"
fi

# Nor does it link programs again when C alone has changed: the programs are removed, and the file that says that all is
# up to date.
link_again() {
    [ -d "$folder/build" ] || return 0
    find "$folder/build" -type f \( -path '*/cache/build' -o -name 'libHSghc-openmp*' -o -path '*/x/*/build/*' \
        -perm -u+x -o -path '*/t/*/build/*' -perm -u+x \) -delete
}
sources=$(find cbits cmm -name '*.c' -o -name '*.cmm' | sort | xargs cat | cksum)
if [ "$(cat "$folder/ghcomp-sources" 2>/dev/null)" != "$sources" ]; then
    link_again
    echo "$sources" >"$folder/ghcomp-sources"
fi

# The files that Cabal is to compile itself are those whose number, in the order of their names, is $part in each
# $parts. $taken has which they were.
take_objects() {
    made=${BUILD:-build}/obj/plain
    version=$(sed -n 's/^version: *//p' ghc-openmp.cabal)
    into=$folder/build/x86_64-linux/ghc-$(ghc --numeric-version)/ghc-openmp-$version/build
    all=${BUILD:-build}/plain/libghcomp.a # made when all of them are up to date
    [ -e "$all" ] || return 0
    before=$(cat "$taken" 2>/dev/null || true)
    if [ -z "$before" ]; then
        [ ! -e "$into/cbits/abi/anchor.o" ] || return 0 # Cabal has compiled all
    elif [ $part = none ] || [ "$before" = "$part of $parts" ]; then
        return 0
    fi
    # A header that is newer may have changed any of them.
    [ -z "$(find cbits -name '*.h' -newer "$all" | head -n 1)" ] || return 0
    [ -z "$before" ] || link_again
    number=0
    find cbits -name '*.c' | sort | while read -r source; do
        object=${source%.c}.o
        number=$((number + 1))
        for copy in "$into/$object" "$into/${object%.o}.dyn_o"; do
            if [ $part != none ] && [ $((number % parts)) -eq "$part" ]; then
                rm -f "$copy"
            elif [ -e "$made/${object#cbits/}" ] && [ ! -e "$copy" ]; then
                mkdir -p "${copy%/*}"
                cp -p "$made/${object#cbits/}" "$copy"
            fi
        done
    done
    echo "$part of $parts" >"$taken"
}
[ "$objects" = no ] || take_objects

cd "${GHCOMP_CABAL_PROJECT:-$root}"
command=$1
shift
grep -q '^  ghc-options:' cabal.project 2>/dev/null || set -- --ghc-options="$memory" "$@"
exec cabal "$command" --offline "$@"
