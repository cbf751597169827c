#!/bin/sh
# docs/guide/examples/tasks.md
. "$(dirname "$0")/common.sh"
example tasks
