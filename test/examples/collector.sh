#!/bin/sh
# docs/examples/collector.md
. "$(dirname "$0")/common.sh"
example collector
