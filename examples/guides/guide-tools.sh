gcc -O2 -fopenmp hello.c -o hello
gcc -O2 hello.c -o serial
ghcomp doctor ./hello | sed 's/ (.*//'
ghcomp doctor ./serial

OMP_NUM_THREADS=5 ghcomp info --json | grep -o '"OMP_NUM_THREADS": "[0-9]*"'

ghcomp run --threads nine -- ./hello 2>&1 || echo "exit status $?"
ghcomp run -- ./nothing 2>&1 || echo "exit status $?"

OMP_DISPLAY_ENV=true OMP_NUM_THREADS=3 ghcomp run -- ./hello 2>&1 | grep -E 'NUM_THREADS|threads'
