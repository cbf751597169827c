#!/bin/sh
# Installs what a group of the project's targets needs and the machine does not have.
#
#   sh tools/deps.sh [--check] GROUP...      groups: build haskell fortran test suite demo docs bench
#                                             bench-hs bench-c-call bench-watched bench-older parallel-make aarch64
#                                             machines debian mpi python-r profiling browser packages
#
# On Debian and Ubuntu it installs with apt-get where it may (root, or sudo without a password); where it may not, and
# on every other system, it prints what to install and exits 1. It calls no apt when nothing is missing, so a prepared
# machine needs neither the network nor root. One line per group on success.
#
# With --check it installs nothing and says nothing when all is there: else it names what is missing and what to run.
#
# Called by the targets of mk/demo.mk, mk/ci.mk and mk/bench.mk before they build. It must run on a bare
# Debian: POSIX sh, coreutils, dpkg and apt-get, nothing else. Tested by test/scripts/deps_test.sh.
set -eu

here=${0%/*}
APT_LISTS=${APT_LISTS:-/var/lib/apt/lists}
LISTS_OLD_DAYS=7
all_groups='build haskell fortran test suite demo docs bench bench-hs bench-c-call bench-watched bench-older'
all_groups="$all_groups parallel-make aarch64 machines debian mpi python-r profiling browser packages"

die() { printf 'ghc-openmp: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# A row is: the Debian package (a|b: the first that the archive has), how to see that it is there, and what to
# call it elsewhere. Ways to see: cmd:NAME (a command), file:PATTERN, hs:PACKAGE (a Haskell package).
rows() {
    case $1 in
    build)
        echo 'gcc cmd:gcc gcc'
        echo 'make cmd:make make'
        echo 'binutils cmd:ld binutils'
        echo 'libc6-dev file:/usr/include/stdio.h C-library-headers' ;;
    haskell)
        echo 'ghc cmd:ghc ghc-9.0-or-newer'
        echo 'cabal-install cmd:cabal cabal-install'
        echo 'libghc-ghc-events-dev hs:ghc-events ghc-events(Haskell)'
        echo 'libghc-optparse-applicative-dev hs:optparse-applicative optparse-applicative(Haskell)'
        echo 'libghc-primitive-dev hs:primitive primitive(Haskell)'
        echo 'libghc-vector-dev hs:vector vector(Haskell)' ;;
    fortran)
        echo 'gfortran cmd:gfortran gfortran' ;;
    test)
        echo 'python3 cmd:python3 python-3.9-or-newer'
        echo 'g++ cmd:g++ g++'
        echo 'binutils-gold|binutils cmd:ld.gold gold'
        echo 'lld cmd:ld.lld lld'
        echo 'libghc-quickcheck2-dev hs:QuickCheck QuickCheck(Haskell)'
        echo 'libghc-ghc-events-dev hs:ghc-events ghc-events(Haskell)'
        echo 'libghc-tasty-dev hs:tasty tasty(Haskell)'
        echo 'libghc-tasty-hunit-dev hs:tasty-hunit tasty-hunit(Haskell)'
        echo 'libghc-tasty-quickcheck-dev hs:tasty-quickcheck tasty-quickcheck(Haskell)'
        echo 'doctest cmd:doctest doctest(Haskell)'
        echo 'libopenblas0-openmp file:/usr/lib/*/openblas-openmp/libopenblas.so.0 OpenBLAS-with-OpenMP'
        echo 'libghc-hmatrix-dev hs:hmatrix hmatrix(Haskell)'
        echo 'libfftw3-dev file:/usr/include/fftw3.h FFTW-3-with-OpenMP'
        echo 'primecount-bin cmd:primecount primecount'
        echo 'clustalo cmd:clustalo clustal-omega'
        echo 'kalign cmd:kalign kalign'
        echo 'sumaclust cmd:sumaclust sumaclust'
        echo 'clang-19 cmd:clang-19 clang-19'
        echo 'libclang-rt-19-dev file:/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.tsan-*.a libclang-rt-19'
        echo 'flang-19 cmd:flang-new-19 flang-19'
        echo 'clang-tools-19 file:/usr/lib/llvm-19/bin/clang-offload-packager clang-19-for-offload'
        echo 'python3-yaml file:/usr/lib/python3/dist-packages/yaml/__init__.py PyYAML'
        echo 'python3-jinja2 file:/usr/lib/python3/dist-packages/jinja2/__init__.py Jinja2'
        echo 'musl-dev file:/usr/lib/*-linux-musl/crt1.o musl'
        echo 'libomp-19-dev file:/usr/lib/llvm-19/lib/clang/19/include/omp.h omp.h-of-clang-19'
        libomp ;;
    suite)
        echo 'python3 cmd:python3 python-3.9-or-newer'
        echo 'g++ cmd:g++ g++'
        echo 'xz-utils cmd:xz xz'
        echo "gcc-$(gcc_major)-source file:/usr/src/gcc-$(gcc_major)/gcc-*.tar.* GCC-sources-for-its-libgomp-tests" ;;
    demo)
        echo 'primecount-bin cmd:primecount primecount' ;;
    docs)
        echo 'mkdocs-material file:/usr/share/mkdocs/themes/material/mkdocs_theme.yml mkdocs-material'
        echo 'graphviz cmd:dot graphviz' ;;
    bench)
        echo 'python3 cmd:python3 python-3.9-or-newer'
        libomp ;;
    bench-c-call)
        echo 'libopenblas0-openmp file:/usr/lib/*/openblas-openmp/libopenblas.so.0 OpenBLAS-with-OpenMP'
        echo 'libfftw3-dev file:/usr/include/fftw3.h FFTW-3-with-OpenMP'
        echo 'gromacs cmd:gmx GROMACS'
        echo 'graphicsmagick cmd:gm GraphicsMagick'
        echo 'par2 cmd:par2 par2cmdline' ;;
    bench-watched)
        echo 'valgrind cmd:valgrind valgrind' ;;
    bench-older)
        echo "qemu-user cmd:qemu-$(uname -m) qemu-user" ;;
    bench-hs)
        echo 'libghc-monad-par-dev hs:monad-par monad-par(Haskell)'
        echo 'libghc-parallel-dev hs:parallel parallel(Haskell)' ;;
    parallel-make)
        echo 'dpkg-dev cmd:dpkg-source dpkg-source'
        for name in async base16-bytestring cryptohash-sha256 echo edit-distance hackage-security hashable HTTP lukko \
            network-uri random regex-base regex-posix resolv tar zlib; do
            echo "libghc-$(echo $name | tr A-Z a-z)-dev hs:$name $name(Haskell)"
        done ;;
    aarch64)
        echo 'python3 cmd:python3 python-3.9-or-newer'
        echo 'gcc-aarch64-linux-gnu cmd:aarch64-linux-gnu-gcc gcc-for-aarch64'
        echo 'g++-aarch64-linux-gnu cmd:aarch64-linux-gnu-g++ g++-for-aarch64'
        echo 'gfortran-aarch64-linux-gnu cmd:aarch64-linux-gnu-gfortran gfortran-for-aarch64'
        echo 'libc6-dev-arm64-cross file:/usr/aarch64-linux-gnu/include/stdio.h C-library-headers-for-aarch64'
        echo 'qemu-user cmd:qemu-aarch64 qemu-user' ;;
    machines)
        # tools/machines.py takes the kernels and busyboxes out of packages that it does not install.
        echo 'python3 cmd:python3 python-3.9-or-newer'
        echo 'qemu-system-x86 cmd:qemu-system-x86_64 qemu-system-x86_64'
        echo 'qemu-system-arm cmd:qemu-system-aarch64 qemu-system-aarch64' ;;
    debian)
        echo 'git cmd:git git'
        echo 'dpkg-dev cmd:dpkg-buildpackage dpkg-buildpackage'
        echo 'debhelper cmd:dh debhelper'
        echo 'lintian cmd:lintian lintian'
        rows profiling
        echo 'ghc-doc file:/usr/lib/ghc-doc/haddock/base-*/base.haddock documentation-of-GHC'
        for name in primitive vector; do
            echo "libghc-$name-doc file:/usr/lib/ghc-doc/haddock/$name-*/$name.haddock documentation-of-$name"
        done ;;
    mpi)
        echo 'libopenmpi-dev cmd:mpicc Open-MPI-with-its-compiler'
        echo 'openmpi-bin cmd:mpirun Open-MPI' ;;
    profiling)
        profiled base primitive vector ;;
    python-r)
        echo 'python3-numpy file:/usr/lib/python3/dist-packages/numpy/__init__.py NumPy'
        echo 'python3-sklearn file:/usr/lib/python3/dist-packages/sklearn/__init__.py scikit-learn'
        echo 'python3-venv file:/usr/lib/python3*/ensurepip/__init__.py venv-with-pip(Python)'
        echo 'python3-threadpoolctl file:/usr/lib/python3/dist-packages/threadpoolctl.py threadpoolctl'
        echo 'libopenblas0-openmp file:/usr/lib/*/openblas-openmp/libopenblas.so.0 OpenBLAS-with-OpenMP'
        echo 'r-base-core cmd:Rscript R'
        echo 'r-cran-data.table file:/usr/lib/R/site-library/data.table/DESCRIPTION data.table(R)' ;;
    packages)
        echo 'nix-bin cmd:nix-instantiate nix-instantiate'
        # Not every suite has all of them: the tests leave out what it lacks.
        sed '/^#/d' "$here/../test/packages/packages.tsv" | cut -f 1,2 | while read -r name program; do
            if installed "$name" || ! lists_usable || in_archive "$name"; then echo "$name file:$program $name"; fi
        done ;;
    browser)
        # Ubuntu has it as a snap alone, which needs a service that tests in containers have not.
        ubuntu || echo 'chromium cmd:chromium chromium' ;;
    *)
        die "tools/deps.sh: no group '$1'; groups are $all_groups" ;;
    esac
}

# shellcheck disable=SC1090  # the system's file
ubuntu() { (. "${OS_RELEASE:-/etc/os-release}" 2>/dev/null && [ "${ID:-}" = ubuntu ]) }

libomp() {
    echo 'libomp5-19|libomp5-18|libomp5-14|libomp5 file:/usr/lib/*/libomp.so.5 LLVM-libomp'
}

# profiled NAME...: Debian's Haskell libraries for programs that are built with profiling. Another GHC has its own.
profiled() {
    if have ghc && ! debian_ghc; then return; fi
    for name; do
        case $name in
        base) row=ghc-prof files=/usr/lib/ghc/base-*/libHSbase-*_p.a ;;
        *) row=libghc-$name-prof files=/usr/lib/haskell-packages/ghc/lib/*/$name-*/libHS$name-*_p.a ;;
        esac
        echo "$row file:$files $name-for-profiling"
    done
}

gcc_major() {
    if have gcc; then gcc -dumpversion | cut -d. -f1; else echo 12; fi
}

# A ghc that is not Debian's (ghcup, Nix) takes its packages from cabal, which fetches them itself.
debian_ghc() {
    have ghc && case $(readlink -f "$(command -v ghc)") in /usr/lib/ghc/* | /usr/bin/*) true ;; *) false ;; esac
}

installed() {
    have dpkg-query || return 1
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# $1 the packages, a|b; $2 the way to see
present() {
    case $2 in
    cmd:*) have "${2#cmd:}" && return 0 ;;
    file:*)
        for f in ${2#file:}; do [ -e "$f" ] && return 0; done ;;
    hs:*)
        if have ghc && ! debian_ghc; then return 0; fi
        if have ghc-pkg && [ -n "$(ghc-pkg --simple-output list "${2#hs:}" 2>/dev/null)" ]; then return 0; fi ;;
    esac
    for p in $(echo "$1" | tr '|' ' '); do installed "$p" && return 0; done
    return 1
}

# Prints the rows of group $1 that are missing.
missing() {
    rows "$1" | while read -r pkg see name; do
        present "$pkg" "$see" || echo "$pkg $see $name"
    done
}

become=
may_install() {
    have apt-get || return 1
    if [ "$(id -u)" = 0 ]; then become=; return 0; fi
    have sudo && sudo -n true 2>/dev/null && become='sudo -n' && return 0
    return 1
}

updated=no
apt_update() {
    [ $updated = yes ] && return 0
    echo "deps: refreshing apt's lists"
    $become env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 update >/dev/null ||
        die "apt-get update failed; run it by hand, then start again"
    updated=yes
}

lists_usable() {
    fresh=$(find "$APT_LISTS" -maxdepth 1 -name '*_Packages*' -mtime -$LISTS_OLD_DAYS 2>/dev/null | head -n 1)
    [ -n "$fresh" ]
}

in_archive() { apt-cache show "$1" >/dev/null 2>&1; }

# Of a|b|c the first that the archive has, or the first when it has none (apt-get then names it in its error).
choose() {
    for p in $(echo "$1" | tr '|' ' '); do
        if in_archive "$p"; then echo "$p"; return; fi
    done
    echo "${1%%|*}"
}

apt_install() {
    $become env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 \
        install --no-install-recommends "$@"
}

# $1 group, $2 its missing rows
install_group() {
    lists_usable || apt_update
    want=$(echo "$2" | while read -r pkg _; do choose "$pkg"; done)
    for p in $want; do in_archive "$p" || apt_update; done
    want=$(echo "$2" | while read -r pkg _; do choose "$pkg"; done | tr '\n' ' ')
    echo "deps: $1: installing $want"
    log=$(mktemp)
    # Lists can be young and yet name files that the archive has dropped: once more after an update.
    # shellcheck disable=SC2086  # a list of package names
    if ! apt_install $want >"$log" 2>&1; then
        apt_update
        if ! apt_install $want >"$log" 2>&1; then
            cat "$log" >&2
            rm -f "$log"
            die "apt-get could not install: $want(see above); install them by hand, then start again"
        fi
    fi
    rm -f "$log"
    left=$(missing "$1")
    [ -z "$left" ] || die "still missing after the installation: $(echo "$left" | cut -d' ' -f1 | tr '\n' ' ')"
}

check=no
if [ "${1-}" = --check ]; then check=yes; shift; fi
[ $# -gt 0 ] ||
    die "usage: sh tools/deps.sh [--check] GROUP... ($all_groups)"

cannot_pkgs='' cannot_names=''
for group in "$@"; do
    rows "$group" >/dev/null
    lack=$(missing "$group")
    if [ -z "$lack" ]; then
        [ $check = yes ] || echo "deps: $group: all there"
    elif [ $check = no ] && may_install; then
        install_group "$group" "$lack"
        echo "deps: $group: all there now"
    else
        # Debian's alternatives are resolved here too, so that the printed line can be copied as it is.
        for p in $(echo "$lack" | cut -d' ' -f1); do
            if have apt-cache; then p=$(choose "$p"); fi
            cannot_pkgs="$cannot_pkgs ${p%%|*}"
        done
        cannot_names="$cannot_names$(echo "$lack" | cut -d' ' -f3 | sed 's/^/ /' | tr -d '\n')"
    fi
done

if [ -n "$cannot_pkgs" ]; then
    if have apt-get; then
        sudo='sudo ' why=' and only root may install them here'
        if may_install; then sudo=${become:+sudo } why=''; fi
        {
            echo "ghc-openmp: some packages are missing$why; run this, then start again:"
            echo "  ${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends$cannot_pkgs"
        } >&2
    else
        echo "ghc-openmp: please install, with this system's package manager, then start again:$cannot_names" >&2
    fi
    exit 1
fi
