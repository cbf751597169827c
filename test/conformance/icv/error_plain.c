/* The error directive that ends the program, without a message.
   expect-exit: 1
   expect-stderr: \A\nlibgomp: fatal error: error directive encountered\n\Z
   symbols: GOMP_error */
int main(void)
{
#pragma omp error at(execution) severity(fatal)
    return 0;
}
