/* The program of environment.sh: sets OMP_NUM_THREADS, which was 2, and then asks in the order of its first argument:
 * l and L by the library's routine and construct, m and M by its own; f is a call of the library's before an l. All
 * answers are the second argument. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int library_threads(void), library_team(void);
void library_format(void);

static int own_team(void)
{
    int count = 0;
#pragma omp parallel reduction(+ : count)
    count++;
    return count;
}

static int ask(char who)
{
    switch (who) {
    case 'f':
        library_format();
        return library_threads();
    case 'l':
        return library_threads();
    case 'L':
        return library_team();
    case 'm':
        return omp_get_max_threads();
    default:
        return own_team();
    }
}

int main(int argc, char **argv)
{
    int bad = argc != 3;
    setenv("OMP_NUM_THREADS", "5", 1);
    for (const char *who = argv[1]; !bad && *who != '\0'; who++) {
        int got = ask(*who);
        bad = got != atoi(argv[2]);
        if (bad)
            fprintf(stderr, "%c of %s: %d, not %s\n", *who, argv[1], got, argv[2]);
    }
    return bad;
}
