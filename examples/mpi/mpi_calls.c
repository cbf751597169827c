/* What Mpi.hs imports. MPI's constants are macros, and its handles are pointers in one MPI and integers in another: C
 * alone knows them, so each function here names them itself. All of them return what MPI's function returns. */
#include <mpi.h>

int mpi_begin(int *provided)
{
    *provided = 0;
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, provided);
}

int mpi_multiple(void)
{
    return MPI_THREAD_MULTIPLE;
}

int mpi_end(void)
{
    return MPI_Finalize();
}

int mpi_abort(int status)
{
    return MPI_Abort(MPI_COMM_WORLD, status);
}

int mpi_rank(int *rank)
{
    return MPI_Comm_rank(MPI_COMM_WORLD, rank);
}

int mpi_size(int *size)
{
    return MPI_Comm_size(MPI_COMM_WORLD, size);
}

/* A negative neighbour is none: then nothing is sent, and `in` stays as it is. */
int mpi_exchange_doubles(int neighbour, int out_tag, const double *out, int in_tag, double *in, int count)
{
    if (neighbour < 0)
        neighbour = MPI_PROC_NULL;
    return MPI_Sendrecv(out, count, MPI_DOUBLE, neighbour, out_tag, in, count, MPI_DOUBLE, neighbour, in_tag,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* operation 0 adds, 1 takes the largest. */
int mpi_allreduce_doubles(int operation, double *values, int count)
{
    return MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, operation == 0 ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}
