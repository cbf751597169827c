#!/bin/sh
# docs/examples/concurrent.md
. "$(dirname "$0")/common.sh"
example concurrent
