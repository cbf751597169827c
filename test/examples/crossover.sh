#!/bin/sh
# docs/guide/examples/crossover.md
. "$(dirname "$0")/common.sh"
example crossover
