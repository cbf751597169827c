#!/bin/sh
# docs/guide/examples/concurrent.md
. "$(dirname "$0")/common.sh"
example concurrent
