#!/bin/sh
# docs/examples/batching.md
. "$(dirname "$0")/common.sh"
example batching
