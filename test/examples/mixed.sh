#!/bin/sh
# docs/examples/mixed.md
. "$(dirname "$0")/common.sh"
example mixed
