#!/bin/bash
#SBATCH --job-name=stencil
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=8
#SBATCH --hint=nomultithread
#SBATCH --time=00:10:00
# sbatch job.sh ./stencil: eight processes on two nodes, each with a team of eight threads.
set -eu

# srun does not take this from the job by itself since Slurm 22.05.
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:?this is a script for sbatch}

# A process is bound to its eight cores, and each of its threads to one of them. OMP_NUM_THREADS is not needed: a team
# has as many threads as its process has CPUs.
export OMP_PLACES=cores
srun --cpu-bind=cores ghcomp run -- "$@"
