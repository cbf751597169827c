#!/bin/sh
# docs/guide/examples/batching.md
. "$(dirname "$0")/common.sh"
example batching
