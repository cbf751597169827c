#!/bin/sh
# docs/guide/examples/linear-arrays.md
. "$(dirname "$0")/common.sh"
example linear-arrays
