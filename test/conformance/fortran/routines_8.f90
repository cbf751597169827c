! Every Fortran form that takes integers or logicals of eight bytes.
! cflags: -cpp -Wno-deprecated-declarations
! symbols: omp_set_num_threads_8_ omp_set_dynamic_8_ omp_set_nested_8_ omp_set_max_active_levels_8_ omp_set_schedule_8_
! symbols: omp_get_schedule_8_
! symbols: omp_set_num_teams_8_ omp_set_teams_thread_limit_8_ omp_set_default_device_8_ omp_display_env_8_
! symbols: omp_get_ancestor_thread_num_8_ omp_get_team_size_8_
program routines_8
  use omp_lib
  implicit none
  integer, parameter :: wide = 8
#include "routines.h"
end program routines_8
