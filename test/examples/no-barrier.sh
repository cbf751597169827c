#!/bin/sh
# docs/guide/examples/no-barrier.md
. "$(dirname "$0")/common.sh"
example no-barrier
