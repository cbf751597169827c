"""Small charts as SVG: points, and lines over a logarithmic x axis. The same input gives the same file.

Needs only Python's standard library, so that `make gen` gives the same pictures everywhere.
"""

import math
from xml.sax.saxutils import escape

COLOURS = ("#1f6fb4", "#d1495b", "#2e8b57", "#e08a1e", "#7b4fa3", "#8c6d46", "#2aa5a0", "#666666", "#c45ab3")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 420, 80, 260, 44, 58


class Axis:
    """Values on a line of pixels. Logarithmic ones have a tick for each of `ticks`, linear ones from 0 a few round."""

    def __init__(self, title, values, start, end, ticks=None, log=False):
        self.title, self.start, self.end, self.log = title, start, end, log
        if log:
            self.low, self.high = math.log(min(values)), math.log(max(values))
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
        lines.append('<path d="M%.1f %d V%d" stroke="#ddd"/>' % (at, TOP, HEIGHT - BOTTOM))
        lines.append(text(at, HEIGHT - BOTTOM + 18, tick_text(tick)))
    for tick in y.ticks:
        at = y.at(tick)
        lines.append('<path d="M%d %.1f H%d" stroke="#ddd"/>' % (LEFT, at, WIDTH - RIGHT))
        lines.append(text(LEFT - 8, at + 4, tick_text(tick), "end"))
    lines.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, x.title))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    lines.append(text(18, middle, y.title, more=' transform="rotate(-90 18 %.1f)"' % middle))
    return lines


def legend(i, name):
    at = TOP + 12 + 20 * i
    return ['<circle cx="%d" cy="%d" r="5" fill="%s"/>' % (WIDTH - RIGHT + 22, at, COLOURS[i % len(COLOURS)]),
            text(WIDTH - RIGHT + 34, at + 4, name, "start")]


def document(lines):
    head = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" '
            'font-family="sans-serif" font-size="12" fill="#222">' % (WIDTH, HEIGHT, WIDTH, HEIGHT))
    return "\n".join([head, '<rect width="%d" height="%d" fill="#fff"/>' % (WIDTH, HEIGHT)] + lines + ["</svg>"]) + "\n"


def scatter(title, x_title, y_title, points):
    """points: (name, x, y)."""
    x = Axis(x_title, [p[1] for p in points], LEFT, WIDTH - RIGHT)
    y = Axis(y_title, [p[2] for p in points], HEIGHT - BOTTOM, TOP)
    lines = frame(title, x, y)
    for i, (name, at_x, at_y) in enumerate(points):
        lines.append('<circle cx="%.1f" cy="%.1f" r="7" fill="%s" stroke="#fff"/>' % (
            x.at(at_x), y.at(at_y), COLOURS[i % len(COLOURS)]))
        lines += legend(i, name)
    return document(lines)


def curves(title, x_title, y_title, lines_of, log_y=False):
    """lines_of: (name, list of (x, y)); x is logarithmic."""
    xs = sorted({at for _, line in lines_of for at, _ in line})
    x = Axis(x_title, xs, LEFT + 12, WIDTH - RIGHT - 12, ticks=xs, log=True)
    y = Axis(y_title, [at for _, line in lines_of for _, at in line], HEIGHT - BOTTOM, TOP, log=log_y)
    lines = frame(title, x, y)
    for i, (name, line) in enumerate(lines_of):
        colour = COLOURS[i % len(COLOURS)]
        places = [(x.at(a), y.at(b)) for a, b in sorted(line)]
        lines.append('<polyline fill="none" stroke="%s" stroke-width="2" points="%s"/>' % (
            colour, " ".join("%.1f,%.1f" % place for place in places)))
        lines += ['<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s"/>' % (a, b, colour) for a, b in places]
        lines += legend(i, name)
    return document(lines)
