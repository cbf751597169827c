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

# Has the path of the example `calling`, once all are built and for as long as nothing is newer that they are made of:
# cabal takes seconds to find that out for each of them.
calling=dist-newstyle/ghcomp-example-calling
sources='ghc-openmp.cabal cabal.project src cbits cmm examples tools/cabal.sh'

# cabal_build OPTION... TARGET: builds the target with these options of cabal; the log is shown when that fails.
cabal_build() {
    if ! sh tools/cabal.sh build -v1 "$@" >"$build/cabal.log" 2>&1 9>&-; then
        cat "$build/cabal.log" >&2
        exit 1
    fi
}

# build NAME [OPTION...]: sets $program to the executable; all examples are built at once, but those with options of
# cabal. The scripts run at the same time, but cabal may not build in one folder twice at a time: one after the other,
# by a lock that ends with the process.
build() {
    target=$1
    shift
    program=$(
        flock 9
        if [ $# -gt 0 ] || [ ! -e "examples/haskell/$target.out" ]; then
            cabal_build "$@" "exe:$target"
            sh tools/cabal.sh list-bin "$@" "exe:$target"
            exit
        fi
        # shellcheck disable=SC2086  # files and folders
        if [ ! -x "$(cat $calling 2>/dev/null)" ] || [ -n "$(find $sources -type f -newer $calling | head -n 1)" ]; then
            touch "$build/begun"
            cabal_build ghc-openmp-examples:exes
            sh tools/cabal.sh list-bin exe:calling >$calling.new
            touch -r "$build/begun" $calling.new
            mv $calling.new $calling
        fi
        sed "s|/x/calling/\(.*\)/calling/calling\$|/x/$target/\1/$target/$target|" $calling
    ) 9>"$build/lock"
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
