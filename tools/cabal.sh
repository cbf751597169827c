#!/bin/sh
# cabal without a package index: everything comes from the global package database, and cabal's own state stays in
# the build folder. A fresh ~/.cabal would make cabal ask for a package list first, which needs a network.
# Called by mk/haskell.mk, mk/demo.mk, test/hs/run.sh and test/examples; usage: tools/cabal.sh build exe:ghcomp. Tested
# by test/scripts/cabal_test.py.
#
# GHCOMP_CABAL_PROJECT is another folder with a cabal.project; then --builddir= must be absolute.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
export CABAL_DIR="${GHCOMP_CABAL_DIR:-$root/build/cabal}"
mkdir -p "$CABAL_DIR"
[ -e "$CABAL_DIR/config" ] || echo 'active-repositories: :none' > "$CABAL_DIR/config"
cd "$root"

folder=dist-newstyle
for argument in "$@"; do
    case $argument in --builddir=*) folder=${argument#--builddir=} ;; esac
done

# Cabal compiles each C file twice, one after the other and by way of ghc: more than half of the library's build.
# GHCOMP_CABAL_OBJECTS=yes, as make demo has it, takes the objects that make has built for the unit tests. So do two of
# three sampled runs of the tests (test/sample.py); the third, and all that are not sampled, begin anew where some were
# taken. Cabal still compiles what is missing there or older than its source.
taken=$folder/ghcomp-taken-objects
objects=${GHCOMP_CABAL_OBJECTS:-no}
if [ -n "${TEST_SAMPLE:-}" ]; then
    objects=yes
    [ $((${TEST_SEED:-0} % TEST_SAMPLE)) -ne 0 ] || objects=no
    if [ $objects = no ] && [ -e "$taken" ]; then rm -rf "$folder"; fi
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
sources=$(find cbits cmm -name '*.c' -o -name '*.cmm' | sort | xargs cat | cksum)
if [ "$(cat "$folder/ghcomp-sources" 2>/dev/null)" != "$sources" ]; then
    if [ -d "$folder/build" ]; then
        find "$folder/build" -type f \( -path '*/cache/build' -o -name 'libHSghc-openmp*' -o -path '*/x/*/build/*' \
            -perm -u+x -o -path '*/t/*/build/*' -perm -u+x \) -delete
    fi
    echo "$sources" >"$folder/ghcomp-sources"
fi

take_objects() {
    made=${BUILD:-build}/obj/plain
    version=$(sed -n 's/^version: *//p' ghc-openmp.cabal)
    into=$folder/build/x86_64-linux/ghc-$(ghc --numeric-version)/ghc-openmp-$version/build
    all=${BUILD:-build}/plain/libghcomp.a # made when all of them are up to date
    [ -e "$all" ] && [ ! -e "$into/cbits/abi/anchor.o" ] || return 0
    # A header that is newer may have changed any of them.
    [ -z "$(find cbits -name '*.h' -newer "$all" | head -n 1)" ] || return 0
    touch "$taken"
    find cbits -name '*.c' | while read -r source; do
        object=${source%.c}.o
        [ -e "$made/${object#cbits/}" ] || continue
        mkdir -p "$into/${object%/*}"
        for copy in "$into/$object" "$into/${object%.o}.dyn_o"; do cp -p "$made/${object#cbits/}" "$copy"; done
    done
}
[ "$objects" = no ] || take_objects

cd "${GHCOMP_CABAL_PROJECT:-$root}"
command=$1
shift
exec cabal "$command" --offline "$@"
