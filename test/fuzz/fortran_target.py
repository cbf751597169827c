"""Fortran writers of teams and target regions, memory, and what only Fortran has.

Each is the Fortran of the writer of the same kind in c_target.py. fortran_base.py and writers.py have what they share.
"""

from fortran_base import add_text, block, clauses, in_fortran, writer
from fortran_loops import axis_texts
from tree import in_python
from writers import size_clause


@writer("teams")
def w_teams(n, t):
    p = n.p
    t.f("!$omp teams num_teams(%d : %d)%s" % (p["teams"], p["teams"], clauses(n)))
    block(t, "integer :: " + p["t"])
    t.f("%s = omp_get_team_num()" % p["t"])
    t.p("for %s in range(%d):" % (p["t"], p["teams"]))
    t.block(n.blocks[0])
    t.f("end block", "!$omp end teams")
    t.out()


@writer("target")
def w_target(n, t):
    p = n.p
    v, count, how = p["name"], p["count"], p["how"]
    i, y, z = v + "i", v + "y", v + "z"
    loop = "do %s = 0, %d" % (i, count - 1)
    block(t, "integer(8) :: %s, %s(0:%d), %s(0:%d)" % (v, y, count - 1, z, count - 1), "integer :: " + i)
    t.f("%s = %s" % (v, in_fortran(p["e"])), loop, "%s(%s) = %s" % (y, i, i), "%s(%s) = %s * 3" % (z, i, i), "end do")
    t.p("%s = %s" % (v, in_python(p["e"])))
    maps = "map(tofrom: %s(0:%d)) map(to: %s)" % (y, count - 1, z)
    if how == "data":
        t.f("!$omp target data " + maps)
    if how == "enter":
        t.f("!$omp target enter data map(to: %s, %s)" % (y, z))
    inner = p["inner"].replace(" for", " do")
    t.f("!$omp target" + inner + " " + maps + clauses(n) +
        (" nowait depend(out: %s(0))" % y if how == "nowait" else ""))
    if inner == "":
        t.f("!$omp parallel do")
    t.f(loop, "%s(%s) = %s(%s) + %s(%s) * %s" % (y, i, y, i, z, i, v), "end do")
    if inner == "":
        t.f("!$omp end parallel do")
    t.f("!$omp end target" + inner)
    if how == "nowait":
        t.f("!$omp task shared(%s) depend(inout: %s(0))" % (y, y), "%s(0) = %s(0) + 5" % (y, y), "!$omp end task",
            "!$omp taskwait")
    if how == "data":
        t.f("!$omp target update from(%s)" % y, "!$omp end target data")
    if how == "enter":
        t.f("!$omp target exit data map(from: %s) map(release: %s)" % (y, z))
    t.f(loop)
    t.p("for %s in range(%d):" % (i, count))
    extra = "5 * (%s == 0)" % i if how == "nowait" else "0"
    add_text(t, p["k"], "%s(%s) * (%s + 1)" % (y, i, i),
             "(%s + %s * 3 * %s + %s) * (%s + 1)" % (i, i, v, extra, i))
    t.f("end do", "end block")
    t.out()


@writer("memory")
def w_memory(n, t):
    p = n.p
    v, how, words = p["name"], p["how"], p["bytes"] // 8
    block(t, "integer(8) :: " + v, "integer(8), pointer :: %sx(:), %sy(:)" % (v, v), "type(c_ptr) :: %sp, %sq" % (v, v),
          "integer(omp_allocator_handle_kind) :: %sa" % v)
    t.p("%s = %s" % (v, in_python(p["e"])))
    if how == "traits":
        t.f("%sa = omp_init_allocator(omp_default_mem_space, 3, [omp_alloctrait(omp_atk_alignment, %d), "
            "omp_alloctrait(omp_atk_pool_size, %d), omp_alloctrait(omp_atk_fallback, %s)])" %
            (v, p["alignment"], p["pool"], p["fallback"]))
    else:
        t.f("%sa = %s" % (v, how))
    align = p["alignment"] if how == "traits" else 8
    t.f("%sp = omp_alloc(%d_c_size_t, %sa)" % (v, p["bytes"], v),
        "%sq = omp_calloc(5_c_size_t, 16_c_size_t, %sa)" % (v, v), "%s = 77" % v,
        "if (c_associated(%sp) .and. c_associated(%sq)) then" % (v, v),
        "call c_f_pointer(%sp, %sx, [%d])" % (v, v, words), "call c_f_pointer(%sq, %sy, [10])" % (v, v),
        "%sx(2) = %s" % (v, in_fortran(p["e"])), "%sx(%d) = %sy(10)" % (v, words, v),
        "%sp = omp_realloc(%sp, %d_c_size_t, %sa, %sa)" % (v, v, p["bytes"] * 2, v, v),
        "call c_f_pointer(%sp, %sx, [%d])" % (v, v, words),
        "%s = %sx(2) + %sx(%d) + mod(transfer(%sp, 0_8), %d_8) + mod(transfer(%sq, 0_8), %d_8)" %
        (v, v, v, words, v, align, v, align), "end if")
    add_text(t, p["k"], v, v)
    t.f("call omp_free(%sp, %s)" % (v, v + "a" if p["exact"] else "omp_null_allocator"),
        "call omp_free(%sq, %sa)" % (v, v))
    if how == "traits":
        t.f("call omp_destroy_allocator(%sa)" % v)
    t.f("end block")


@writer("allocate")
def w_allocate(n, t):
    p = n.p
    v, i = p["name"], p["name"] + "i"
    block(t, "integer(8) :: %s(0:%d)" % (v, p["length"] - 1), "integer :: " + i)
    t.f("%s(1) = %s" % (v, in_fortran(p["e"])),
        "!$omp parallel do%s firstprivate(%s) allocate(omp_%s_mem_alloc : %s)" %
        (size_clause(n), v, p["space"], v) + clauses(n), "do %s = 0, %d" % (i, p["count"] - 1))
    t.p("for %s in range(%d):" % (i, p["count"]))
    add_text(t, p["k"], "%s(1) + %s" % (v, i), "%s + %s" % (in_python(p["e"]), i))
    t.f("end do", "!$omp end parallel do", "end block")
    t.out()


@writer("workshare")
def w_workshare(n, t):
    """Array assignments that the team shares; each is complete before the next one begins."""
    p = n.p
    v, i, e = p["name"], p["name"] + "i", p["e"]
    declarations = "integer(8) :: %s(0:%d), %sb(0:%d), %ss" % (v, p["count"] - 1, v, p["count"] - 1, v)
    block(t, declarations, "integer :: " + i)
    t.f("!$omp parallel workshare" + size_clause(n) + clauses(n),
        "%s = %s" % (v, in_fortran(e)),
        "forall (%s = 0:%d) %sb(%s) = %s(%d - %s) * (%s + 1)" % (i, p["count"] - 1, v, i, v, p["count"] - 1, i, i),
        "where (iand(%sb, 1_8) == 1) %sb = %sb + 7" % (v, v, v), "%ss = sum(%sb)" % (v, v),
        "!$omp end parallel workshare")
    t.p("%ss = 0" % v, "for %s in range(%d):" % (i, p["count"]), "%s = (%s) * (%s + 1)" % (v, in_python(e), i),
        "%ss += %s + 7 * (%s & 1)" % (v, v, v))
    t.out()
    add_text(t, p["k"], v + "s", v + "s")
    t.f("end block")


@writer("allocatables")
def w_allocatables(n, t):
    """Allocatable arrays as private, firstprivate, lastprivate and reduction variables, whose copies are deep."""
    p = n.p
    v, i = p["name"], p["axis"][0]
    do, declaration, model = axis_texts(p["axis"])
    block(t, declaration, "integer(8), allocatable :: %sf(:), %sl(:), %sr(:), %sp(:)" % (v, v, v, v))
    t.f("allocate(%sf(%d), %sl(%d), %sr(%d), %sp(2))" % (v, p["length"], v, p["length"], v, p["length"], v),
        "%sf = %s" % (v, in_fortran(p["e"])), "%sl = 11" % v, "%sr = 7" % v,
        "!$omp parallel do firstprivate(%sf) lastprivate(%sl) private(%sp) reduction(+: %sr)" % (v, v, v, v) +
        size_clause(n) + clauses(n), do, "%sp = %s" % (v, i), "%sl = %sf + %sp(2)" % (v, v, v),
        "%sr(%d) = %sr(%d) + %sp(1)" % (v, p["length"], v, p["length"], v), "end do", "!$omp end parallel do")
    t.p("%sl = 11" % v, "%sr = 7" % v, model, "%sl = %s + %s" % (v, in_python(p["e"]), i), "%sr += %s" % (v, i))
    t.out()
    add_text(t, p["k"], "%sl(%d) * 3 + %sr(%d)" % (v, p["length"], v, p["length"]), "%sl * 3 + %sr" % (v, v))
    t.f("end block")
