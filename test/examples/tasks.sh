#!/bin/sh
# docs/examples/tasks.md
. "$(dirname "$0")/common.sh"
example tasks
