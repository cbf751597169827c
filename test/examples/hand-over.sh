#!/bin/sh
# docs/guide/examples/hand-over.md
. "$(dirname "$0")/common.sh"
example hand-over
