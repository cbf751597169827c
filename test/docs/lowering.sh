#!/bin/sh
# docs/internals/gcc-calls.md: its listings are what this machine's gcc makes, where that is the version that made them,
# and the runtime has every entry point that gcc calls (tools/lowering.py). The command that the page names prints one.
set -eu
cd "$(dirname "$0")/../.."
python3 tools/lowering.py check
cd examples/lowering
sh -eu see.sh | grep -q GOMP_task || { echo 'see.sh shows no call of GOMP_task'; exit 1; }
