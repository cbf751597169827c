gcc -O1 -fopenmp -S -o /dev/null -fdump-tree-optimized=/dev/stdout task.c
