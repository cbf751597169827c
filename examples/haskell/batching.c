/* The C side of Batching.hs: two functions that are done at once. */
long steps(long n);
long digit(long d);

/* How many steps of the Collatz rule lead from n to 1. */
long steps(long n)
{
    long count = 0;
    for (; n != 1; count++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return count;
}

/* Appends a digit to a number that is kept here. */
long digit(long d)
{
    static _Thread_local long number;
    number = 10 * number + d;
    return number;
}
