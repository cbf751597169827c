#!/bin/sh
# docs/examples/no-barrier.md
. "$(dirname "$0")/common.sh"
example no-barrier
