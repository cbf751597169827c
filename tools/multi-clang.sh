#!/usr/bin/env bash
# Runs the tests of clang's programs with other versions of clang and flang: in chroots that tools/chroot.sh made, and
# on this machine itself.
#
#   tools/multi-clang.sh [--jobs N] [--filter REGEX] [--steps STEP,...] [--tests N] PLACE...
#
# A PLACE is a chroot's folder, or `here`. The newest clang-NN of the place is the one that is tested; its package
# libomp-NN-dev has to be there, since programs are linked with it, and flang-NN if Fortran is to be tested. A chroot
# for it:
#
#   CHROOT_PACKAGES='gcc g++ gfortran make python3 git file procps clang-23 flang-23 libomp-23-dev' \
#       tools/chroot.sh sid ~/chroots/clang-23
#
# Each place gets a copy of the tracked files, in /srv/ghc-openmp of the chroot (here: build/multi-clang); what it has
# built there before is kept. The steps, all by default and in this order:
#
#   build       the libraries and the drop-in; with a GHC there the companion, too
#   clang       test/run.py clang, on POSIX threads and, with a GHC there, on its RTS
#   allocators  test/mixed/allocators.sh, whose pairs have a part by this machine's clang-19, too
#
# One more runs only when it is named, since it takes half an hour:
#
#   suite       tools/llvm-suite.sh, all parts but offload: LLVM's own tests of OpenMP, of the version --tests (that of
#               the place's clang); it needs llvm-NN-tools, libclang-rt-NN-dev, python3-psutil and xz-utils in the
#               place
#
# Each step has a log, build/multi-clang/<place>/<step>.log; the table at the end has a line for each place. The exit
# status is 1 when a step failed. docs/guide/clang.md has the results.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
OLD=clang-19 # the last one with the old numbers of memory spaces

die() { printf 'ghc-openmp: tools/multi-clang.sh: %s\n' "$*" >&2; exit 1; }

ALL_STEPS='build clang allocators'
jobs=2 steps=$ALL_STEPS filter=. tests=
while [ $# -gt 0 ]; do
    case $1 in
    --jobs) jobs=${2:?--jobs needs a number}; shift 2 ;;
    --steps) steps=${2//,/ }; shift 2 ;;
    --filter) filter=${2:?--filter needs a regular expression}; shift 2 ;;
    --tests) tests=${2:?--tests needs the number of a version of LLVM}; shift 2 ;;
    -*) die "no option '$1'; usage: multi-clang.sh [--jobs N] [--filter REGEX] [--steps LIST] [--tests N] PLACE..." ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || die "name a chroot that tools/chroot.sh made, or 'here'"
for step in $steps; do
    [[ " $ALL_STEPS suite " == *" $step "* ]] || die "no step '$step'; steps are $ALL_STEPS suite"
done

# in_place PLACE COMMAND: a shell command in the place's copy of the tree.
in_place() {
    if [ "$1" = here ]; then
        (cd "$root/build/multi-clang/tree" && sh -c "$2")
    else
        "$root/tools/chroot.sh" run "$1" -- sh -c "cd ghc-openmp && $2"
    fi
}

tree_of() { # tree_of PLACE
    if [ "$1" = here ]; then echo "$root/build/multi-clang/tree"; else echo "$1/srv/ghc-openmp"; fi
}

# copy_tree PLACE: the tracked files, over the last copy; builds stay, and files keep their times.
copy_tree() {
    local tree
    tree=$(tree_of "$1")
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    git ls-files -z | tar --null --files-from=- -cf - | tar -xf - --no-same-owner -C "$tree"
    git -C "$tree" init -q && git -C "$tree" add -A
}

# old_part PLACE: the library of allocators.sh by the old clang, in the place; nothing where that is not here.
old_part() {
    local folder
    folder=$(tree_of "$1")/build/multi-clang-parts
    mkdir -p "$folder"
    ! command -v $OLD >/dev/null || $OLD -O2 -g -fopenmp -fPIC -shared -DLIBRARY \
        -o "$folder/liballocators-$OLD-of-another-place.so" test/mixed/allocators_library.c
}

command_of() { # command_of STEP VERSION HOSTS
    case $1 in
    build) if [ "$3" = posix ]; then echo "make -j$jobs lib dropin"; else echo "make -j$jobs all around"; fi ;;
    # shellcheck disable=SC2016  # quoted for the place's shell
    clang) printf "test/run.py clang --llvm %s --hosts %s --jobs %s --filter '%s'" "$2" "$3" "$jobs" "$filter" ;;
    allocators) echo 'PARTS=build/multi-clang-parts test/mixed/allocators.sh' ;;
    suite)
        printf "tools/llvm-suite.sh --version %s --tests %s --hosts %s --parts runtime,ompt,archer --jobs %s '%s'" \
            "$2" "${tests:-$2}" "${3%,around}" "$jobs" "$filter" ;;
    esac
}

# shellcheck disable=SC2016  # the place's shell expands it
NEWEST='for n in 29 28 27 26 25 24 23 22 21 20 19; do if command -v clang-$n >/dev/null; then echo $n; break; fi; done'

# one_place PLACE: its steps; the line for the table in `line`, 1 in `failed` when one failed.
one_place() {
    local name logs version hosts log started status
    name=$(basename "$1")
    logs=build/multi-clang/$name
    mkdir -p "$logs"
    copy_tree "$1"
    version=$(in_place "$1" "$NEWEST")
    [ -n "$version" ] || die "there is no clang in $1: install clang-NN and libomp-NN-dev there"
    hosts=posix
    ! in_place "$1" 'command -v ghc >/dev/null' || hosts=posix,ghc,around
    old_part "$1"
    line="$name ($(in_place "$1" "clang-$version --version | head -1"), $hosts):"
    for step in $steps; do
        log=$logs/$step.log started=$SECONDS status=0
        echo "multi-clang: $name: $step"
        in_place "$1" "$(command_of "$step" "$version" "$hosts")" >"$log" 2>&1 </dev/null || status=$?
        if [ "$status" = 0 ] && [ "$step" = build ] && grep -q 'warning:' "$log"; then status=warnings; fi
        result=$(tail -1 "$log" | grep -E '^[0-9]+ passed, ' || true)
        if [ "$status" = 0 ]; then
            result=${result:-ok}
        else
            failed=1
            result="FAILED (${result:-status $status}, $log)"
        fi
        echo "    $result, $((SECONDS - started)) s"
        line="$line $step $result;"
    done
}

summary=() failed=0
for place; do
    one_place "$place"
    summary+=("${line%;}")
done
echo
printf '%s\n' "${summary[@]}"
exit $failed
