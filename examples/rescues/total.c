/* What forked.py calls. */
int total(int n)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= n; i++)
        sum += i % 7;
    return sum;
}
