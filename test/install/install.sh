#!/bin/sh
# make install into a folder, and what a user does with it: the launcher runs a program on the installed runtime, and a
# program is linked with -lghcomp, by pkg-config and by CMake; each gets GHC's RTS from the installed companion. The man
# pages have no mistake, and each shell completes. make uninstall leaves nothing. Without GHC all but the launcher is
# installed. A folder whose name a shell would split is refused. Without DESTDIR root's ldconfig runs, a fake here, and
# install says where the loader does not look. What the machine lacks (pkg-config, CMake, man, zsh, fish) is left out,
# and the output says so.
set -eu
unset MAKEFLAGS MFLAGS MAKELEVEL # of a make that runs the tests: the inner one would say more
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
said=''

wrong() { printf '%s\n' "$@"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1 || { echo "left out: there is no $1 here"; return 1; }; }
installed() { make -s "$1" BUILD="${BUILD:-build}" DESTDIR="$work" PREFIX=/usr "$2" >"$work/log" 2>&1 || {
    cat "$work/log"; exit 1; }; }

# check NAME PROGRAM: it runs on the installed runtime, and on the host that is there. Its loader finds the library
# where it would be without DESTDIR.
check() {
    said=$(env LD_LIBRARY_PATH="$lib" "$2" 2>"$work/err") || { cat "$work/err"; wrong "$1 fails"; }
    [ "$said" = "3 threads on ghc-openmp, host $host" ] || { cat "$work/err"; wrong "$1: $said"; }
}

cat >"$work/program.c" <<'END_C'
#include <ghcomp.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
    threads += 1;
    printf("%d threads on %s, host %s\n", threads, ghcomp_version()[0] ? "ghc-openmp" : "nothing", ghcomp_host_name());
    return 0;
}
END_C
cat >"$work/plain.c" <<'END_C'
#include <omp.h>
#include <stdio.h>
int main(void)
{
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads += 1;
    printf("%d\n", threads);
    return 0;
}
END_C
gcc -O2 -fopenmp "$work/plain.c" -o "$work/plain"
mkdir "$work/cmake"
cat >"$work/cmake/CMakeLists.txt" <<'END_CMAKE'
cmake_minimum_required(VERSION 3.10)
project(program C)
find_package(ghcomp 0.1 REQUIRED)
add_executable(program ../program.c)
target_link_libraries(program ghcomp::ghcomp)
END_CMAKE

# A plain prefix, and the folders of other systems; a sampled run has one of them.
. test/sample.sh
sample_group 3
for libdir in /usr/lib /usr/lib/x86_64-linux-gnu /usr/lib64; do
    sampled || continue
    installed install LIBDIR=$libdir
    lib=$work$libdir
    host=ghc
    [ -e "$lib/ghc-openmp/libghcomp_rts.so" ] || host=posix

    gcc -O2 -fopenmp -I"$work/usr/include" -c "$work/program.c" -o "$work/program.o"
    gcc "$work/program.o" -L"$lib" -lghcomp -o "$work/linked"
    check linked "$work/linked"

    if have pkg-config; then
        flags=$(PKG_CONFIG_LIBDIR="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work" PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
            PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config --cflags --libs ghcomp)
        # shellcheck disable=SC2086  # a list of options
        gcc -O2 "$work/program.c" $flags -o "$work/by-pkg-config"
        check pkg-config "$work/by-pkg-config"
    fi
    if have cmake; then
        rm -rf "$work/made"
        # Debian's CMake does not look into lib64, so it is told; by a link, as /lib is one.
        ln -sfn "$lib" "$work/by-link"
        where=CMAKE_PREFIX_PATH=$work/usr
        [ "$libdir" != /usr/lib64 ] || where=ghcomp_DIR=$work/by-link/cmake/ghcomp
        cmake -S "$work/cmake" -B "$work/made" "-D$where" \
            -DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu >"$work/log" 2>&1 &&
            cmake --build "$work/made" >>"$work/log" 2>&1 || { cat "$work/log"; wrong 'cmake fails'; }
        check cmake "$work/made/program"
        mkdir -p "$work/newer"
        sed 's/ghcomp 0.1/ghcomp 9/; s|[.][.]/|../cmake/../|' "$work/cmake/CMakeLists.txt" >"$work/newer/CMakeLists.txt"
        if cmake -S "$work/newer" -B "$work/made-newer" "-D$where" \
            -DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu >/dev/null 2>&1; then
            wrong 'CMake takes this version for version 9'
        fi
    fi

    said=$(env -u GHCOMP_HOME "$work/usr/bin/ghcomp" run --threads 5 -- "$work/plain")
    [ "$said" = 5 ] || wrong "ghcomp run: $said"
    "$work/usr/bin/ghcomp" info | grep -q "$lib/ghc-openmp/libgomp.so.1" || { "$work/usr/bin/ghcomp" info; exit 1; }

    if have man; then
        for page in man1/ghcomp.1 man7/ghc-openmp.7; do
            LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "$work/usr/share/man/$page" \
                >"$work/page" 2>"$work/err" || wrong "man cannot show $page"
            [ ! -s "$work/err" ] || { cat "$work/err"; wrong "$page has mistakes"; }
            [ "$(wc -l <"$work/page")" -gt 50 ] || wrong "$page is nearly empty"
        done
    fi

    # The scripts run the launcher by the path that it will have; here it is below $work.
    share=$work/usr/share
    sed -i "s|/usr/bin/ghcomp|$work/usr/bin/ghcomp|g" "$share"/bash-completion/completions/ghcomp \
        "$share"/zsh/site-functions/_ghcomp "$share"/fish/vendor_completions.d/ghcomp.fish
    # shellcheck disable=SC2016
    said=$(bash -c '. "$1"; COMP_WORDS=(ghcomp do); COMP_CWORD=1; _ghcomp; echo "${COMPREPLY[*]}"' - \
        "$share/bash-completion/completions/ghcomp")
    [ "$said" = doctor ] || wrong "bash completes ghcomp do to: $said"
    if have zsh; then
        # shellcheck disable=SC2016
        said=$(zsh -fc 'compadd() { shift $(($# - 1)); echo $1; }; _describe() { print -l ${(P)2}; }
                        words=(ghcomp do); CURRENT=2; . "$1"' - "$share/zsh/site-functions/_ghcomp" 2>&1)
        case $said in *doctor*) ;; *) wrong "zsh completes ghcomp do to: $said" ;; esac
    fi
    if have fish; then
        said=$(HOME=$work fish --no-config -c "source $share/fish/vendor_completions.d/ghcomp.fish
                                               complete --do-complete 'ghcomp do'")
        case $said in doctor*) ;; *) wrong "fish completes ghcomp do to: $said" ;; esac
    fi

    installed uninstall LIBDIR=$libdir
    left=$(find "$work/usr" ! -type d)
    [ -z "$left" ] || wrong "left behind: $left"
done

# Beside a folder `build 2` there is one that is no installation's, `build`: uninstall must leave it.
mkdir -p "$work/build" "$work/build 2"
touch "$work/build/kept"
for name in DESTDIR="$work/build 2" PREFIX="$work/build 2" LIBDIR="$work/build 2" PREFIX="$work/build;x" \
    PREFIX="$work/buil*" PREFIX="$work/'build'"; do
    for goal in install install-dropin uninstall; do
        if make -s "$goal" "$name" >"$work/log" 2>&1; then wrong "make $goal takes $name"; fi
        { [ "$(wc -l <"$work/log")" = 1 ] && grep -q 'must have no blanks' "$work/log"; } || {
            cat "$work/log"; wrong "make $goal $name does not say what is wrong"; }
    done
done
[ -e "$work/build/kept" ] || wrong 'uninstall has removed another folder'
if make -sn clean BUILD="$work/build 2" >"$work/log" 2>&1; then wrong 'make clean takes a name with a blank'; fi

# The fake ldconfig has the library in its cache when it has run before for root, if it looks into that folder at all.
mkdir "$work/fake"
cat >"$work/fake/ldconfig" <<'END_LDCONFIG'
#!/bin/sh
here=$(dirname "$0")
if [ "$*" != -p ]; then [ ! -e "$here/looks" ] || touch "$here/ran"; exit 0; fi
[ ! -e "$here/ran" ] || printf '\tlibghcomp.so.0 (libc6,x86-64) => %s/lib/libghcomp.so.0\n' "$PREFIX_LINK"
END_LDCONFIG
printf '#!/bin/sh\ncat "%s/user"\n' "$work/fake" >"$work/fake/id"
chmod +x "$work/fake/ldconfig" "$work/fake/id"
ln -s prefix "$work/link"
# cached USER SAYS: what install prints for that user.
cached() {
    echo "$1" >"$work/fake/user"
    PREFIX_LINK="$work/link" PATH="$work/fake:$PATH" make -s install BUILD="${BUILD:-build}" PREFIX="$work/prefix" \
        >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    lib=$work/prefix/lib
    said=$(grep -c "does not find $lib/libghcomp.so.0: .*LD_LIBRARY_PATH=$lib\$" "$work/log" || :)
    [ "$said" = "$2" ] || { cat "$work/log"; wrong "install for user $1 says $said lines of the loader"; }
}
cached 0 1
touch "$work/fake/looks"
cached 1000 1
cached 0 0
make -s uninstall PREFIX="$work/prefix"
left=$(find "$work/prefix" ! -type d)
[ -z "$left" ] || wrong "left behind: $left"

# Without GHC: all but the launcher. What is compiled is taken as it is.
mkdir "$work/bin" "$work/none" "$work/none/obj"
ln -s /usr/bin/* "$work/bin"
rm -f "$work"/bin/*ghc* "$work/bin/dpkg-query"
build=${BUILD:-build}
cp -a "$build/flags" "$build/lib" "$build/dropin" "$work/none"
cp -a "$build/obj/shared" "$build/obj/profile" "$build"/obj/default_host_*.o "$work/none/obj"
rm -f "$work/none/lib/libghcomp_rts.so" "$work/none/dropin/libghcomp_rts.so"
env -u GHC PATH="$work/bin" make -s install BUILD="$work/none" DESTDIR="$work" PREFIX=/usr >"$work/log" 2>&1 || {
    cat "$work/log"; wrong 'make install fails without GHC'; }
grep -q 'installed without the launcher' "$work/log" || { cat "$work/log"; wrong 'no line about the launcher'; }
[ ! -e "$work/usr/bin/ghcomp" ] || wrong 'without GHC there is a launcher'
lib=$work/usr/lib
host=posix
gcc "$work/program.o" -L"$lib" -lghcomp -o "$work/linked"
check 'linked, without GHC' "$work/linked"
said=$(OMP_DISPLAY_ENV=verbose OMP_NUM_THREADS=5 LD_LIBRARY_PATH="$lib/ghc-openmp" "$work/plain" 2>"$work/err")
{ [ "$said" = 5 ] && grep -q GHCOMP_HOST "$work/err"; } || { cat "$work/err"; wrong "the drop-in, without GHC: $said"; }
installed uninstall LIBDIR=/usr/lib
left=$(find "$work/usr" ! -type d)
[ -z "$left" ] || wrong "left behind: $left"
