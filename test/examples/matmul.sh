#!/bin/sh
# docs/examples/matmul.md
. "$(dirname "$0")/common.sh"
example matmul
