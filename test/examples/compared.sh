#!/bin/sh
# docs/guide/examples/compared.md
. "$(dirname "$0")/common.sh"
example compared
