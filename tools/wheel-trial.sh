#!/bin/sh
# The wheel in another Debian, with that one's Python and C library and without any libgomp: pip installs it, a library
# by gcc runs on it and goes on in a forked process, and the report and the commands say so.
#
#   tools/wheel-trial.sh SUITE DIR [wheels]     DIR is the chroot, made by tools/chroot.sh
#
# With `wheels` also scikit-learn, LightGBM and XGBoost as pip's index has them: by the runner the programs of
# examples/python print what docs/guide/python.md says, in one process and in a pool that is forked afterwards.
#
# bullseye has glibc 2.31, in which threads and dlopen() are libraries of their own, as in 2.28. Needs root, debootstrap
# and apt's mirror, so that it is no part of `make test`; test/wheel has what this machine can show. Exit status 0: all
# was as it should be.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
die() { echo "ghc-openmp: tools/wheel-trial.sh: $1" >&2; exit 1; }
usage='usage: tools/wheel-trial.sh SUITE DIR [wheels]'
[ $# = 2 ] || { [ $# = 3 ] && [ "$3" = wheels ]; } || die "$usage"
suite=$1 dir=$2 wheels=${3:-}
cd "$root"
CHROOT_PACKAGES='python3 python3-venv' sh tools/chroot.sh "$suite" "$dir"
rm -rf "$dir/srv/wheel"
make -s wheel BUILD="${BUILD:-build}" WHEEL="$dir/srv/wheel"
# It needs nothing of the C library whose version this machine's linker would choose.
gcc -O2 -fopenmp -fPIC -shared test/wheel/part.c -o "$dir/srv/wheel/part.so"
cp test/wheel/use.py "$dir/srv/wheel"
sed 's/^    //' >"$dir/srv/wheel/trial.sh" <<'END_TRIAL'
    set -eu
    cd /srv/wheel
    ldd --version | head -n 1
    python3 -m venv venv
    venv/bin/pip install --quiet --no-index --no-deps --disable-pip-version-check ./*.whl
    PATH=$PWD/venv/bin:$PATH
    [ -z "$(ldconfig -p | grep -E 'lib(gomp|omp)[.]so')" ] || echo 'a libgomp is installed here'
    python -m ghc_openmp --threads 3 use.py part.so
    python -m ghc_openmp --report -c 'import ctypes; ctypes.CDLL("./part.so").sum(9)'
    ghc-openmp run -- python use.py part.so
    ghc-openmp doctor ./part.so
    ghc-openmp info
END_TRIAL
sh tools/chroot.sh run "$dir" -- sh -x wheel/trial.sh >"$dir/srv/wheel/said" 2>&1 || {
    cat "$dir/srv/wheel/said" >&2
    die "it does not run on $suite"
}
cat "$dir/srv/wheel/said"
[ "$(grep -c '"sums": \[500500\], "members": \[3\], "child": 0' "$dir/srv/wheel/said")" = 2 ] ||
    die 'a program prints something else'
[ "$(grep -c 'ghc_openmp/lib/libgomp.so.1: serves 1 library' "$dir/srv/wheel/said")" = 1 ] ||
    die 'the report says something else'
[ -z "$wheels" ] || {
    cp -r examples/python "$dir/srv/wheel"
    # This machine's pip gets them, since the chroot has not its proxies and certificates.
    version=$(sh tools/chroot.sh run "$dir" -- python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    python3 -m pip download --quiet --disable-pip-version-check --dest "$dir/srv/wheel/index" --only-binary :all: \
        --python-version "$version" --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
        --platform manylinux_2_27_x86_64 --platform manylinux_2_28_x86_64 scikit-learn lightgbm xgboost
    sed 's/^        //' >"$dir/srv/wheel/wheels.sh" <<'    END_WHEELS'
        set -eu
        cd /srv/wheel/python
        export PATH="/srv/wheel/venv/bin:$PATH" OMP_NUM_THREADS=2
        pip install --quiet --disable-pip-version-check --no-index --find-links ../index scikit-learn lightgbm xgboost
        for program in learn boosted xgboosted pools; do python -m ghc_openmp $program.py; done >said
        diff wheels.out said
        pip list --disable-pip-version-check 2>/dev/null | grep -E '^(scikit-learn|lightgbm|xgboost) '
    END_WHEELS
    sh tools/chroot.sh run "$dir" -- sh wheel/wheels.sh ||
        die 'a program on a library of the index prints something else'
}
echo "wheel: runs on $suite"
