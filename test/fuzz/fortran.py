"""Fortran: what stands around the cases in a source file, and what the generator has to know of the language.

The writers are in fortran_regions.py, fortran_loops.py, fortran_tasks.py and fortran_target.py. generate.py asks
`lacks` which kinds of nodes there are, so that a case has only those; LEFT_OUT says why the others are not there.
languages.py is the table of languages that has this one. Tested by self_test.py.
"""

import fortran_loops  # noqa: F401  # pylint: disable=unused-import
import fortran_regions  # noqa: F401  # pylint: disable=unused-import
import fortran_target  # noqa: F401  # pylint: disable=unused-import
import fortran_tasks
from fortran_base import WRITERS

# Kinds of nodes, and of loops, that Fortran programs don't have, and why.
LEFT_OUT = {
    "throw": "Fortran has no exceptions",
    "objects": "objects that end are C++; `allocatables` has what Fortran copies and frees",
    "iterators": "loops over iterators are C++",
    "order": "gfortran calls the same entries as gcc, and C's programs have all of these",
    "for simd": "gfortran 12 ends with an internal error at `do simd` in a BLOCK of a parallel region",
}
# Forms of other kinds that languages.py or the writers leave out: loops whose bound is another loop's variable
# (GCC 13), unsigned types, reductions of a part of an array (whole arrays are reduced instead), aligned types, nests of
# `parallel do simd` loops and in_reduction with a declared reduction (internal errors of gfortran 12).
PRIVATE = sorted(fortran_tasks.PRIVATE)
FLAGS = ["-fwrapv", "-fno-range-check", "-ffree-line-length-none"]

PRELUDE = r"""
module cases
    use omp_lib
    use iso_c_binding
    implicit none
    integer(8) :: A(0:7)
    integer(8), save :: tp = 0
    !$omp threadprivate(tp)
    integer(8), volatile :: zero = 0
    type pair
        integer(8) :: s, x
    end type
    type big
        integer(8) :: x(0:39)
    end type
    type holder
        integer(8), allocatable :: x(:)
    end type
    !$omp declare reduction(merge : pair : merge_pairs(omp_out, omp_in)) initializer(omp_priv = pair(0, 0))
contains
    subroutine merge_pairs(out, in)
        type(pair), intent(inout) :: out
        type(pair), intent(in) :: in
        out%s = out%s + in%s
        out%x = ieor(out%x, in%x)
    end subroutine
    subroutine add(k, v)
        integer, intent(in) :: k
        integer(8), intent(in) :: v
        !$omp atomic
        A(k) = A(k) + v
    end subroutine
    function opaque_int(x)
        integer(4), intent(in) :: x
        integer(4) :: opaque_int
        opaque_int = x + int(zero, 4)
    end function
    function opaque_short(x)
        integer(2), intent(in) :: x
        integer(2) :: opaque_short
        opaque_short = x + int(zero, 2)
    end function
    function opaque_char(x)
        integer(1), intent(in) :: x
        integer(1) :: opaque_char
        opaque_char = x + int(zero, 1)
    end function
    function opaque_i64(x)
        integer(8), intent(in) :: x
        integer(8) :: opaque_i64
        opaque_i64 = x + zero
    end function
    function hexadecimal(x) result(text)
        integer(8), intent(in) :: x
        character(16) :: text
        integer :: i
        write (text, '(z0)') x
        do i = 1, 16
            if (text(i:i) >= 'A' .and. text(i:i) <= 'F') text(i:i) = achar(iachar(text(i:i)) + 32)
        end do
    end function
"""

MAIN = r"""
    function argument(number, instead)
        integer, intent(in) :: number, instead
        integer :: argument
        character(20) :: text
        argument = instead
        if (command_argument_count() < number) return
        call get_command_argument(number, text)
        read (text, *) argument
    end function
    subroutine one(number, max_active, run)
        integer, intent(in) :: number, max_active
        interface
            subroutine run
            end subroutine
        end interface
        integer :: k
        if (number < argument(1, 0) .or. number > argument(2, huge(0))) return
        A = 0
        call omp_set_max_active_levels(max_active)
        ! Where there is no parallel region the runtime may defer tasks all the same, up to here.
        !$omp taskgroup
        call run
        !$omp end taskgroup
        write (*, '(i0, 8(1x, a))') number, (trim(hexadecimal(A(k))), k = 0, 7)
        flush (6)
    end subroutine
end module
"""


def program(cases):
    """The whole text of a source file."""
    parts = [PRELUDE.strip("\n")]
    for case in cases:
        source, _ = case.texts(WRITERS, "fortran")
        parts.append("    subroutine case_%d\n%s\n    end subroutine" % (
            case.number, "\n".join("    " + line for line in source)))
    parts += [MAIN.strip("\n"), "program main", "    use cases", "    implicit none"]
    parts += ["    call one(%d, %d, case_%d)" % (c.number, c.max_active, c.number) for c in cases]
    return "\n".join(parts) + "\nend program\n"
