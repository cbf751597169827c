/* Says on stderr which OpenMP runtime serves this process, and where each thread of a team runs. */
#ifndef EXAMPLES_WHERE_H
#define EXAMPLES_WHERE_H

void where_print(void);

#endif
