! omp_get_schedule returns the kind of OMP_SCHEDULE without the modifier monotonic, which C's routine has.
! env: OMP_SCHEDULE=static,4
! symbols: omp_get_schedule_
program schedule_of_environment
  use omp_lib
  implicit none
  integer(omp_sched_kind) :: kind
  integer :: chunk
  call omp_get_schedule(kind, chunk)
  if (kind /= omp_sched_static .or. chunk /= 4) error stop "the kind is not static, or the chunk not 4"
  call omp_set_schedule(kind, chunk)
  call omp_get_schedule(kind, chunk)
  if (kind /= omp_sched_static .or. chunk /= 4) error stop "the kind set is not static, or the chunk not 4"
end program schedule_of_environment
