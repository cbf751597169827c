#!/bin/sh
# docs/guide/examples/barrier.md
. "$(dirname "$0")/common.sh"
example barrier
