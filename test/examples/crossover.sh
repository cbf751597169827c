#!/bin/sh
# docs/examples/crossover.md
. "$(dirname "$0")/common.sh"
example crossover
