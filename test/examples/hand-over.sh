#!/bin/sh
# docs/examples/hand-over.md
. "$(dirname "$0")/common.sh"
example hand-over
