#!/bin/sh
# docs/examples/shared.md
. "$(dirname "$0")/common.sh"
example shared
