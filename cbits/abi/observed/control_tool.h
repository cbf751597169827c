/* omp_control_tool for its entries (omp/omp_tool.c, kmp/kmp_fortran.c), which say where they were called. Covered by
 * test/ompt. */
#pragma once

int ghcomp_control_tool(int command, int modifier, void *arg, const void *return_address, void *frame);
