/* The library of opened.c. */
int opened_work(int iterations);

static int mine;
#pragma omp threadprivate(mine)

/* The sum of the numbers below `iterations`, in a roundabout way. */
int opened_work(int iterations)
{
    int sum = 0, tasks = 0;
#pragma omp parallel num_threads(3)
    {
        mine = 0;
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < iterations; i++)
            mine += i;
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(tasks) depend(inout : tasks)
            tasks++;
        }
#pragma omp critical(opened)
        sum += mine;
    }
    return tasks == 10 ? sum : -1;
}
