#!/bin/sh
# docs/guide/examples/callbacks.md
. "$(dirname "$0")/common.sh"
example callbacks
