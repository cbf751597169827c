#!/bin/sh
# docs/examples/barrier.md
. "$(dirname "$0")/common.sh"
example barrier
