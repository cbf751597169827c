#!/bin/sh
# docs/examples/calling.md
. "$(dirname "$0")/common.sh"
example calling
