#!/bin/sh
# Runs the steps of packaging/container/Containerfile in chroots and tries what they make, so that the recipe is tested
# where there is no podman or docker: RUN, COPY, WORKDIR and ENTRYPOINT, in the forms that the recipe uses.
#
#   tools/container.sh DIR      DIR/0, DIR/1, ... are the stages; they are made where they are missing
#
# Needs root and debootstrap; takes minutes and a gigabyte, so that no test calls it. The base is minimal Debian with
# the mirror of this machine (tools/chroot.sh).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
recipe=$root/packaging/container/Containerfile
die() { printf 'ghc-openmp: tools/container.sh: %s\n' "$*" >&2; exit 1; }
[ $# = 1 ] || die 'usage: tools/container.sh DIR'
mkdir -p "$1"
dir=$(cd "$1" && pwd)

# in_stage COMMAND: the step in the current stage's folder.
in_stage() {
    echo "container: stage $stage: $1"
    # shellcheck disable=SC2016  # the inner shell expands it
    sh "$root/tools/chroot.sh" run "$dir/$stage" -- sh -euc 'PATH=/usr/local/bin:$PATH && mkdir -p "$1" && cd "$1" &&
        eval "$2"' sh "$folder" "$1" \
        >"$dir/log" 2>&1 </dev/null || { tail -n 20 "$dir/log" >&2; die "stage $stage: this fails: $1"; }
}

# The stage's number, the names of those before it as `NAME NUMBER` lines.
stage=-1
names=$dir/names
: >"$names"
steps=$dir/steps
grep -v '^ *#' "$recipe" | grep . >"$steps"
while read -r word rest; do
    case $word in
    FROM)
        stage=$((stage + 1)) folder=/
        # shellcheck disable=SC2086  # words
        set -- $rest
        [ "${2:-}" != AS ] || echo "$3 $stage" >>"$names"
        CHROOT_PACKAGES=base-files sh "$root/tools/chroot.sh" "${1#debian:}" "$dir/$stage" </dev/null ;;
    RUN) in_stage "$rest" ;;
    WORKDIR) folder=$rest ;;
    COPY)
        # shellcheck disable=SC2086
        set -- $rest
        case $1 in
        --from=*)
            from=$(sed -n "s/^${1#--from=} //p" "$names")
            [ -n "$from" ] || die "no stage before has the name ${1#--from=}"
            mkdir -p "$dir/$stage$3"
            cp -a "$dir/$from$2/." "$dir/$stage$3/" ;;
        .)
            rm -rf "${dir:?}/$stage$2"
            mkdir -p "$dir/$stage$2"
            (cd "$root" && git ls-files -z | tar --null --files-from=- --ignore-failed-read -cf -) |
                tar -xf - -C "$dir/$stage$2" ;;
        *) die "COPY $rest: a form that this script does not know" ;;
        esac ;;
    ENTRYPOINT)
        # What the image is for: a program of this machine's, on the runtime.
        gcc -O2 -fopenmp "$root/examples/guides/hello.c" -o "$dir/$stage/srv/hello"
        [ "$rest" = '["ghcomp"]' ] || die "ENTRYPOINT $rest: the trial knows ghcomp alone"
        in_stage 'ghcomp info'
        in_stage '[ "$(ghcomp run --threads 3 -- /srv/hello)" = "3 threads, sum 500000500000" ]' ;;
    CMD) ;;
    *) die "$word: a step that this script does not know" ;;
    esac
done <"$steps"
echo "container: $((stage + 1)) images, each runs a program"
