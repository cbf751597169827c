#!/bin/sh
# docs/examples/compared.md
. "$(dirname "$0")/common.sh"
example compared
