"""Small charts as SVG: points, lines over a logarithmic x axis, bars, ratios with their spread. The same input gives
the same file.

A chart has two forms: its colours are those of the light one, and its style replaces each by the dark one's where the
reader's system is dark (tools/site/pictures.py takes them apart). `note` says what was measured, where and when
(common.note_of).

Needs only Python's standard library, so that `make gen` writes the same pictures everywhere.
"""

import collections
import math
from xml.sax.saxutils import escape

# More than any chart has series: two of one chart never share a colour, in either form. leftovers_test.py asks for
# their contrast to the ground and for their distance from each other.
COLOURS = ("#1f6fb4", "#d1495b", "#2e8b57", "#c26a00", "#7b4fa3", "#8c6d46", "#1c9490", "#666666", "#c45ab3", "#1010f9",
           "#f910f9", "#f91010", "#3c0202", "#809f04")
DARK_COLOURS = ("#6ab0f3", "#ff7b89", "#5cc98a", "#ffb454", "#b691e0", "#c9a87c", "#4fd6d0", "#b5b5b5", "#f08fdd",
                "#10f910", "#b310f9", "#e5fa29", "#f91010", "#2968fa")
INK, GROUND, GRID, HEAVY, SOFT, SHADE = "#222", "#fff", "#ddd", "#888", "#595959", "#000"
DARK = dict(zip(COLOURS, DARK_COLOURS), **{INK: "#dddddd", GROUND: "#1e2129", GRID: "#3a3f4b", HEAVY: "#9aa0ab",
                                           SOFT: "#a9afba", SHADE: "#ffffff"})
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 420, 80, 260, 44, 58
# Labels at the ends of lines: from one to the next, and how far one may be from its line.
LABEL, LABEL_FAR = 15, 60
# A point of a scatter chart, and how far it stands out from under each one that would hide it.
RADIUS, RING = 7, 4


class Axis:
    """Maps values to pixels. A logarithmic axis has a tick for each of `ticks`; a linear one starts at 0 and has a few
    round ticks."""

    def __init__(self, title, values, start, end, ticks=None, log=False):
        self.title, self.start, self.end, self.log = title, start, end, log
        if log:
            around = ticks or values
            self.low, self.high = math.log(min(around)), math.log(max(around))
            if ticks is None:
                ticks = [10 ** e for e in range(math.floor(math.log10(min(values))),
                                                math.ceil(math.log10(max(values))) + 1)]
                self.low, self.high = math.log(ticks[0]), math.log(ticks[-1])
            self.ticks = ticks
        else:
            step = round_step(max(values) * 1.05 or 1)
            count = math.ceil(max(values) * 1.02 / step) or 1
            self.low, self.high, self.ticks = 0, count * step, [i * step for i in range(count + 1)]

    def at(self, value):
        where = math.log(value) if self.log else value
        span = (self.high - self.low) or 1
        return self.start + (self.end - self.start) * (where - self.low) / span


def round_step(high):
    """A step of 1, 2 or 5 times a power of ten that divides the axis into four to ten parts."""
    power = 10 ** math.floor(math.log10(high))
    for factor in (0.1, 0.2, 0.5, 1):
        if high / (power * factor) <= 8:
            return power * factor
    return power


def tick_text(value):
    if value >= 1e9:
        return "%gG" % (value / 1e9)
    if value >= 1e6:
        return "%gM" % (value / 1e6)
    return "%gk" % (value / 1e3) if value >= 1e4 else "%g" % value


def text(x, y, words, anchor="middle", more=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (x, y, anchor, more, escape(words))


def frame(title, x, y):
    """The title, and both axes with their grids."""
    lines = [text(LEFT, 24, title, "start", ' font-size="16" font-weight="bold"')]
    for tick in x.ticks:
        at = x.at(tick)
        lines.append('<path d="M%.1f %d V%d" stroke="%s"/>' % (at, TOP, HEIGHT - BOTTOM, GRID))
        lines.append(text(at, HEIGHT - BOTTOM + 18, tick_text(tick)))
    for tick in y.ticks:
        at = y.at(tick)
        lines.append('<path d="M%d %.1f H%d" stroke="%s"/>' % (LEFT, at, WIDTH - RIGHT, GRID))
        lines.append(text(LEFT - 8, at + 4, tick_text(tick), "end"))
    lines.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x.title))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    lines.append(text(18, middle, y.title, more=' transform="rotate(-90 18 %.1f)"' % middle))
    return lines


def legend(i, name):
    at = TOP + 12 + 20 * i
    return ['<circle cx="%d" cy="%d" r="5" fill="%s"/>' % (WIDTH - RIGHT + 22, at, COLOURS[i]),
            text(WIDTH - RIGHT + 34, at + 4, name, "start")]


def document(lines, height, note):
    """The file, with the note below what is drawn and with the dark form of the colours that occur."""
    if note:
        lines = lines + [text(16, height + 10, note, "start", ' font-size="11" fill="%s"' % SOFT)]
        height += 22
    head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
            'font-family="sans-serif" font-size="12" fill="%s">' % (WIDTH, height, WIDTH, height, INK))
    body = "\n".join([head, '<rect width="%d" height="%d" fill="%s"/>' % (WIDTH, height, GROUND)] + lines)
    rules = ['[%s="%s"] { %s: %s; }' % (what, light, what, dark) for what in ("fill", "stroke")
             for light, dark in DARK.items() if '%s="%s"' % (what, light) in body]
    style = "<style>\n@media (prefers-color-scheme: dark) {\n%s\n}\n</style>" % "\n".join(rules)
    return body.replace(head, head + "\n" + style, 1) + "\n</svg>\n"


def scatter(title, x_title, y_title, points, note=""):
    """points: (name, x, y). One that later ones would hide is a ring around them."""
    x = Axis(x_title, [p[1] for p in points], LEFT, WIDTH - RIGHT)
    y = Axis(y_title, [p[2] for p in points], HEIGHT - BOTTOM, TOP)
    lines = frame(title, x, y)
    places = [(x.at(at_x), y.at(at_y)) for _, at_x, at_y in points]
    for i, (name, _, _) in enumerate(points):
        hidden_by = sum(math.dist(places[i], later) < RADIUS for later in places[i + 1:])
        lines.append('<circle cx="%.1f" cy="%.1f" r="%d" fill="%s" stroke="%s"/>' % (
            *places[i], RADIUS + RING * hidden_by, COLOURS[i], GROUND))
        lines += legend(i, name)
    return document(lines, HEIGHT, note)


def spread(wanted, apart, low, high):
    """Places for labels that would like to be at `wanted`, in its order: at least `apart` from each other, within
    [low, high], and moved as little as that allows."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Neighbours that are too close become one block, which goes to the mean of its labels' places.
    blocks = []
    for i in order:
        blocks.append([wanted[i], [i]])
        while True:
            size = apart * (len(blocks[-1][1]) - 1) / 2
            middle = min(max(blocks[-1][0], low + size), high - size)
            blocks[-1][0] = middle
            if len(blocks) == 1:
                break
            before = blocks[-2]
            if before[0] + apart * (len(before[1]) - 1) / 2 + apart <= middle - size + 1e-9:
                break
            members = before[1] + blocks.pop()[1]
            offset = apart * (len(members) - 1) / 2
            mean = sum(wanted[m] - apart * k + offset for k, m in enumerate(members)) / len(members)
            blocks[-1] = [mean, members]
    places = [0.0] * len(wanted)
    for middle, members in blocks:
        for k, member in enumerate(members):
            places[member] = middle + apart * (k - (len(members) - 1) / 2)
    return places


def names_at_ends(ends, names):
    """A label for each line where it ends, at `ends`, with a thin line to it; None where that would not read well: a
    line has no points or ends before the others, or a label would be far from its line."""
    if len(ends) < len(names):
        return None
    right = max(at for at, _ in ends)
    wanted = [height for _, height in ends]
    places = spread(wanted, LABEL, TOP, HEIGHT - BOTTOM)
    if any(at < right for at, _ in ends) or any(abs(a - b) > LABEL_FAR for a, b in zip(wanted, places)):
        return None
    lines = []
    for i, (height, place) in enumerate(zip(wanted, places)):
        lines.append('<path d="M%.1f %.1f L%.1f %.1f" stroke="%s" stroke-width="1.5"/>' % (
            right + 5, height, right + 24, place, COLOURS[i]))
        lines.append(text(right + 28, place + 4, names[i], "start"))
    return lines


def curves(title, x_title, y_title, lines_of, log_y=False, note=""):
    """lines_of: (name, list of (x, y)); x is logarithmic. The names stand at the ends of the lines, or, where these are
    too close to each other, in a list."""
    xs = sorted({at for _, line in lines_of for at, _ in line})
    x = Axis(x_title, xs, LEFT + 12, WIDTH - RIGHT - 12, ticks=xs, log=True)
    y = Axis(y_title, [at for _, line in lines_of for _, at in line], HEIGHT - BOTTOM, TOP, log=log_y)
    lines, ends = frame(title, x, y), []
    for i, (name, line) in enumerate(lines_of):
        colour = COLOURS[i]
        places = [(x.at(a), y.at(b)) for a, b in sorted(line)]
        lines.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>' % (
            colour, " ".join("%.1f,%.1f" % place for place in places)))
        lines += ['<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>' % (a, b, colour) for a, b in places]
        ends += places[-1:]
    names = [name for name, _ in lines_of]
    lines += names_at_ends(ends, names) or [part for i, name in enumerate(names) for part in legend(i, name)]
    return document(lines, HEIGHT, note)


def bars(title, x_title, values, note=""):
    """values: (name, value, words for it); a bar for each, from 0, its name to the left and the words at its end."""
    low = TOP + BAR * len(values)
    x = Axis(x_title, [value for _, value, _ in values], NAMES, WIDTH - SIDE)
    lines = [text(16, 24, title, "start", ' font-size="16" font-weight="bold"')]
    for tick in x.ticks:
        lines.append('<path d="M%.1f %d V%d" stroke="%s"/>' % (x.at(tick), TOP, low, GRID))
        lines.append(text(x.at(tick), low + 18, tick_text(tick)))
    for i, (name, value, words) in enumerate(values):
        top = TOP + BAR * i + 6
        lines.append('<rect class="bar" x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (
            NAMES, top, x.at(value) - NAMES, BAR - 12, COLOURS[i]))
        lines.append(text(NAMES - 8, top + (BAR - 12) / 2 + 4, name, "end"))
        lines.append(text(x.at(value) + 8, top + (BAR - 12) / 2 + 4, words, "start"))
    lines.append(text((NAMES + WIDTH - SIDE) / 2, low + 40, x.title))
    return document(lines, low + 56, note)


# style: "filled" or "ring".
Dot = collections.namedtuple("Dot", "style middle low high")
LANE, GAP, NAMES, SIDE = 8, 10, 150, 160
BAR = 40


def dots(title, x_title, lines_of, legend_names, styles, note=""):
    """Ratios on a logarithmic axis, with 1 drawn heavier; to the right of it is worse.

    lines_of: (name, {lane: (list of Dot, limit or None)}); a lane has the colour of its place in legend_names and is
    below the one before; the limit is an upright mark. styles: "filled" and "ring" to what they stand for.
    """
    every = [v for _, lanes in lines_of for found, limit in lanes.values()
             for dot in found for v in (dot.low, dot.high, limit or 1)] + [0.5, 2]
    high = TOP + sum(LANE * len(legend_names) + GAP for _ in lines_of)
    x = Axis(x_title, every, NAMES, WIDTH - SIDE, ticks=ratio_ticks(min(every), max(every)), log=True)
    lines = [text(16, 24, title, "start", ' font-size="16" font-weight="bold"')]
    for tick in x.ticks:
        lines.append('<path d="M%.1f %d V%d" stroke="%s"/>' % (x.at(tick), TOP, high, HEAVY if tick == 1 else GRID))
        lines.append(text(x.at(tick), high + 18, tick_text(tick)))
    for i, (name, lanes) in enumerate(lines_of):
        top = TOP + i * (LANE * len(legend_names) + GAP)
        if i % 2:
            lines.append('<rect x="%d" y="%d" width="%d" height="%d" fill="%s" fill-opacity="0.035"/>' % (
                NAMES, top, WIDTH - SIDE - NAMES, LANE * len(legend_names) + GAP, SHADE))
        lines.append(text(NAMES - 8, top + (LANE * len(legend_names) + GAP) / 2 + 4, name, "end"))
        for lane, (found, limit) in sorted(lanes.items()):
            lines += lane_of_dots(x, top + GAP / 2 + LANE * (lane + 0.5), found, limit, COLOURS[lane])
    lines.append(text((NAMES + WIDTH - SIDE) / 2, high + 40, x.title))
    for i, name in enumerate(legend_names):
        lines.append('<rect x="%d" y="%d" width="14" height="6" fill="%s"/>' % (
            WIDTH - SIDE + 16, TOP + 9 + 20 * i, COLOURS[i]))
        lines.append(text(WIDTH - SIDE + 36, TOP + 16 + 20 * i, name, "start"))
    for i, (style, name) in enumerate(styles.items()):
        at = TOP + 12 + 20 * (len(legend_names) + i)
        lines.append(one_dot(WIDTH - SIDE + 23, at, style, SOFT))
        lines.append(text(WIDTH - SIDE + 36, at + 4, name, "start"))
    return document(lines, high + 56, note)


def ratio_ticks(low, high):
    """1, 2 and 5 times powers of ten around both, the powers alone where those are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [float("%ge%d" % (factor, e)) for e in powers for factor in ((1, 2, 5) if len(powers) < 5 else (1,))]
    first = max([i for i, tick in enumerate(every) if tick <= low * 1.001] or [0])
    last = min([i for i, tick in enumerate(every) if tick >= high * 0.999] or [len(every) - 1])
    return every[first:last + 1]


def one_dot(x, y, style, colour):
    fill = colour if style == "filled" else GROUND
    return '<circle cx="%.1f" cy="%.1f" r="3.2" fill="%s" stroke="%s" stroke-width="1.3"/>' % (x, y, fill, colour)


def lane_of_dots(x, y, found, limit, colour):
    lines = []
    if limit:
        lines.append('<path d="M%.1f %.1f V%.1f" stroke="%s" stroke-width="2"/>' % (
            x.at(limit), y - LANE / 2, y + LANE / 2, colour))
    for dot in found:
        lines.append('<path d="M%.1f %.1f H%.1f" stroke="%s"/>' % (x.at(dot.low), y, x.at(dot.high), colour))
    return lines + [one_dot(x.at(dot.middle), y, dot.style, colour) for dot in found]
