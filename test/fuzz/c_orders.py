"""Writes the programs of generate_orders.py: each thread records whether the numbers that it meets rise, and the first
number of each kind. They must rise, and the least of the first numbers must be the first of its kind."""

from c_base import add_text, writer


def meet(v, i, p):
    """What a thread does with a number that it meets."""
    return ("order_meet(&%s[omp_get_thread_num()], (int)(%s), %d, %d, %d);"
            % (v, i, p["modulo"], p["rest"] % p["modulo"], p["work"]))


def body(v, p):
    n, form = p["count"], p["form"]
    if form in ("loop", "static"):
        schedule = p["schedule"] if form == "loop" else "static, 4"
        astray = "%s[0].falls += i / 4 %% omp_get_num_threads() != omp_get_thread_num();" % v
        check = [astray] if form == "static" else []
        kind = p["type"] if form == "loop" else "int"
        head = ["#pragma omp for schedule(%s)" % schedule, "for (%s i = 0; i < %d; i++) {" % (kind, n)]
        return (head + [meet(v, "i", p)]
                + ["#pragma omp critical"] * len(check) + check + ["}"])
    if form == "nest":
        return ["#pragma omp for schedule(%s) collapse(2)" % p["schedule"], "for (int i = 0; i < %d; i++)" % n,
                "for (int j = 0; j < 1; j++)", meet(v, "i + j", p)]
    if form == "sections":
        return (["#pragma omp sections", "{"]
                + [line for i in range(n) for line in ("#pragma omp section", meet(v, i, p))] + ["}"])
    if form == "tasks":
        return ["#pragma omp single nowait", "for (int i = 0; i < %d; i++) {" % n, "#pragma omp task firstprivate(i)",
                meet(v, "i", p), "}", "#pragma omp barrier"]
    return ["#pragma omp single nowait", "{", "int x = 0;", "(void)x;", "#pragma omp task depend(out : x)",
            "order_work(2000);", "for (int i = 0; i < %d; i++) {" % n,
            "#pragma omp task firstprivate(i) depend(in : x)", meet(v, "i", p), "}", "}"]


@writer("order")
def w_order(n, t):
    p = n.p
    v = p["name"]
    t.c("{", "struct met %s[64];" % v, "u64 %sg = 0, %sf = 0;" % (v, v), "int %sl = 9999;" % v,
        "for (int i = 0; i < 64; i++)", "%s[i].last = -1, %s[i].first = 9999, %s[i].count = %s[i].falls = 0;"
        % (v, v, v, v), "#pragma omp parallel num_threads(%d)" % p["n"], "{", *body(v, p), "}",
        "for (int i = 0; i < 64; i++) {", "%sg += U(%s[i].count);" % (v, v), "%sf += U(%s[i].falls);" % (v, v),
        "%sl = %s[i].first < %sl ? %s[i].first : %sl;" % (v, v, v, v, v), "}")
    rest = p["rest"] % p["modulo"]
    add_text(t, p["k"], "%sf * 1000000007 + %sg * 10007 + U(%sl)" % (v, v, v),
             str(p["count"] * 10007 + (rest if rest < p["count"] else 9999)))
    t.c("}")
