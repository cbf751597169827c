#!/bin/sh
# docs/examples/linear-arrays.md
. "$(dirname "$0")/common.sh"
example linear-arrays
