#!/usr/bin/env bash
# Builds and tests the tree with other versions of GHC and GCC: in chroots that tools/chroot.sh made, and on this
# machine itself.
#
#   tools/multi-ghc.sh [--jobs N] [--steps STEP,...] PLACE...
#
# A PLACE is a chroot's folder, or `here`. Each gets a copy of the tracked files, as they are in the working tree, in
# /srv/ghc-openmp of the chroot (here: build/multi-ghc); what it has built there before is kept. The steps, all by
# default and in this order:
#
#   build    the shared objects, the companion and the launcher
#   unit conformance abi fault host scripts stress hs should-fail examples    these groups of test/run.py
#   programs    the same, with programs of Debian; it skips those that the place does not have
#   sdist    tools/sdist.sh
#   needs    lists what programs that this GCC compiles need of libgomp and the drop-in lacks
#
# And when they are named: `demo`, make demo, and `suite`, the libgomp tests of this GCC's package gcc-NN-source.
#
# A compiler's warning is a failure of build, unit and sdist. Each step has a time limit and a log,
# build/multi-ghc/<place>/<step>.log; the table at the end has a line for each place. The exit status is 1 when a step
# failed. docs/reference/ghc-versions.md has the results.
set -eu
cd "$(dirname "$0")/.."
root=$PWD

die() { printf 'ghc-openmp: tools/multi-ghc.sh: %s\n' "$*" >&2; exit 1; }

# What a step runs, in the copy of the tree, and its limit in seconds.
limit_of() {
    case $1 in
    build) echo 900 ;;
    unit | conformance | should-fail | examples | sdist) echo 1200 ;;
    hs) echo 2400 ;; # as test/hs/run.sh has it
    suite) echo 3600 ;;
    *) echo 600 ;;
    esac
}
command_of() {
    case $1 in
    build) echo "make -j$jobs all ghcomp" ;;
    unit) echo "make -j$jobs unit-tests && test/run.py unit --jobs $jobs" ;;
    conformance) echo "make around && test/run.py conformance --jobs $jobs --hosts posix,ghc,around" ;;
    scripts) echo "make -j$jobs unit-tests && test/run.py scripts --jobs $jobs" ;;
    host) echo "make -j$jobs build/plain/libghcomp.a && test/run.py host --jobs $jobs" ;;
    abi) echo "make -j$jobs build/obj/default_host_posix.o && test/run.py abi --jobs $jobs" ;;
    fault | stress | programs | hs | should-fail | examples | suite) echo "test/run.py $1 --jobs $jobs" ;;
    sdist) echo "tools/sdist.sh" ;;
    demo) echo "make -j$jobs demo" ;;
    needs) echo "tools/needs.sh build/test/programs" ;;
    esac
}
ALL_STEPS='build unit conformance abi fault host scripts stress programs hs should-fail examples sdist needs'

jobs=2 steps=$ALL_STEPS
while [ $# -gt 0 ]; do
    case $1 in
    --jobs) jobs=${2:?--jobs needs a number}; shift 2 ;;
    --steps) steps=${2//,/ }; shift 2 ;;
    -*) die "no option '$1'; usage: multi-ghc.sh [--jobs N] [--steps STEP,...] PLACE..." ;;
    *) break ;;
    esac
done
[ $# -gt 0 ] || die "name a chroot that tools/chroot.sh made, or 'here'"
for step in $steps; do
    [ -n "$(command_of "$step")" ] || die "no step '$step'; steps are $ALL_STEPS demo suite"
done

# in_place PLACE COMMAND: a shell command in the place's copy of the tree.
in_place() {
    if [ "$1" = here ]; then
        (cd "$root/build/multi-ghc/tree" && sh -c "$2")
    else
        "$root/tools/chroot.sh" run "$1" -- sh -c "cd ghc-openmp && $2"
    fi
}

# copy_tree PLACE: the tracked files, over the last copy; what git ignores (the builds) stays, and files keep their
# times, so that only what changed is built again.
copy_tree() {
    local tree=$1/srv/ghc-openmp
    [ "$1" != here ] || tree=$root/build/multi-ghc/tree
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name build ! -name dist-newstyle -exec rm -rf {} +
    git ls-files -z | tar --null --files-from=- -cf - | tar -xf - --no-same-owner -C "$tree"
    # Some tests call git, which needs a repository.
    git -C "$tree" init -q && git -C "$tree" add -A
}

summary=() failed=0
for place; do
    name=$(basename "$place")
    logs=build/multi-ghc/$name
    mkdir -p "$logs"
    copy_tree "$place"
    # shellcheck disable=SC2016  # the place's shell expands it
    versions=$(in_place "$place" \
        'echo "GHC $(ghc --numeric-version), cabal $(cabal --numeric-version), gcc $(gcc -dumpfullversion)"')
    line="$name ($versions):"
    for step in $steps; do
        log=$logs/$step.log
        started=$SECONDS status=0
        echo "multi-ghc: $name: $step"
        # The limit holds inside, so that the chroot's own processes get the signal.
        in_place "$place" "timeout --kill-after=20 $(limit_of "$step") sh -c '$(command_of "$step")'" \
            >"$log" 2>&1 </dev/null || status=$?
        case $step in
        build | unit | sdist)
            if [ "$status" = 0 ] && grep -q 'warning:' "$log"; then status=warnings; fi ;;
        esac
        counts=$(tail -1 "$log" | grep -E '^[0-9]+ passed, ' || true)
        if [ "$status" = 0 ]; then
            result=${counts:-ok}
        else
            failed=1
            result="FAILED (${counts:-status $status}, $log)"
        fi
        echo "    $result, $((SECONDS - started)) s"
        line="$line $step $result;"
    done
    summary+=("${line%;}")
done
echo
printf '%s\n' "${summary[@]}"
exit $failed
