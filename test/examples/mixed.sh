#!/bin/sh
# docs/guide/examples/mixed.md
. "$(dirname "$0")/common.sh"
example mixed
