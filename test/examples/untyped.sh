#!/bin/sh
# docs/guide/examples/untyped.md
. "$(dirname "$0")/common.sh"
example untyped
