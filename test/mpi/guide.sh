#!/bin/sh
# limit: 300
# docs/guide/mpi.md: its first commands print what the page says, and the job script starts the processes that it
# describes, with a stand-in for srun that has mpirun start them here.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD
build=$(realpath "${BUILD:-build}")
for command in mpicc mpirun; do
    command -v $command >/dev/null || { echo "skipped: needs Open MPI (libopenmpi-dev, openmpi-bin)"; exit 77; }
done
[ -x "$build/bin/ghcomp" ] || { echo "skipped: the launcher is not built"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

PATH=$build/bin:$work/bin:$PATH
# As in test/mpi/stencil.py.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader
OMPI_MCA_btl_vader_single_copy_mechanism=none
export PATH OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_plm OMPI_MCA_btl \
    OMPI_MCA_btl_vader_single_copy_mechanism

cp -r examples/mpi "$work/mpi"
mkdir "$work/bin"
cd "$work/mpi"
sh -eu run.sh >run.said 2>run.err || { cat run.said run.err; exit 1; }
diff "$root/examples/mpi/run.out" run.said

cat >"$work/bin/srun" <<'END_SRUN'
#!/bin/sh
[ "$1" = --cpu-bind=cores ] && [ "$SRUN_CPUS_PER_TASK" = 1 ] && [ "$OMP_PLACES" = cores ] || exit 3
shift
exec mpirun --oversubscribe --bind-to none -n 2 "$@"
END_SRUN
chmod +x "$work/bin/srun"
SLURM_CPUS_PER_TASK=1 ./job.sh ./stencil >job.said 2>job.err || { cat job.said job.err; exit 1; }
diff "$root/examples/mpi/run.out" job.said
if SLURM_CPUS_PER_TASK='' ./job.sh ./stencil >job.said 2>&1; then
    echo "job.sh runs outside of a job"
    exit 1
fi
grep -q 'script for sbatch' job.said
