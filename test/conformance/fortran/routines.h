  ! Calls every form that has integers or logicals, here of the kind `wide`. The rest of a program, behind that.
  integer(wide) :: number, level, chunk
  integer(omp_sched_kind) :: schedule
  logical(wide) :: yes, no
  double precision :: begin

  yes = .true.
  no = .false.

  number = 3
  call omp_set_num_threads(number)
  call check(omp_get_max_threads() == 3, __LINE__)
  number = -2
  call omp_set_num_threads(number)
  call check(omp_get_max_threads() == 1, __LINE__)

  call omp_set_dynamic(yes)
  call check(omp_get_dynamic(), __LINE__)
  call omp_set_dynamic(no)
  call check(.not. omp_get_dynamic(), __LINE__)

  call omp_set_nested(yes)
  call check(omp_get_nested(), __LINE__)
  call check(omp_get_max_active_levels() == omp_get_supported_active_levels(), __LINE__)
  call omp_set_nested(no)
  call check(.not. omp_get_nested(), __LINE__)

  number = 2
  call omp_set_max_active_levels(number)
  call check(omp_get_max_active_levels() == 2, __LINE__)
  number = -1
  call omp_set_max_active_levels(number)
  call check(omp_get_max_active_levels() == 2, __LINE__)

  chunk = 7
  call omp_set_schedule(omp_sched_guided, chunk)
  chunk = -1
  call omp_get_schedule(schedule, chunk)
  call check(schedule == omp_sched_guided .and. chunk == 7, __LINE__)
  chunk = 0
  call omp_set_schedule(omp_sched_static, chunk)
  chunk = -1
  call omp_get_schedule(schedule, chunk)
  call check(schedule == omp_sched_static .and. chunk == 0, __LINE__)

  number = 4
  call omp_set_num_teams(number)
  call check(omp_get_max_teams() == 4, __LINE__)
  call omp_set_teams_thread_limit(number)
  call check(omp_get_teams_thread_limit() == 4, __LINE__)
  call omp_set_default_device(number)
  call check(omp_get_default_device() == 4, __LINE__)

  call check(omp_get_num_teams() == 1 .and. omp_get_team_num() == 0, __LINE__)
  call check(omp_get_num_devices() == 0 .and. omp_get_initial_device() == 0, __LINE__)
  call check(omp_get_device_num() == 0 .and. omp_is_initial_device(), __LINE__)
  call check(omp_get_thread_limit() == 2147483647, __LINE__)
  call check(omp_get_num_procs() >= 1 .and. omp_get_max_task_priority() == 0, __LINE__)
  call check(.not. omp_get_cancellation() .and. .not. omp_in_final(), __LINE__)
  call check(.not. omp_in_parallel() .and. omp_get_level() == 0, __LINE__)

  begin = omp_get_wtime()
  call check(omp_get_wtick() > 0d0 .and. omp_get_wtime() >= begin, __LINE__)

  !$omp parallel num_threads(3) private(level)
  call check(omp_in_parallel() .and. omp_get_num_threads() == 3, __LINE__)
  call check(omp_get_level() == 1 .and. omp_get_active_level() == 1, __LINE__)
  level = 1
  call check(omp_get_ancestor_thread_num(level) == omp_get_thread_num(), __LINE__)
  call check(omp_get_team_size(level) == 3, __LINE__)
  level = 0
  call check(omp_get_ancestor_thread_num(level) == 0 .and. omp_get_team_size(level) == 1, __LINE__)
  level = 2
  call check(omp_get_ancestor_thread_num(level) == -1 .and. omp_get_team_size(level) == -1, __LINE__)
  !$omp end parallel

  call check(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0, __LINE__)
  call check(omp_pause_resource_all(omp_pause_hard) == 0, __LINE__)

  call omp_display_env(no)
  call omp_display_env(yes)

contains
  include '../check_fortran.h'
