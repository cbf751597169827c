"""The collector's pauses in an eventlog of GHC (`+RTS -l-agu -olFILE`).

A pause is one collection: from the event with which a Capability asks the others to stop (REQUEST_SEQ_GC,
REQUEST_PAR_GC), or the first GC_START where none had to be asked, to the GC_END of that same Capability, which lets the
others continue. So it includes the time until every Capability had stopped, which a thread that can't be stopped makes
longer. It does not include the time that another Capability takes to continue: its thread writes its own GC_END when it
has a CPU again, which on a busy machine can be after the next request. Only the pauses between two markers of the
program (EVENT_USER_MARKER) count.

The format: a header with a list of event types (number, size of the payload or 0xffff when each event has its own
size), then events, all big-endian: type, nanoseconds, payload. Events are in blocks, each of one Capability.
"""

GC_START, GC_END, REQUEST_SEQ_GC, REQUEST_PAR_GC, BLOCK, MARKER = 9, 10, 11, 12, 18, 58
END_OF_DATA, VARIABLE = 0xffff, 0xffff


class Broken(Exception):
    """This is not a whole eventlog."""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, size):
        return int.from_bytes(self.bytes(size), "big")

    def bytes(self, size):
        piece = self.data[self.at:self.at + size]
        if len(piece) < size:
            raise Broken("it ends in the middle")
        self.at += size
        return piece

    def expect(self, mark):
        if self.bytes(len(mark)) != mark:
            raise Broken("no %s at %d" % (mark.decode("ascii", "replace"), self.at - len(mark)))

    def follows(self, mark):
        found = self.data.startswith(mark, self.at)
        self.at += len(mark) if found else 0
        return found


def sizes_of(reader):
    """The payload's size of each event type, from the header."""
    reader.expect(b"hdrb")
    reader.expect(b"hetb")
    sizes = {}
    while reader.follows(b"etb\0"):
        event, size = reader.number(2), reader.number(2)
        reader.bytes(reader.number(4))  # the description
        reader.bytes(reader.number(4))  # nothing yet
        reader.expect(b"ete\0")
        sizes[event] = size
    reader.expect(b"hete")
    reader.expect(b"hdre")
    return sizes


def events(data):
    """(nanoseconds, event type, Capability, payload) of all events, in order of time."""
    reader = Reader(data)
    sizes = sizes_of(reader)
    reader.expect(b"datb")
    found, capability = [], None
    while True:
        event = reader.number(2)
        if event == END_OF_DATA:
            break
        if event not in sizes:
            raise Broken("event type %d at %d is not in its header" % (event, reader.at - 2))
        time = reader.number(8)
        size = sizes[event]
        payload = reader.bytes(reader.number(2) if size == VARIABLE else size)
        if event == BLOCK:
            capability = int.from_bytes(payload[12:14], "big")
        else:
            found.append((time, event, capability, payload))
    found.sort(key=lambda e: e[0])
    return found


def collections_of(found):
    """(start, end) of each collection, in nanoseconds."""
    begun, leader, pauses = None, None, []
    for time, event, capability, _ in found:
        if event in (REQUEST_SEQ_GC, REQUEST_PAR_GC) or (event == GC_START and leader is None):
            begun, leader = time, capability
        elif event == GC_END and capability == leader:
            pauses.append((begun, time))
            leader = None
    return pauses


def window(found, opens, closes):
    """The times of the two markers."""
    times = {payload.decode("utf-8", "replace"): time for time, event, _, payload in found if event == MARKER}
    if opens not in times or closes not in times:
        raise Broken("it has no markers '%s' and '%s'" % (opens, closes))
    return times[opens], times[closes]


def pauses(path, opens, closes):
    """The pauses that began between the markers, in nanoseconds, and the window's length in seconds."""
    with open(path, "rb") as f:
        found = events(f.read())
    first, last = window(found, opens, closes)
    return [end - start for start, end in collections_of(found) if first <= start < last], (last - first) / 1e9
