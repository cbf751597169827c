/* The loops of Loop.hs that C has, too. */
#include <math.h>

double sumOfSquares(const double *numbers, long n)
{
    double total = 0;
    for (long i = 0; i < n; i++)
        total += numbers[i] * numbers[i];
    return total;
}

double sumOfSines(long n)
{
    double total = 0;
    for (long i = 0; i < n; i++)
        total += sin((double)i * 0.001);
    return total;
}
