#!/bin/sh
# docs/guide/examples/sparks.md
. "$(dirname "$0")/common.sh"
example sparks
