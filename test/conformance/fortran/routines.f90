! Every Fortran form with integers and logicals of the default kind. The display is checked by its two ends.
! expect-stderr: \A\nOPENMP DISPLAY ENVIRONMENT BEGIN\n(  (\[(host|all)\] )?OMP_.*\n|  _OPENMP.*\n)+OPENMP DISPLAY ENVIRONMENT END\n
! expect-stderr: ^  (\[host\] )?GOMP_SPINCOUNT = '
! cflags: -cpp -Wno-deprecated-declarations
! symbols: omp_set_num_threads_ omp_set_dynamic_ omp_set_nested_ omp_set_max_active_levels_ omp_set_schedule_
! symbols: omp_get_schedule_
! symbols: omp_set_num_teams_ omp_set_teams_thread_limit_ omp_set_default_device_ omp_display_env_
! symbols: omp_get_ancestor_thread_num_ omp_get_team_size_
program routines
  use omp_lib
  implicit none
  integer, parameter :: wide = kind(0)
#include "routines.h"
end program routines
