#!/bin/sh
# A program that was linked against a libgomp.so.1 with a certain version node starts on ours, for each node
# that libgomp has, with or without symbols; and the loader does refuse a node that no library has, so
# this test can fail.
#
# For each node, a stand-in library offers one function at that node. The program calls it only when it gets
# arguments, and lazily: the loader looks up the node when the program starts, and never the function.
# Usage: nodes.sh [OBJECT]
set -eu
cd "$(dirname "$0")/../.."
object=${1:-${BUILD:-build}/dropin/libgomp.so.1}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/dropin" "$tmp/standin"
cp "$object" "$tmp/dropin/libgomp.so.1"

nodes='OMP_1.0 OMP_2.0 OMP_3.0 OMP_3.1 OMP_4.0 OMP_4.5 OMP_5.0 OMP_5.0.1 OMP_5.0.2 OMP_5.1 OMP_5.1.1 OMP_5.2
GOMP_1.0 GOMP_2.0 GOMP_3.0 GOMP_4.0 GOMP_4.0.1 GOMP_4.5 GOMP_5.0 GOMP_5.0.1 GOMP_5.1 GOMP_5.1.1 GOMP_5.1.2
GOMP_5.1.3 GOMP_6.0 GOMP_6.0.1 GOMP_6.0.2
OACC_2.0 OACC_2.0.1 OACC_2.5 OACC_2.5.1 OACC_2.6 OACC_2.6.1 GOACC_2.0 GOACC_2.0.1 GOACC_2.0.2
GOMP_PLUGIN_1.0 GOMP_PLUGIN_1.1 GOMP_PLUGIN_1.2 GOMP_PLUGIN_1.3 GOMP_PLUGIN_1.4'

# build NAME NODE...: a program that needs these nodes of libgomp.so.1.
build() {
    name=$1
    shift
    : > "$tmp/standin.map"
    : > "$tmp/standin.c"
    : > "$tmp/calls.h"
    for node in "$@"; do
        function=standin_$(echo "$node" | tr . _)
        echo "$node { global: $function; };" >> "$tmp/standin.map"
        echo "void $function(void) { }" >> "$tmp/standin.c"
        echo "extern void $function(void);" >> "$tmp/calls.h"
        echo "    $function();" >> "$tmp/calls.body"
    done
    { cat "$tmp/calls.h"; echo 'int main(int argc, char **argv) { (void)argv; if (argc > 1) {'
      cat "$tmp/calls.body"; echo '} return 0; }'; } > "$tmp/$name.c"
    rm "$tmp/calls.body"
    gcc -shared -fPIC -Wl,--version-script="$tmp/standin.map" -Wl,-soname,libgomp.so.1 "$tmp/standin.c" \
        -o "$tmp/standin/libgomp.so.1"
    gcc -Wl,-z,lazy "$tmp/$name.c" "$tmp/standin/libgomp.so.1" -o "$tmp/$name"
}

# shellcheck disable=SC2086 # a list of words
build all $nodes
if ! LD_LIBRARY_PATH="$tmp/dropin" timeout 60 "$tmp/all" 2> "$tmp/err"; then
    echo "nodes.sh: $object: the loader refuses a program that needs libgomp's version nodes:" >&2
    cat "$tmp/err" >&2
    exit 1
fi

build none GOMP_99.0
if LD_LIBRARY_PATH="$tmp/dropin" timeout 60 "$tmp/none" 2> "$tmp/err" || ! grep -q GOMP_99.0 "$tmp/err"; then
    echo "nodes.sh: the loader was expected to refuse the node GOMP_99.0; it said:" >&2
    cat "$tmp/err" >&2
    exit 1
fi
