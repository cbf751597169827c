#!/usr/bin/env bash
# tools/deps.sh on different machines: nothing missing, something missing and no way to install it, no Debian at
# all, a package manager that works. The machines are folders of fake commands, the only ones in
# PATH.

# shellcheck disable=SC2015  # fail ends the script
set -eu
deps=$PWD/tools/deps.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { printf 'FAILED: %s\n--- output:\n%s\n' "$1" "$output" >&2; exit 1; }

# A machine with what the script itself needs and no compiler.
bare() {
    rm -rf "${work:?}/bin" "$work/state"
    mkdir -p "$work/bin" "$work/state"
    local c
    for c in sh bash cat cut tr env find head mktemp rm readlink touch ln true sed; do
        ln -s "$(type -P "$c")" "$work/bin/$c"
    done
    fake id 'echo 1000'
}
fake() { printf '#!%s/bin/bash\n%s\n' "$work" "$2" >"$work/bin/$1"; chmod +x "$work/bin/$1"; }
run() { status=0; output=$(PATH=$work/bin APT_LISTS=$work/lists sh "$deps" "$@" 2>&1) || status=$?; }

# Debian whose apt-get installs what it is asked for: gfortran and primecount appear as commands.
debian() {
    fake dpkg-query 'exit 1'
    # shellcheck disable=SC2016  # the fake command expands it
    fake apt-cache 'case $2 in gfortran|primecount-bin|libomp5-18) exit 0 ;; *) exit 1 ;; esac'
    fake apt-get "echo \"\$*\" >>$work/state/calls
case \"\$*\" in
*broken*) exit 100 ;;
*install*gfortran*) ln -s $work/bin/cat $work/bin/gfortran ;;
*install*primecount-bin*) ln -s $work/bin/cat $work/bin/primecount ;;
esac"
}

bare
run nonsense
[ $status -eq 1 ] && [[ $output == *"no group 'nonsense'"* ]] || fail 'an unknown group is refused by name'
run
[ $status -eq 1 ] && [[ $output == *usage* ]] || fail 'no group gives the usage'

bare
run fortran demo
[ $status -eq 1 ] || fail 'missing packages are a failure'
[[ $output == *'please install'*gfortran*primecount* ]] ||
    fail 'without apt the packages are named, all at once'

bare
echo 'ID=ubuntu' >"$work/os-release"
export OS_RELEASE=$work/os-release
run browser
[ $status -eq 0 ] || fail 'Ubuntu needs no browser'
echo 'ID=debian' >"$work/os-release"
run browser
[ $status -eq 1 ] && [[ $output == *chromium* ]] || fail 'Debian lacks chromium'

bare
ln -s cat "$work/bin/gfortran"
fake apt-get "touch $work/state/called"
run fortran
[ $status -eq 0 ] && [ "$output" = 'deps: fortran: all there' ] || fail 'nothing missing is one line and success'
[ ! -e "$work/state/called" ] || fail 'apt-get was called although nothing was missing'

bare
debian
run --check fortran demo
[ $status -eq 1 ] || fail '--check fails when something is missing'
[[ $output == *'are missing and only root may'*'sudo apt-get install'*gfortran*primecount* ]] ||
    fail '--check names what to run'
fake id 'echo 0'
run --check fortran demo
[ $status -eq 1 ] && [[ $output == *'are missing; run'*'apt-get install'*gfortran* && $output != *sudo* ]] ||
    fail '--check as root needs no sudo'
[ ! -e "$work/state/calls" ] || fail '--check installs nothing'
ln -s cat "$work/bin/gfortran"
run --check fortran
[ $status -eq 0 ] && [ -z "$output" ] || fail '--check says nothing when all is there'

bare
debian
run fortran demo
[ $status -eq 1 ] || fail 'without root it cannot install'
[[ $output == *'sudo apt-get update && sudo apt-get install -y --no-install-recommends gfortran primecount-bin'* ]] ||
    fail 'without root one line to copy names all packages'
[ ! -e "$work/state/calls" ] || fail 'apt-get was called without root'

bare
debian
fake id 'echo 0'
run fortran demo
[ $status -eq 0 ] || fail 'root installs'
[[ $(cat "$work/state/calls") == *update*install*gfortran*install*primecount-bin* ]] ||
    fail 'absent lists are refreshed once, then the packages are installed'
[ "$(grep -c update "$work/state/calls")" = 1 ] || fail 'the lists are refreshed once for all groups'

bare
debian
fake sudo "[ \"\$1\" = -n ] && shift && touch $work/state/sudo && exec \"\$@\""
run fortran
[ $status -eq 0 ] && [ -e "$work/state/sudo" ] || fail 'sudo without a password is used'

bare
debian
fake id 'echo 0'
# shellcheck disable=SC2016
fake apt-get 'case "$*" in *install*) echo no such package; exit 100 ;; esac'
run fortran
[ $status -eq 1 ] && [[ $output == *'no such package'*'could not install: gfortran'* ]] ||
    fail 'a failing apt-get is shown, with the packages'

echo 'tools/deps.sh: all as it should be'
