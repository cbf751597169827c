#!/bin/sh
# The linking matrix: packages that depend on ghc-openmp and give no flag for it, built with each linker, static and
# -dynamic, and run in cabal repl, ghci and Template Haskell; who then serves OpenMP code is asked of the program and of
# the loader. docs/reference/haskell.md has the same matrix in words. The last line counts the cases.
#
# The programs are the packages beside this file, copied once for each linker and way into one project, so that one
# `cabal build` makes them all. It shares the build folder of the tree: the library's own C is not compiled again.
#
# Called by test/hs/run.sh; by itself: test/hs/linking/run.sh. A sampled run has one of the linkers, and one in three of
# the other ways.
set -eu
cd "$(dirname "$0")/../../.."
root=$PWD
here=test/hs/linking
BUILD=$(realpath "${BUILD:-build}")
work=$BUILD/test/linking
log=$work/log
. test/hs/cases.sh
. test/sample.sh
rm -rf "$work"
mkdir -p "$work/lib"
skip() { echo "SKIP linking, $1"; skipped=$((skipped + 1)); }

cabal_here() { # cabal_here COMMAND ARG...: cabal in the project of the copies
    command=$1
    shift
    GHCOMP_CABAL_PROJECT=$work sh tools/cabal.sh "$command" --builddir="$root/dist-newstyle" "$@"
}

# --- the project

found=
for linker in gold bfd lld; do
    if command -v "ld.$linker" >/dev/null; then
        found="$found $linker"
    else
        skip "ld.$linker: it is not installed"
    fi
done
linkers=
sample_group "$(echo "$found" | wc -w)"
for linker in $found; do
    if sampled; then linkers="$linkers $linker"; fi
done
openblas=$(find /usr/lib/*/openblas-openmp -name libopenblas.so.0 2>/dev/null | head -n 1)
if [ -z "$openblas" ] || [ ! -e /usr/include/fftw3.h ]; then
    skip 'system libraries: libopenblas0-openmp or libfftw3-dev is not installed'
    systems=
else
    systems=system
    ln -s "$openblas" "$work/lib/libopenblas.so"
fi

# add SOURCE NAME LINE...: a copy of the program under another name, and what its stanza of the project says
add() {
    source=$1 name=$2
    shift 2
    cp -r "$here/$source" "$work/$name"
    sed "s/^name:.*/name: $name/; s/^executable .*/executable $name/" "$here/$source/$source.cabal" \
        >"$work/$name/$name.cabal"
    [ "$name" = "$source" ] || rm "$work/$name/$source.cabal"
    {
        echo "package $name"
        printf '  %s\n' "$@" "extra-lib-dirs: $work/lib"
    } >>"$work/cabal.project"
    programs="$programs $name"
}

cat >"$work/cabal.project" <<END
packages: $root $root/$here/regions $root/$here/counts */*.cabal
active-repositories: :none
END
programs=
for linker in $linkers; do
    for way in static dynamic; do
        dynamic=False
        [ $way = static ] || dynamic=True
        for source in program $systems; do
            add "$source" "$source-$linker-$way" "executable-dynamic: $dynamic" "ghc-options: -optl-fuse-ld=$linker"
        done
    done
done
# The default linker, with libgomp in the link, which no program should have.
libgomps=
sample_group 4
for option in 'ld-options: -fopenmp' 'ghc-options: -lgomp'; do
    for way in static dynamic; do
        sampled || continue
        dynamic=False
        [ $way = static ] || dynamic=True
        name=${option##*-}-$way
        add program "$name" "executable-dynamic: $dynamic" "$option"
        libgomps="$libgomps $name"
    done
done

# The first starts a build anew when a header has changed, which cabal alone does not see.
# shellcheck disable=SC2086  # a list of names
if ! sh tools/cabal.sh build -v1 lib:ghc-openmp >"$log" 2>&1 || ! cabal_here build -v1 $programs >"$log" 2>&1; then
    cat "$log"
    fail 'the programs build'
    counts
    exit 1
fi

# --- what is asked

# file_of NAME: the program, which cabal's list-bin would take longer to find than the program runs
file_of() { find "$root"/dist-newstyle/build/*/*/"$1"-* -type f -path "*/x/$1/build/$1/$1"; }

# linked_by LINKER FILE: whether that linker made it, by the mark that it leaves
linked_by() {
    marks=$(readelf -p .comment "$2" 2>/dev/null; readelf -n "$2" 2>/dev/null)
    case $1 in
    gold) echo "$marks" | grep -q 'gold [0-9]' ;;
    lld) echo "$marks" | grep -q 'LLD [0-9]' ;;
    bfd) ! echo "$marks" | grep -qE 'gold [0-9]|LLD [0-9]' ;;
    esac
}

# exported FILE: the names of OpenMP and of ours that others can take from it
exported() {
    nm -D --defined-only "$1" | sed 's/@.*//' | awk '$3 ~ /^(GOMP|omp)_/ { print $3 }' | sort -u
}
awk -F'\t' '$5 == "done" && $1 ~ /^(GOMP|omp)_/ { print $1 }' cbits/abi/abi.tsv | sort -u >"$work/all"
[ -s "$work/all" ] || { fail 'cbits/abi/abi.tsv has its names'; counts; exit 1; }
library=$(find dist-newstyle -name 'libHSghc-openmp-*.so' | head -n 1)

# bindings FILE: every name of OpenMP that any object of the process needs, and the object that it is taken from; an
# object may look its own names up as well, and libgomp.so.1 may be there, as long as no object takes a name from it.
bindings() {
    LD_BIND_NOW=1 LD_DEBUG=bindings LD_DEBUG_OUTPUT="$work/debug" "$1" >/dev/null 2>&1 || true
    cat "$work"/debug.* |
        sed -nE 's/.*binding file (\S+) \[0\] to (\S+) \[0\]: \S+ symbol .((GOMP|omp)_\w+).*/\1 \2 \3/p' |
        awk '$1 !~ /libgomp\.so/ { print $2 }' | sort | uniq -c >"$work/bound"
    rm -f "$work"/debug.*
}

# facts SERVES WAY OBJECT: the line of Regions.facts, as a pattern
facts() {
    if [ "$1" = True ]; then workers='[1-9][0-9]*'; else workers=0; fi
    systems_loaded=1
    [ "$2" = dynamic ] || systems_loaded=0
    echo "serves=$1 host=ghc origin=linked sum=4950 team=3 workers=$workers most=${most:-[0-9]*}" \
        "rts=$systems_loaded object=$3"
}

says() { # says CASE FILE PATTERN: one of its lines is the pattern
    if grep -Eqx -e "$3" "$2"; then pass "$1"; else fail "$1: no line is: $3" "$2"; fi
}
quiet() { if [ -s "$2" ]; then fail "$1" "$2"; else pass "$1"; fi; }
ours='libHSghc-openmp-.*\.so'

run() { # run FILE ARG..., with what it writes in out and err; `env` gives it variables that `timeout` must not have
    status=0
    timeout 60 "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    [ "$status" -eq 0 ] || echo "exit status $status" >>"$work/err"
}

# --- the matrix

echo '== the library, -dynamic'
if exported "$library" | cmp -s - "$work/all"; then
    pass 'the shared library has every name of abi.tsv'
else
    exported "$library" | diff - "$work/all" >"$log" || true
    fail 'the shared library has every name of abi.tsv' "$log"
fi

for linker in $linkers; do
    for way in static dynamic; do
        echo "== $linker, $way"
        file=$(file_of "program-$linker-$way")
        object=program-$linker-$way
        : >"$work/none"
        names=$work/all
        if [ $way = dynamic ]; then object=$ours names=$work/none; fi
        if linked_by "$linker" "$file"; then pass 'the linker'; else fail "$linker did not link it"; fi
        exported "$file" >"$work/exported"
        if cmp -s "$work/exported" "$names"; then
            pass 'the program defines every OpenMP name (static) or none (dynamic)'
        else
            diff "$work/exported" "$names" >"$log" || true
            fail 'the program defines every OpenMP name (static) or none (dynamic)' "$log"
        fi
        run "$file"
        says 'two packages with OpenMP code' "$work/out" "run: $(facts True $way "$object")"
        says 'tasks and locks in C++' "$work/out" 'evens: 500'
        says 'Template Haskell' "$work/out" "splice: $(facts True dynamic "$ours")"
        quiet 'nothing is said' "$work/err"
        [ -n "$systems" ] || continue
        file=$(file_of "system-$linker-$way")
        run "$file"
        [ $way = dynamic ] || object=system-$linker-$way
        says 'OpenBLAS makes our workers' "$work/out" 'blas: workers [1-9]'
        says 'FFTW makes our workers' "$work/out" 'fftw: workers [1-9]'
        says 'the program says who serves' "$work/out" "run: $(facts True $way "$object")"
        quiet 'nothing is said' "$work/err"
        bindings "$file"
        if [ "$(wc -l <"$work/bound")" -eq 1 ] && grep -Eq "/($object)\$" "$work/bound"; then
            pass 'every object takes its OpenMP names from the runtime'
        else
            fail "objects take OpenMP names from others than $object" "$work/bound"
        fi
    done
done

echo '== a program that links libgomp itself'
for name in $libgomps; do
    file=$(file_of "$name")
    run "$file"
    if [ "$name" != lgomp-dynamic ]; then
        object=$name
        [ "${name#*-}" = static ] || object=$ours
        says "$name: the runtime serves all the same" "$work/out" "run: $(facts True "${name#*-}" "$object")"
        quiet "$name: nothing is said" "$work/err"
        continue
    fi
    # -lgomp comes before the package's shared library, and so does libgomp in the loader's search.
    says "$name: libgomp serves, and the program knows" "$work/out" \
        "run: $(facts False dynamic 'libgomp\.so\.1')"
    if [ "$(wc -l <"$work/err")" -eq 1 ]; then
        says "$name: one line says so" "$work/err" \
            'ghc-openmp: warning: .*/libgomp\.so\.1, not on ghc-openmp; .*'
    else
        fail "$name: one line says so" "$work/err"
    fi
    bindings "$file"
    if [ "$(wc -l <"$work/bound")" -eq 1 ] && grep -q '/libgomp\.so\.1$' "$work/bound"; then
        pass "$name: no name comes from elsewhere"
    else
        fail "$name: no name comes from elsewhere" "$work/bound"
    fi
done

echo '== asked for in the environment'
linker=${linkers##* }
file=$(file_of "program-$linker-static")
GHCOMP_HOST=ghc run "$file"
says 'GHCOMP_HOST=ghc: no second RTS, static' "$work/out" "run: $(facts True static "program-$linker-static")"
GHCOMP_HOST=ghc run "$(file_of "program-$linker-dynamic")"
says 'GHCOMP_HOST=ghc: no second RTS, dynamic' "$work/out" "run: $(facts True dynamic "$ours")"
dropin=$BUILD/dropin/libgomp.so.1
if [ -e "$dropin" ]; then
    run env "LD_PRELOAD=$dropin" "$file"
    says 'the drop-in is preloaded: a static program keeps its own' "$work/out" \
        "run: $(facts True static "program-$linker-static")"
    quiet 'the drop-in is preloaded, static: nothing is said' "$work/err"
    run env "LD_PRELOAD=$dropin" "$(file_of "program-$linker-dynamic")"
    says 'the drop-in is preloaded: a dynamic program says so' "$work/err" \
        "ghc-openmp: warning: .* on the drop-in $dropin, not .*"
    says 'the drop-in is preloaded: a dynamic program knows' "$work/out" 'run: serves=False .* object=libgomp\.so\.1'
else
    skip "the drop-in is preloaded: it is not built"
fi

echo '== a library whose constructor comes before the program'"'"'s'
gcc -O1 -fopenmp -shared -fPIC -Wall "$here/early.c" -o "$work/lib/libearly.so"
export GHCOMP_CPU_QUOTA=ignore # nproc knows no quota
run "$file"
most=$(sed -n 's/^run: .* most=\([0-9]*\) .*/\1/p' "$work/out")
for way in static dynamic; do
    object=program-$linker-static
    [ $way = static ] || object=$ours
    run env "LD_PRELOAD=$work/lib/libearly.so" "$(file_of "program-$linker-$way")"
    says "$way: its region gets the threads that the program's get" "$work/out" \
        "early: procs=$(nproc) most=$most team=$most"
    says "$way: the program is served as ever" "$work/out" "run: $(facts True $way "$object")"
done

echo '== interactive'
sample_group 3
if sampled; then
    # The library itself: cabal links its objects for ghci anew.
    printf ':m + OpenMP\nruntimeServes <$> runtime\n' |
        sh tools/cabal.sh repl -v1 lib:ghc-openmp >"$work/out" 2>&1 || true
    says 'cabal repl of the library' "$work/out" '(.*> )*True'
fi
if sampled; then
    program=$(echo "$programs" | awk '{ print $1 }')
    echo ':main' | cabal_here repl -v1 "$program" >"$work/out" 2>"$work/err" || true
    cat "$work/err" >>"$work/out"
    says 'cabal repl' "$work/out" "(.*> )?run: $(facts True dynamic "$ours")"
    says 'cabal repl: Template Haskell' "$work/out" "splice: $(facts True dynamic "$ours")"
fi
if sampled; then
    packages=$root/dist-newstyle/packagedb/ghc-$(ghc --numeric-version)
    echo 'Regions.facts >>= putStrLn' |
        ghci -v0 -ignore-dot-ghci -package-env - -package-db "$packages" -package regions >"$work/out" 2>&1 || true
    says 'ghci' "$work/out" "$(facts True dynamic "$ours")"
fi

counts
[ "$failed" -eq 0 ]
