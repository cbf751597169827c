/* The error directive that only warns: the text on stderr, and the program goes on.
   expect-stderr: \A\nlibgomp: error directive encountered\n\nlibgomp: error directive encountered: mind the gap\n\nlibgomp: error directive encountered: \n\Z
   symbols: GOMP_warning */
int main(void)
{
#pragma omp error at(execution) severity(warning)
#pragma omp error at(execution) severity(warning) message("mind the gap")
#pragma omp error at(execution) severity(warning) message("")
    return 0;
}
