"""Lines for people, whatever the names in them are: one line, without effect on a terminal."""

import sys

MOST = 2000  # characters


def _visible(character):
    code = ord(character)
    if character.isprintable():
        return character
    # A byte that is no text is kept by Python as a lone surrogate.
    return "\\x%02x" % (code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code)


def shown(text):
    """Control characters and bytes that are no text as \\xNN; the middle of a very long text is left out."""
    if len(text) > MOST:
        text = text[:MOST // 2] + " [...] " + text[-MOST // 2:]
    return "".join(map(_visible, text))


def say(text, file=None):
    file = file or sys.stdout
    line = shown(text) + "\n"
    file.write(line.encode(file.encoding, "backslashreplace").decode(file.encoding))
    file.flush()
