#!/bin/sh
# docs/examples/untyped.md
. "$(dirname "$0")/common.sh"
example untyped
