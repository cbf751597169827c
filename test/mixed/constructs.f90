! constructs.c in Fortran. See mixed.sh.
module constructs
  use iso_c_binding
  use omp_lib
  implicit none
  integer(c_int), parameter :: threads = 3, count = 300, turns = 100, depth = 6, limit = 10007
  integer(c_long), parameter :: all = int(count, c_long) * (count - 1) / 2
  interface
    subroutine library_step(value) bind(c)
      import :: c_int
      integer(c_int) :: value
    end subroutine library_step
    subroutine library_wait() bind(c)
    end subroutine library_wait
    subroutine library_later(count, done) bind(c)
      import :: c_int
      integer(c_int), value :: count
      integer(c_int) :: done
    end subroutine library_later
    function library_tree(depth, other) bind(c)
      import :: c_int, c_long, c_funptr
      integer(c_int), value :: depth
      type(c_funptr), value :: other
      integer(c_long) :: library_tree
    end function library_tree
    function library_reduced(count) bind(c)
      import :: c_int, c_long
      integer(c_int), value :: count
      integer(c_long) :: library_reduced
    end function library_reduced
    function library_kinds(value) bind(c)
      import :: c_long
      integer(c_long), value :: value
      integer(c_long) :: library_kinds
    end function library_kinds
    subroutine library_nested_lock(lock, depth) bind(c)
      import :: c_int, omp_nest_lock_kind
      integer(omp_nest_lock_kind) :: lock
      integer(c_int) :: depth
    end subroutine library_nested_lock
    subroutine library_atomic(count) bind(c)
      import :: c_long
      integer(c_long) :: count
    end subroutine library_atomic
    function library_team_number() bind(c)
      import :: c_int
      integer(c_int) :: library_team_number
    end function library_team_number
    function library_league_size() bind(c)
      import :: c_int
      integer(c_int) :: library_league_size
    end function library_league_size
  end interface
contains

  subroutine dependences()
    integer(c_int) :: value, expected
    integer :: turn
    expected = 1
    do turn = 1, turns
      expected = mod(mod(expected * 3 + 1, limit) * 5 + 2, limit)
    end do
    value = 1
    !$omp parallel num_threads(threads)
    !$omp single private(turn)
    do turn = 1, turns
      !$omp task depend(inout: value) shared(value)
      value = mod(value * 3 + 1, limit)
      !$omp end task
      call library_step(value)
    end do
    call library_wait()
    if (value /= expected) error stop 1
    !$omp end single
    !$omp end parallel
  end subroutine dependences

  recursive function tree(depth) result(leaves) bind(c)
    integer(c_int), value :: depth
    integer(c_long) :: leaves, left, right
    leaves = 1
    if (depth == 0) return
    !$omp task shared(left)
    left = library_tree(depth - 1, c_funloc(tree))
    !$omp end task
    !$omp task shared(right)
    right = library_tree(depth - 1, c_funloc(tree))
    !$omp end task
    !$omp taskwait
    leaves = left + right
  end function tree

  subroutine task_trees()
    integer(c_long) :: leaves
    !$omp parallel num_threads(threads)
    !$omp single
    leaves = tree(depth)
    !$omp end single
    !$omp end parallel
    if (leaves /= 2**depth) error stop 2
  end subroutine task_trees

  subroutine taskgroups()
    integer(c_int) :: done
    done = 0
    !$omp parallel num_threads(threads)
    !$omp single
    !$omp taskgroup
    call library_later(count, done)
    !$omp end taskgroup
    if (done /= count) error stop 3
    !$omp end single
    !$omp end parallel
  end subroutine taskgroups

  subroutine worksharing()
    integer(c_long) :: turn
    !$omp parallel num_threads(threads) private(turn)
    do turn = 1, turns
      if (library_reduced(count) /= all) error stop 4
      if (library_kinds(turn) /= turn + threads) error stop 5
    end do
    !$omp end parallel
  end subroutine worksharing

  subroutine locks()
    integer(omp_nest_lock_kind) :: lock
    integer(c_int) :: held
    integer(c_long) :: operations
    integer :: turn
    held = 0
    operations = 0
    call omp_init_nest_lock(lock)
    !$omp parallel num_threads(threads) private(turn)
    do turn = 1, turns
      call omp_set_nest_lock(lock)
      call library_nested_lock(lock, held)
      if (held /= 1) error stop 6
      held = 0
      call omp_unset_nest_lock(lock)
      !$omp atomic
      operations = operations + 1
      call library_atomic(operations)
    end do
    !$omp end parallel
    call omp_destroy_nest_lock(lock)
    if (operations /= 2 * threads * turns) error stop 7
  end subroutine locks

  subroutine leagues()
    integer(c_long) :: teams
    teams = 0
    ! flang 19 has no reduction of teams.
    !$omp teams num_teams(2)
    if (library_league_size() == 2 .and. library_team_number() == omp_get_team_num()) call library_atomic(teams)
    !$omp end teams
    if (teams /= 2) error stop 8
  end subroutine leagues
end module constructs

program main
  use constructs
  implicit none
  call dependences()
  call task_trees()
  call taskgroups()
  call worksharing()
  call locks()
  call leagues()
end program main
