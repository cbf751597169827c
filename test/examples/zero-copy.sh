#!/bin/sh
# docs/guide/examples/zero-copy.md
. "$(dirname "$0")/common.sh"
example zero-copy
