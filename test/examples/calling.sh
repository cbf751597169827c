#!/bin/sh
# docs/guide/examples/calling.md
. "$(dirname "$0")/common.sh"
example calling
