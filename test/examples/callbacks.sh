#!/bin/sh
# docs/examples/callbacks.md
. "$(dirname "$0")/common.sh"
example callbacks
