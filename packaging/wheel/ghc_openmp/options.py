"""Options in front of a command, of which the rest is for somebody else. Used by __main__.py and command.py."""

import re

from .runtime import Refused


def threads(text):
    """What OMP_NUM_THREADS takes, as `ghcomp run --threads` checks it."""
    if not re.fullmatch(r"0*[1-9]\d{0,8}(,0*[1-9]\d{0,8})*", text):
        raise Refused("--threads: %s is not a positive number (or some, with commas between)" % text, 2)
    return text


def leading(words, valued, flags):
    """({option: value}, the words behind them). `valued` has a check for each option that takes a word."""
    found, rest = {}, list(words)
    while rest:
        name, equals, value = rest[0].partition("=")
        if name in flags and not equals:
            found[name] = True
            rest.pop(0)
        elif name in valued:
            rest.pop(0)
            if not equals:
                if not rest:
                    raise Refused("%s needs a value" % name, 2)
                value = rest.pop(0)
            found[name] = valued[name](value)
        else:
            break
    if rest[:1] == ["--"]:
        rest.pop(0)
    return found, rest
