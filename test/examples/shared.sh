#!/bin/sh
# docs/guide/examples/shared.md
. "$(dirname "$0")/common.sh"
example shared
