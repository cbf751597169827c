#!/bin/sh
# Tries what README and the site say as a new user would: from nothing but Debian to a C program on the runtime, a
# Haskell program with a BLAS on it, a linear array, a picture of a trace, an MPI program, and Python with forked pools.
#
#   tools/clean-trial.sh DIR [PART...]       in DIR, a Debian that has `make` and nothing else; it is made if missing
#   tools/clean-trial.sh --here [PART...]    in this tree, built, with what is installed
#   tools/clean-trial.sh --pages             runs nothing: are the commands those of the pages?
#
# Parts: start readme blas linear trace mpi python; all, in this order, where none is named. A part has no commands of
# its own: `page` runs one that stands in a page, `script` a file that the page shows (test/examples/docs.py). What is
# printed in the end is compared with the file that the page shows.
#
# DIR needs root and debootstrap, some 4 GB and half an hour, so that no test makes it. test/examples/trial.sh runs
# --pages, and --here for the parts that no other test runs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-build}
all='start readme blas linear trace mpi python'

die() { printf 'ghc-openmp: tools/clean-trial.sh: %s\n' "$*" >&2; exit 1; }
usage() { die "usage: clean-trial.sh DIR|--here [PART...] | clean-trial.sh --pages (parts: $all)"; }

# page PAGE COMMAND: runs a command that stands in the page.
page() {
    grep -qF -- "$2" "$root/$1" || die "$1 does not show this command: $2"
    [ "$mode" = pages ] || eval "$2"
}
# bare PAGE COMMAND: the same where nothing is installed.
bare() { if [ "$mode" = bare ] || [ "$mode" = pages ]; then page "$1" "$2"; fi; }
# script PAGE FILE: runs the commands of a file that the page shows.
script() {
    grep -qF -- "<!-- from: $2 -->" "$root/$1" || die "$1 does not show $2"
    # shellcheck disable=SC1090
    [ "$mode" = pages ] || . "$root/$2"
}
# folder FOLDER: a copy of it, so that nothing is written into the tree.
folder() {
    [ "$mode" = pages ] && return
    cp -r "$root/$1" "$work/copy"
    cd "$work/copy"
}

part_start() { # examples/guides/start.out
    bare README.md 'make demo' >&2
    script docs/guide/start.md examples/guides/install.sh >&2
    folder examples/guides
    script docs/guide/start.md examples/guides/start.sh
}

part_readme() { # four-threads
    if [ "$mode" != pages ]; then
        gcc -O2 -fopenmp "$root/examples/guides/hello.c" -o "$work/your-program"
        ln -s "$root/$build" "$work/build"
        cd "$work"
        export OMP_NUM_THREADS=4
    fi
    page README.md 'build/bin/ghcomp info' >&2
    page README.md 'build/bin/ghcomp doctor ./your-program' >&2
    page README.md 'build/bin/ghcomp profile -- ./your-program' >&2
    page README.md 'build/bin/ghcomp run -- ./your-program args'
    page README.md 'LD_LIBRARY_PATH=$PWD/build/dropin ./your-program'
}

part_blas() { # examples/haskell/hmatrix.out
    bare docs/guide/examples/hmatrix.md 'apt-get install libghc-hmatrix-dev libopenblas0-openmp' >&2
    page docs/guide/examples/hmatrix.md 'sh tools/cabal.sh build exe:hmatrix' >&2
    page docs/guide/examples/hmatrix.md 'folder=$(echo /usr/lib/*/openblas-openmp)'
    page docs/guide/examples/hmatrix.md 'LD_LIBRARY_PATH=$folder'
    page docs/guide/examples/hmatrix.md 'export LD_LIBRARY_PATH'
    page docs/guide/examples/hmatrix.md 'OMP_NUM_THREADS=3 $(sh tools/cabal.sh list-bin exe:hmatrix)'
}

part_linear() { # examples/haskell/linear-arrays.out
    page docs/guide/examples/linear-arrays.md 'sh tools/cabal.sh build exe:linear-arrays' >&2
    page docs/guide/examples/linear-arrays.md '$(sh tools/cabal.sh list-bin exe:linear-arrays)'
}

part_trace() { # examples/haskell/mixed.out
    script docs/guide/tools.md examples/haskell/trace.sh
    [ "$mode" = pages ] || grep -q '>OpenMP region<' build/mixed.svg || die 'the picture has no region'
}

part_mpi() { # examples/mpi/run.out
    bare docs/guide/mpi.md 'sh tools/deps.sh mpi' >&2
    # Open MPI's conditions for root, by other means than in the page.
    grep -qF -- '--allow-run-as-root' "$root/docs/guide/mpi.md" || die 'docs/guide/mpi.md says nothing of root'
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    folder examples/mpi
    script docs/guide/mpi.md examples/mpi/run.sh
}

part_python() { # examples/python/run.out
    bare docs/guide/python.md 'sh tools/deps.sh python-r' >&2
    PATH=/usr/bin:$PATH # Debian's packages are those of its own interpreter
    folder examples/python
    script docs/guide/python.md examples/python/run.sh
}

known() { for part; do case " $all " in *" $part "*) ;; *) usage ;; esac; done; }

# try MODE PART...: each part in a shell of its own, which ends at the first command that fails.
try() {
    mode=$1
    shift
    HOME=${TRIAL_HOME:-$(mktemp -d)}
    export HOME
    [ -n "${TRIAL_HOME:-}" ] || trap 'rm -rf "$HOME"' EXIT
    for part; do
        work=$HOME/trial-$part
        rm -rf "$work"
        mkdir -p "$work"
        expected=$root/$(sed -n "s/^part_$part() { # //p" "$0")
        if [ "$part" = readme ]; then
            expected=$work/expected
            printf '4 threads, sum 500000500000\n%.0s' 1 2 >"$expected"
        fi
        if ! sh -eu "$0" --part "$mode" "$part" "$work" >"$work/said" 2>"$work/err" </dev/null; then
            tail -n 30 "$work/err" >&2
            die "$part: a command failed"
        fi
        diff "$expected" "$work/said" || { tail -n 10 "$work/err" >&2; die "$part: it prints something else"; }
        echo "trial: $part: as the pages say"
    done
}

case ${1:-} in
--part)
    mode=$2 work=$4
    cd "$root"
    [ -d "$HOME/ghc-openmp/bin" ] && PATH=$HOME/ghc-openmp/bin:$PATH || PATH=$root/$build/bin:$PATH
    export PATH
    "part_$3" ;;
--pages)
    [ $# = 1 ] || usage
    mode=pages
    # shellcheck disable=SC2086  # a list
    for part in $all; do "part_$part"; done
    # README's commands are tried here, or by others: `make test` is what CI runs, and test/python/guide.sh preloads:
    # LD_PRELOAD=$PWD/build/dropin/libgomp.so.1 R -f script.R
    sed -n 's/^    \(make\|build\/\|LD_\)/\1/; t found; b; :found; s/  *#.*//; p' "$root/README.md" |
        while read -r line; do
            grep -qF -- "$line" "$0" || die "README has a command that nobody tries: $line"
        done ;;
--here | --bare)
    mode=${1#--}
    shift
    # shellcheck disable=SC2086
    [ $# -gt 0 ] || set -- $all
    known "$@"
    try "$mode" "$@" ;;
-* | '') usage ;;
*)
    dir=$1
    shift
    known "$@"
    CHROOT_PACKAGES=make sh "$root/tools/chroot.sh" "${TRIAL_SUITE:-bookworm}" "$dir"
    echo 'APT::Get::Assume-Yes "true"; APT::Install-Recommends "false";' >"$dir/etc/apt/apt.conf.d/91trial"
    rm -rf "$dir/srv/tree"
    mkdir -p "$dir/srv/tree"
    (cd "$root" && git ls-files -z | tar --null --files-from=- --ignore-failed-read -cf -) |
        tar -xf - -C "$dir/srv/tree"
    sh "$root/tools/chroot.sh" run "$dir" -- env TRIAL_HOME=/srv/home sh /srv/tree/tools/clean-trial.sh --bare "$@" ;;
esac
