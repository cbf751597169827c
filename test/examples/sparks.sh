#!/bin/sh
# docs/examples/sparks.md
. "$(dirname "$0")/common.sh"
example sparks
