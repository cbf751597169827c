"""Make a failing case small: leave out and simplify parts of its tree as long as it still fails.

`fails(case)` decides; it is asked for cases that are smaller than the last one that failed, and a smaller case is
well-formed or does not fail (it is run on libgomp first, see fuzz.py).
"""

SIMPLER = {"count": (1, 2, 3), "rounds": (1,), "n": (2, 3), "tasks": (1, 2), "rows": (1,), "columns": (1,),
           "before": (0,), "teams": (1, 2), "distances": ([1],), "length": (2,), "bytes": (24,)}
OPTIONAL = ("if", "private", "some", "task_modifier", "red", "last")


def smaller(case):
    """Cases with one part less, those that lose most first: functions, since most are never needed."""
    found = []

    def places(nodes, path):
        for index, node in enumerate(nodes):
            here = path + [index]
            found.append((node.size(), "drop", here, None))
            for number, block in enumerate(node.blocks):
                found.append((node.size() - sum(n.size() for n in block), "hoist", here, number))
                if len(node.blocks) > 1:
                    found.append((1 + sum(n.size() for n in block), "block", here, number))
                places(block, here + [number])
            for key, values in SIMPLER.items():
                for value in values:
                    if key in node.p and node.p[key] != value and not (
                            isinstance(value, int) and isinstance(node.p[key], int) and 0 < node.p[key] < value):
                        found.append((0.5, "set", here, (key, value)))
            for key in OPTIONAL:
                if node.p.get(key):
                    found.append((0.4, "set", here, (key, None)))
            for number in range(len(node.p.get("clauses") or [])):
                found.append((0.3, "clause", here, number))
            for number in range(len(node.p.get("items") or []) if len(node.p.get("items") or []) > 1 else 0):
                found.append((0.35, "item", here, number))
            if node.p.get("e") and node.p["e"][0] not in "n":
                found.append((0.2, "set", here, ("e", ("n", 1))))

    places(case.nodes, [])
    found.sort(key=lambda f: -f[0])
    for weight, how, path, detail in found:
        if weight > 0:
            yield how, path, detail
    for wanted in (1, 2):
        if case.max_active > wanted:
            yield "levels", None, wanted


def changed(case, how, path, detail):
    result = case.copy()
    if how == "levels":
        result.max_active = detail
        return result
    nodes = result.nodes
    for step in range(0, len(path) - 1, 2):
        nodes = nodes[path[step]].blocks[path[step + 1]]
    node = nodes[path[-1]]
    if how == "drop":
        del nodes[path[-1]]
    elif how == "hoist":
        nodes[path[-1]:path[-1] + 1] = node.blocks[detail]
    elif how == "block":
        del node.blocks[detail]
    elif how == "set":
        key, value = detail
        if value is None and key in ("red", "last"):
            value = []
        node.p[key] = value
    elif how == "item":
        del node.p["items"][detail]
    else:
        del node.p["clauses"][detail]
    return result


def shrink(case, fails, steps=400, say=lambda text: None):
    """The smallest case found."""
    tried = 0
    progress = True
    while progress and tried < steps:
        progress = False
        for how, path, detail in smaller(case):
            tried += 1
            if tried > steps:
                break
            candidate = changed(case, how, path, detail)
            if fails(candidate):
                say("%d nodes (%s)" % (candidate.size(), how))
                case, progress = candidate, True
                break
    return case
