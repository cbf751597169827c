/* Heat on a plate that several processes share: MPI between the processes, OpenMP inside each.
 *
 *     mpicc -O2 -fopenmp stencil.c -o stencil
 *     mpirun -n 2 ghcomp run -- ./stencil
 *
 * The left edge of the plate is kept at 100 degrees and the others at 0; in each step every inner point becomes the
 * mean of its four neighbours. Each rank has a block of the plate, with a frame of one point around it: the frame's
 * sides hold the neighbours' outermost points (the halo), or the plate's edge. In a step, members of the team exchange
 * the four sides while the others compute the points that need none of them. So several threads call MPI at the same
 * time, which MPI_THREAD_MULTIPLE allows.
 *
 * Each rank also solves the whole plate alone and compares its block: the points must agree to the last bit.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 180, COLUMNS = 240, STEPS = 40 };
enum side { UP, DOWN, LEFT, RIGHT, SIDES };

/* A rank's block: rows x columns points of the plate, the first of them at (row, column), and the frame. */
struct block {
    int row, column, rows, columns;
    int neighbour[SIDES]; /* MPI_PROC_NULL at the plate's edge */
    MPI_Comm grid;
    MPI_Datatype side_column; /* a column of points: one of each row */
    double *points[2];        /* a step reads one and writes the other */
};

static size_t width(const struct block *b)
{
    return (size_t)b->columns + 2;
}

/* Point (i, j) of the block; 0 and rows + 1, 0 and columns + 1 are the frame. */
static double *at(const struct block *b, double *points, int i, int j)
{
    return points + (size_t)i * width(b) + (size_t)j;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        fprintf(stderr, "stencil: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static void set_up(struct block *b)
{
    for (int k = 0; k < 2; k++) {
        b->points[k] = allocate(((size_t)b->rows + 2) * width(b) * sizeof(double));
        if (b->neighbour[LEFT] == MPI_PROC_NULL)
            for (int i = 1; i <= b->rows; i++)
                *at(b, b->points[k], i, 0) = 100;
    }
}

/* Sends this block's outermost points of one side to the neighbour there, and receives its. */
static void exchange(const struct block *b, double *points, enum side side)
{
    int send_row[SIDES] = {1, b->rows, 1, 1}, send_column[SIDES] = {1, 1, 1, b->columns};
    int receive_row[SIDES] = {0, b->rows + 1, 1, 1}, receive_column[SIDES] = {1, 1, 0, b->columns + 1};
    int count = side == UP || side == DOWN ? b->columns : 1;
    MPI_Datatype type = side == UP || side == DOWN ? MPI_DOUBLE : b->side_column;
    /* A message has the number of its side; what the neighbour sends comes from the opposite one. */
    static const enum side opposite[SIDES] = {DOWN, UP, RIGHT, LEFT};
    MPI_Sendrecv(at(b, points, send_row[side], send_column[side]), count, type, b->neighbour[side], (int)side,
                 at(b, points, receive_row[side], receive_column[side]), count, type, b->neighbour[side],
                 (int)opposite[side], b->grid, MPI_STATUS_IGNORE);
}

/* Computes the points [from, past) of row i, and returns the larger of `change` and their largest change. */
static double relax(const struct block *b, double *old, double *new, int i, int from, int past, double change)
{
    for (int j = from; j < past; j++) {
        double *up = at(b, old, i - 1, j), *here = at(b, old, i, j), *down = at(b, old, i + 1, j);
        double mean = (*up + *down + here[-1] + here[1]) / 4;
        change = fmax(change, fabs(mean - *here));
        *at(b, new, i, j) = mean;
    }
    return change;
}

/* All steps. Returns the largest change of a point of this block in the last one. */
static double solve(struct block *b)
{
    double change = 0;
#pragma omp parallel reduction(max : change)
    for (int step = 0; step < STEPS; step++) {
        double *old = b->points[step % 2], *new = b->points[1 - step % 2];
        change = 0;
        /* Whoever is free takes a side; a team of one takes them in turn. */
#pragma omp for schedule(dynamic, 1) nowait
        for (int side = 0; side < SIDES; side++)
            exchange(b, old, (enum side)side);
#pragma omp for schedule(dynamic, 8)
        for (int i = 2; i < b->rows; i++)
            change = relax(b, old, new, i, 2, b->columns, change);
        /* After the loop's barrier the frame is there. The block's outermost points: */
#pragma omp for schedule(static)
        for (int i = 1; i <= b->rows; i++) {
            if (i == 1 || i == b->rows) {
                change = relax(b, old, new, i, 1, b->columns + 1, change);
            } else {
                change = relax(b, old, new, i, 1, 2, change);
                change = relax(b, old, new, i, b->columns, b->columns + 1, change);
            }
        }
    }
    return change;
}

/* The sum of the block's points: each thread's part, then those of the team. */
static double heat(struct block *b)
{
    double *points = b->points[STEPS % 2], sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int i = 1; i <= b->rows; i++)
        for (int j = 1; j <= b->columns; j++)
            sum += *at(b, points, i, j);
    return sum;
}

/* This rank's part of `points` that `ranks` ranks share, the `me`th of them: the first one, and how many. */
static void part(int points, int ranks, int me, int *first, int *count)
{
    *first = points * me / ranks;
    *count = points * (me + 1) / ranks - *first;
}

static int cpus_of_mask(void)
{
    cpu_set_t mask;
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : -1;
}

/* What this rank has: the CPUs of its mask when it started, OpenMP's processors, the team, the RTS's Capabilities. */
enum { MASK, PROCESSORS, TEAM, CAPABILITIES, HAS };

static void ask(int has[HAS])
{
    has[PROCESSORS] = omp_get_num_procs();
#pragma omp parallel
#pragma omp single
    has[TEAM] = omp_get_num_threads();
    /* Looked up by name, so that the program also runs on libgomp. The first call chooses the host. */
    const char *(*host)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "ghcomp_host_name");
    int (*capabilities)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "ghcomp_num_capabilities");
    has[CAPABILITIES] = host && capabilities && host() ? capabilities() : 0;
}

int main(int argc, char **argv)
{
    int has[HAS] = {cpus_of_mask(), 0, 0, 0};
    int provided, ranks, me;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "stencil: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ask(has);

    /* MPI chooses how many rows and columns of blocks the ranks make; it may number the ranks anew. */
    int shape[2] = {0, 0}, edges[2] = {0, 0}, here[2];
    struct block mine = {.rows = 0}, all = {.rows = 0};
    MPI_Dims_create(ranks, 2, shape);
    MPI_Cart_create(MPI_COMM_WORLD, 2, shape, edges, 1, &mine.grid);
    MPI_Comm_rank(mine.grid, &me);
    MPI_Cart_coords(mine.grid, me, 2, here);
    MPI_Cart_shift(mine.grid, 0, 1, &mine.neighbour[UP], &mine.neighbour[DOWN]);
    MPI_Cart_shift(mine.grid, 1, 1, &mine.neighbour[LEFT], &mine.neighbour[RIGHT]);
    part(ROWS, shape[0], here[0], &mine.row, &mine.rows);
    part(COLUMNS, shape[1], here[1], &mine.column, &mine.columns);
    MPI_Type_vector(mine.rows, 1, mine.columns + 2, MPI_DOUBLE, &mine.side_column);
    MPI_Type_commit(&mine.side_column);
    set_up(&mine);
    double start = MPI_Wtime();
    double change = solve(&mine);
    double took = MPI_Wtime() - start;

    /* The distributed reductions: the team's result, then those of all ranks. */
    double total = heat(&mine);
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, mine.grid);
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, mine.grid);

    /* The same without neighbours: the whole plate in this process. */
    all.rows = ROWS;
    all.columns = COLUMNS;
    all.grid = MPI_COMM_SELF;
    all.side_column = MPI_DOUBLE;
    for (int side = 0; side < SIDES; side++)
        all.neighbour[side] = MPI_PROC_NULL;
    set_up(&all);
    omp_set_num_threads(1);
    double change_alone = solve(&all), total_alone = heat(&all);
    long wrong = 0;
    for (int i = 1; i <= mine.rows; i++)
        wrong += memcmp(at(&mine, mine.points[STEPS % 2], i, 1),
                        at(&all, all.points[STEPS % 2], mine.row + i, mine.column + 1),
                        (size_t)mine.columns * sizeof(double)) != 0;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, mine.grid);

    /* The parts of the sum are added in another order, so it may differ in its last digits. */
    int same_sum = fabs(total - total_alone) <= 1e-12 * total_alone;
    int right = wrong == 0 && change == change_alone && same_sum;
    int *everyone = allocate((size_t)ranks * sizeof has);
    MPI_Gather(has, HAS, MPI_INT, everyone, HAS, MPI_INT, 0, mine.grid);
    if (me == 0) {
        printf("ranks: %d, as %d x %d blocks\n", ranks, shape[0], shape[1]);
        printf("rows that differ from those of one process: %ld\n", wrong);
        printf("largest change in the last step: %.6f, the same as in one process: %s\n", change,
               change == change_alone ? "yes" : "NO");
        printf("sum of all temperatures: %.3f, the same but for rounding: %s\n", total,
               same_sum ? "yes" : "NO");
        for (int r = 0; r < ranks; r++)
            fprintf(stderr, "rank %d: %d CPUs, omp_get_num_procs %d, team of %d, %d Capabilities\n", r,
                    everyone[HAS * r + MASK], everyone[HAS * r + PROCESSORS], everyone[HAS * r + TEAM],
                    everyone[HAS * r + CAPABILITIES]);
        fprintf(stderr, "time:   %.1f ms for %d steps\n", took * 1e3, STEPS);
    }
    for (int k = 0; k < 2; k++) {
        free(mine.points[k]);
        free(all.points[k]);
    }
    free(everyone);
    MPI_Type_free(&mine.side_column);
    MPI_Comm_free(&mine.grid);
    MPI_Finalize();
    return right ? 0 : 1;
}
