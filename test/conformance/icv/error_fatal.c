/* The error directive that ends the program, with exit status 1.
   expect-exit: 1
   expect-stderr: \A\nlibgomp: fatal error: error directive encountered: bang\n\Z
   symbols: GOMP_error */
int main(void)
{
#pragma omp error at(execution) message("bang")
    return 0;
}
