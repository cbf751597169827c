#!/bin/sh
# docs/guide/examples/collector.md
. "$(dirname "$0")/common.sh"
example collector
