"""C and C++ writers of teams and target regions, memory, and what only C++ has.

tree.py has the idea of a writer, c_base.py and writers.py what they share."""

from c_base import add_text, clauses, writer
from tree import in_c, in_python
from writers import model_add, size_clause


@writer("teams")
def w_teams(n, t):
    p = n.p
    t.c("#pragma omp teams num_teams(%d : %d)%s" % (p["teams"], p["teams"], clauses(n)), "{",
        "int %s = omp_get_team_num();" % p["t"], "(void)%s;" % p["t"])
    t.p("for %s in range(%d):" % (p["t"], p["teams"]))
    t.block(n.blocks[0])
    t.c("}")
    t.out()


@writer("target")
def w_target(n, t):
    p = n.p
    v, count = p["name"], p["count"]
    i, y, z, e = v + "i", v + "y", v + "z", p["e"]
    loop = "for (int %s = 0; %s < %d; %s++)" % (i, i, count, i)
    t.c("{", "u64 %s[%d], %s[%d], %s = %s;" % (y, count, z, count, v, in_c(e)), loop,
        "    %s[%s] = %s, %s[%s] = %s * 3;" % (y, i, i, z, i, i))
    t.p("%s = %s" % (v, in_python(e)))
    maps = "map(tofrom: %s[0:%d]) map(to: %s[0:%d])" % (y, count, z, count)
    how = p["how"]
    if how == "data":
        t.c("#pragma omp target data " + maps, "{")
        maps = "map(tofrom: %s[0:%d]) map(to: %s[0:%d])" % (y, count, z, count)
    if how == "enter":
        t.c("#pragma omp target enter data map(to: %s[0:%d], %s[0:%d])" % (y, count, z, count))
    head = "#pragma omp target%s " % p["inner"] + maps + clauses(n)
    if how == "nowait":
        head += " nowait depend(out: %s[0])" % y
    t.c(head)
    if p["inner"] == "":
        t.c(loop)
    elif p["inner"] == " teams":
        t.c("#pragma omp distribute parallel for", loop)
    else:
        t.c(loop)
    t.c("    %s[%s] += %s[%s] * %s;" % (y, i, z, i, v))
    if how == "nowait":
        t.c("#pragma omp task shared(%s) depend(inout: %s[0])" % (y, y), "%s[0] += 5;" % y, "#pragma omp taskwait")
    if how == "data":
        t.c("#pragma omp target update from(%s[0:%d])" % (y, count), "}")
    if how == "enter":
        t.c("#pragma omp target exit data map(from: %s[0:%d]) map(release: %s[0:%d])" % (y, count, z, count))
    t.c(loop + " {")
    t.p("for %s in range(%d):" % (i, count))
    extra = "5 * (%s == 0)" % i if how == "nowait" else "0"
    add_text(t, p["k"], "%s[%s] * (%s + 1)" % (y, i, i),
             "(%s + %s * 3 * %s + %s) * (%s + 1)" % (i, i, v, extra, i))
    t.c("}", "}")
    t.out()


@writer("memory")
def w_memory(n, t):
    p = n.p
    v, e = p["name"], p["e"]
    how = p["how"]
    t.c("{")
    t.p("%s = %s" % (v, in_python(e)))
    if how == "traits":
        t.c("omp_alloctrait_t %st[3] = {{omp_atk_alignment, %d}, {omp_atk_pool_size, %d}, {omp_atk_fallback, %s}};" %
            (v, p["alignment"], p["pool"], p["fallback"]),
            "omp_allocator_handle_t %sa = omp_init_allocator(omp_default_mem_space, 3, %st);" % (v, v))
    else:
        t.c("omp_allocator_handle_t %sa = %s;" % (v, how))
    align = p["alignment"] if how == "traits" else 8
    t.c("u64 *%sp = (u64 *)omp_alloc(%d, %sa);" % (v, p["bytes"], v),
        "u64 *%sq = (u64 *)omp_calloc(5, 16, %sa);" % (v, v))
    t.c("if (%sp && %sq) {" % (v, v), "%sp[1] = %s;" % (v, in_c(e)), "%sp[%d - 1] = %sq[9];" % (v, p["bytes"] // 8, v),
        "%sp = (u64 *)omp_realloc(%sp, %d, %sa, %sa);" % (v, v, p["bytes"] * 2, v, v), "}")
    add_text(t, p["k"], "!%sp || !%sq ? 77 : %sp[1] + %sp[%d - 1] + (u64)((size_t)%sp %% %d + (size_t)%sq %% %d)" %
             (v, v, v, v, p["bytes"] // 8, v, align, v, align), v)
    t.c("omp_free(%sp, %s);" % (v, v + "a" if p["exact"] else "omp_null_allocator"), "omp_free(%sq, %sa);" % (v, v))
    if how == "traits":
        t.c("omp_destroy_allocator(%sa);" % v)
    t.c("}")


@writer("allocate")
def w_allocate(n, t):
    p = n.p
    v = p["name"]
    t.c("{", "u64 %s[%d];" % (v, p["length"]), "%s[1] = %s;" % (v, in_c(p["e"])),
        "#pragma omp parallel for%s firstprivate(%s) allocate(omp_%s_mem_alloc : %s)" %
        (size_clause(n), v, p["space"], v) + clauses(n),
        "for (int %si = 0; %si < %d; %si++) {" % (v, v, p["count"], v))
    t.p("for %si in range(%d):" % (v, p["count"]))
    add_text(t, p["k"], "%s[1] + %si" % (v, v), "%s + %si" % (in_python(p["e"]), v))
    t.c("}", "}")
    t.out()


# ------------------------------------------------------------------------------------------------------------
# C++


@writer("throw")
def w_throw(n, t):
    """An exception that does not leave its region."""
    p = n.p
    t.c("try {")
    t.p("if 1:")
    t.block(n.blocks[0])
    t.c("if (%s & 1) {" % in_c(p["if"]), "throw Thrown{%s};" % in_c(p["e"]), "}")
    t.p("if %s & 1:" % in_python(p["if"]))
    model_add(t, p["k"], in_python(p["e"]))
    t.out()
    t.p("else:")
    t.block(n.blocks[1])
    t.out(2)
    t.c("} catch (const Thrown &thrown) {")
    t.c("add(%d, thrown.v);" % p["k"])
    t.c("}")


@writer("objects")
def w_objects(n, t):
    """Objects as private, firstprivate and lastprivate variables: each that is made ends, too."""
    p = n.p
    v = p["name"]
    t.c("{", "Sum %sf(%s), %sl;" % (v, in_c(p["e"]), v),
        "#pragma omp parallel for firstprivate(%sf) lastprivate(%sl)" % (v, v) + size_clause(n) + clauses(n),
        "for (int %si = 0; %si < %d; %si++) {" % (v, v, p["count"], v), "Sum %sp(%sf);" % (v, v),
        "%sp += Sum(%si);" % (v, v), "%sl = %sp;" % (v, v))
    t.p("%sl = 0" % v, "for %si in range(%d):" % (v, p["count"]), "%sl = %s + %si" % (v, in_python(p["e"]), v))
    add_text(t, p["k"], "%sp.v" % v, "%sl" % v)
    t.c("}")
    t.out()
    add_text(t, p["k"], "%sl.v" % v, "%sl" % v)
    t.c("}")


@writer("iterators")
def w_iterators(n, t):
    p = n.p
    v = p["name"]
    t.c("{", "std::vector<u64> %s(%d);" % (v, p["count"]),
        "for (size_t i = 0; i < %s.size(); i++)" % v, "    %s[i] = i * i;" % v,
        "#pragma omp parallel for" + size_clause(n) + clauses(n),
        "for (std::vector<u64>::iterator %si = %s.begin(); %si < %s.end(); %si += %d) {" %
        (v, v, v, v, v, p["step"]))
    t.p("for %si in range(0, %d, %d):" % (v, p["count"], p["step"]))
    add_text(t, p["k"], "*%si + 1" % v, "%si * %si + 1" % (v, v))
    t.c("}", "}")
    t.out()
