#!/bin/sh
# Every done row of abi.tsv can be linked against by its prototype, and none needs another OpenMP runtime: a program
# that takes the address of all of them, at their version nodes, is linked with the drop-in alone and with the archive
# alone, finds each in the right object, calls all routines that only return a value (C and Fortran agree), and runs a
# region. The symbols come from the table: a new row is covered when it is done.
#
# In the archive, which has no version nodes, a symbol with two versions is its default one.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
dropin=$build/dropin/libgomp.so.1
archive=$build/plain/libghcomp.a
host=$build/obj/default_host_posix.o
for file in "$dropin" "$archive" "$host"; do
    [ -e "$file" ] || { echo "link_all.sh: build $file first (make check does)" >&2; exit 1; }
done
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export GHCOMP_HOST=posix

fail() {
    echo "link_all.sh: $1" >&2
    [ $# -lt 2 ] || head -20 "$2" >&2
    exit 1
}

# generate TABLE: the declarations and the lists that all.c includes.
generate() {
    awk -F '\t' -v decl="$tmp/declared.h" -v defaults="$tmp/defaults.h" -v others="$tmp/others.h" \
        -v asked="$tmp/asked.h" '
        BEGIN { printf "" > decl; printf "" > defaults; printf "" > others; printf "" > asked }
        NR == 1 || $5 != "done" { next }
        { done[$1] = 1 }
        $3 == "yes" {
            name = $1; data = $7 !~ /\(/; text = $7 # a constant, whose name is an enumerator here
            if (data) { name = "data_" $1; sub($1 "$", name " __asm__(\"" $1 "\")", text) }
            print "extern " text ";" > decl
            printf "{\"%s\", \"%s\", (void *)%s%s},\n", $1, $2, data ? "&" : "", name > defaults
            if ($7 ~ /^(int|int32_t|double|omp_proc_bind_t) omp_(get|in|is)_[a-z_]+\(void\)$/)
                asks[$1] = 1
        }
        $3 == "no" {
            node = $2; gsub(/\./, "_", node); name = $1 "_at_" node
            prototype = $7; sub("(^|[ *])" $1 "\\(", " " name "(", prototype)
            print "extern " prototype ";" > others
            printf "__asm__(\".symver %s, %s@%s\");\n", name, $1, $2 > others
            printf "static const struct row other_%s = {\"%s\", \"%s\", (void *)%s};\n", name, $1, $2, name > others
            list = list "&other_" name ", "
        }
        END {
            printf "static const struct row *const others[] = {%s0};\n", list > others
            for (name in asks)
                if (!(name ~ /_$/) && name !~ /wt/)
                    printf "ask(\"%s\", (long)%s(), %s);\n", name, name,
                        (name "_") in asks ? "(long)" name "_()" : "(long)" name "()" > asked
        }' "$1"
}

cat > "$tmp/all.c" <<'END_C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi/abi.h"
#include "declared.h"

struct row {
    const char *name, *node;
    void *address;
};
static const struct row defaults[] = {
#include "defaults.h"
};
static int wrong, asked_for;

/* The object that has the symbol must be the one whose path is `where`. */
static void look(const struct row *row, const char *where)
{
    Dl_info info;
    if (row->address == NULL || !dladdr(row->address, &info) || strcmp(info.dli_fname, where) != 0) {
        fprintf(stderr, "%s@%s is not in %s\n", row->name, row->node, where);
        wrong = 1;
    }
}

static void ask(const char *name, long in_c, long in_fortran)
{
    asked_for++;
    if (in_c != in_fortran) {
        fprintf(stderr, "%s: %ld in C, %ld in Fortran\n", name, in_c, in_fortran);
        wrong = 1;
    }
}

static void member(void *count)
{
    __atomic_add_fetch((int *)count, 1, __ATOMIC_RELAXED);
    GOMP_barrier();
    if (__atomic_load_n((int *)count, __ATOMIC_RELAXED) != 4 || omp_get_num_threads() != 4)
        wrong = 1;
}

#ifdef DROPIN
#include "others.h"

/* The version that the linker took is the one of the table. */
static void look_versions(const char *where)
{
    size_t i;
    for (i = 0; others[i] != NULL; i++)
        look(others[i], where);
    for (i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (dlvsym(RTLD_DEFAULT, defaults[i].name, defaults[i].node) != defaults[i].address) {
            fprintf(stderr, "%s is not the one of %s\n", defaults[i].name, defaults[i].node);
            wrong = 1;
        }
    for (i = 0; others[i] != NULL; i++)
        if (dlvsym(RTLD_DEFAULT, others[i]->name, others[i]->node) != others[i]->address) {
            fprintf(stderr, "%s is not the one of %s\n", others[i]->name, others[i]->node);
            wrong = 1;
        }
}
#endif

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : argv[0];
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        look(&defaults[i], where);
#ifdef DROPIN
    look_versions(where);
#endif
#include "asked.h"
    int count = 0;
    GOMP_parallel(member, &count, 4, 0);
    if (count != 4)
        wrong = 1;

    /* Nothing that ran has brought in another one. */
    char line[512], path[256];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%*s %*s %*s %*s %*s %255s", path) == 1 && strcmp(path, where) != 0 &&
            (strstr(path, "/libgomp") || strstr(path, "/libomp") || strstr(path, "/libiomp"))) {
            fprintf(stderr, "%s is loaded\n", path);
            wrong = 1;
        }
    printf("%zu symbols, %d asked\n", sizeof defaults / sizeof defaults[0], asked_for);
    return wrong;
}
END_C

compile() {
    gcc -std=gnu11 -Wall -Werror -O1 -fPIC -fno-builtin -Icbits -I"$tmp" "$@"
}
lib=$tmp/dropin
mkdir "$lib"
cp "$dropin" "$lib/libgomp.so.1"
with_dropin() {
    compile -DDROPIN "$tmp/all.c" -Wl,-z,now "$lib/libgomp.so.1" -o "$tmp/all"
}
with_archive() {
    compile "$tmp/all.c" "$archive" "$host" -pthread -ldl -lm -o "$tmp/static"
}

generate cbits/abi/abi.tsv
rows=$(awk -F '\t' '$5 == "done" && $3 == "yes"' cbits/abi/abi.tsv | wc -l)

with_dropin || fail 'not everything links with the drop-in'
env LD_LIBRARY_PATH="$lib" ldd "$tmp/all" > "$tmp/ldd"
if [ "$(grep -c 'gomp\|libomp\|libiomp' "$tmp/ldd")" != 1 ] || ! grep -q "libgomp.so.1 => $lib/" "$tmp/ldd"; then
    fail 'the program needs more than the drop-in:' "$tmp/ldd"
fi
env LD_LIBRARY_PATH="$lib" timeout 60 "$tmp/all" "$lib/libgomp.so.1" > "$tmp/out" ||
    fail 'the drop-in is not whole'
grep -q "^$rows symbols, [1-9][0-9]* asked$" "$tmp/out" || fail "$rows rows, but:" "$tmp/out"

with_archive || fail 'not everything links with the archive'
ldd "$tmp/static" > "$tmp/ldd"
if grep -q 'gomp\|libomp\|libiomp' "$tmp/ldd"; then
    fail 'the program with the archive needs a shared OpenMP runtime:' "$tmp/ldd"
fi
timeout 60 "$tmp/static" > "$tmp/out" || fail 'the archive is incomplete'
grep -q "^$rows symbols, [1-9][0-9]* asked$" "$tmp/out" || fail "$rows rows, but:" "$tmp/out"

# What is missing is noticed: a symbol, in both; and a version node.
{
    cat cbits/abi/abi.tsv
    printf 'GOMP_nobody\tGOMP_6.0\tyes\tmisc\tdone\tx.c\tvoid GOMP_nobody(void)\t\n'
} > "$tmp/more.tsv"
generate "$tmp/more.tsv"
for way in with_dropin with_archive; do
    if $way 2> "$tmp/err"; then
        fail "$way: a symbol that does not exist was linked"
    fi
    grep -q GOMP_nobody "$tmp/err" || fail "$way: the linker does not name GOMP_nobody:" "$tmp/err"
done
sed 's/^GOMP_barrier\tGOMP_1.0/GOMP_barrier\tGOMP_2.0/' cbits/abi/abi.tsv > "$tmp/moved.tsv"
generate "$tmp/moved.tsv"
with_dropin
if env LD_LIBRARY_PATH="$lib" "$tmp/all" "$lib/libgomp.so.1" > "$tmp/out" 2> "$tmp/err"; then
    fail 'a symbol at another node was accepted'
fi
grep -q 'GOMP_barrier is not the one of GOMP_2.0' "$tmp/err" || fail 'the node is not named:' "$tmp/err"
