#!/bin/sh
# docs/guide/examples/matmul.md
. "$(dirname "$0")/common.sh"
example matmul
