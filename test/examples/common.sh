# Sourced by the scripts here: builds an example and compares what it prints with the lines committed beside it.
# shellcheck shell=sh
set -eu
cd "$(dirname "$0")/../.."
. test/sample.sh
build=${BUILD:-build}/test/examples
mkdir -p "$build"

skip() { echo "skipped: $1"; exit 77; }

# has_package NAME: the package is in GHC's database. Only Debian's ghc lists all that cabal may take.
has_package() { [ -n "$(ghc-pkg --simple-output list "$1" 2>/dev/null)" ]; }

for command in ghc cabal; do
    command -v $command >/dev/null || skip "needs $command"
done
for package in primitive vector; do
    has_package $package || skip "needs the Haskell package $package"
done

# shown COMMAND...: its log is shown when it fails.
shown() {
    "$@" >"$build/cabal.$$.log" 2>&1 || {
        cat "$build/cabal.$$.log" >&2
        exit 1
    }
    rm "$build/cabal.$$.log"
}

# package FOLDER MADE [OPTION...]: builds all programs of the package in the folder examples/FOLDER.
package() {
    shown sh tools/cabal.sh build -v1 lib:ghc-openmp
    folder=$1
    shift
    shown sh tools/cabal.sh package "examples/$folder" "$@"
}

# Is there once all examples are built, and for as long as nothing is newer that they are made of: to find that out for
# each of them takes seconds. The scripts run at the same time: one builds, and the others wait.
made=dist-newstyle/packages/examples
sources='ghc-openmp.cabal cabal.project src cbits cmm examples tools/cabal.sh'

# build NAME [OPTION...]: sets $program to the executable; all examples are built at once, but those with options of
# cabal, or of other packages.
build() {
    target=$1
    shift
    if [ $# -gt 0 ] || [ ! -e "examples/haskell/$target.out" ]; then
        shown sh tools/cabal.sh build -v1 "$@" "exe:$target"
        program=$(sh tools/cabal.sh list-bin "$@" "exe:$target")
        return
    fi
    program=$PWD/$made/build/$target/$target
    (
        flock 8
        # shellcheck disable=SC2086  # files and folders
        if [ ! -x "$program" ] || [ ! -e $made/ghcomp-built ] ||
            [ -n "$(find $sources -type f -newer $made/ghcomp-built | head -n 1)" ]; then
            touch "$build/begun"
            package . $made 8>&-
            mv "$build/begun" $made/ghcomp-built
        fi
    ) 8>"$build/lock.examples"
}

# same NAME COMMAND...: the command succeeds and prints exactly examples/haskell/NAME.out.
same() {
    name=$1
    shift
    "$@" >"$build/$name.out" 2>"$build/$name.err" || {
        echo "$*: exit status $?"
        cat "$build/$name.out" "$build/$name.err"
        exit 1
    }
    cmp -s "examples/haskell/$name.out" "$build/$name.out" || {
        echo "$*: prints something else (< examples/haskell/$name.out)"
        diff "examples/haskell/$name.out" "$build/$name.out"
        exit 1
    }
}

# example NAME [THREADS...]: the same output with fewer Capabilities than CPUs or more, and for several sizes of teams.
example() {
    build "$1"
    name=$1
    shift
    sample_group 9
    for threads in ${*:-1 2 3}; do
        for capabilities in 1 2 4; do
            sampled || continue
            same "$name" env OMP_NUM_THREADS="$threads" "$program" +RTS -N$capabilities
        done
    done
}
