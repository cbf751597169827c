"""Reads an eventlog of GHC, block by block, and reports the runtime's events in it. Called by eventlog.sh.

   eventlog.py FILE    prints `regions N, threads T, turns N`, or fails with what is wrong with the file

The program alternates between collections and regions: `turns` counts the regions that lie between the end of one
collection on some Capability, the caller's, and the beginning of the next on any.
"""
import re
import struct
import sys

BLOCK, MESSAGE, END, GC_BEGINS, GC_ENDS = 18, 19, 0xffff, 9, 10
VARIABLE = NO_CAPABILITY = 0xffff


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, size):
        assert self.at + size <= len(self.data), 'the file ends in the middle of something'
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, size):
        return int.from_bytes(self.bytes(size), 'big')

    def skip(self, mark):
        assert self.bytes(len(mark)) == mark, 'no %r where it belongs' % mark


def event_sizes(reader):
    reader.skip(b'hdrbhetb')
    sizes = {}
    while reader.data[reader.at:reader.at + 4] == b'etb\0':
        reader.at += 4
        kind = reader.number(2)
        sizes[kind] = reader.number(2)
        reader.bytes(reader.number(4))
        reader.bytes(reader.number(4))
        reader.skip(b'ete\0')
    reader.skip(b'hetehdredatb')
    return sizes


def events(reader, sizes):
    """(time, kind, payload, whether it lies in a block of no Capability that holds its time)"""
    block = None
    while True:
        start = reader.at
        if block is not None and start >= block[0]:
            assert start == block[0], 'a block ends in the middle of an event'
            block = None
        kind = reader.number(2)
        if kind == END:
            return
        time = reader.number(8)
        assert kind in sizes, 'an unknown event %d' % kind
        size = reader.number(2) if sizes[kind] == VARIABLE else sizes[kind]
        payload = reader.bytes(size)
        if kind == BLOCK:
            length, end, capability = struct.unpack('>IQH', payload)
            block = (start + length, time, end, capability)
        inside = block is not None and block[3] == NO_CAPABILITY and block[1] <= time <= block[2]
        yield time, kind, payload, inside


def main():
    with open(sys.argv[1], 'rb') as file:
        reader = Reader(file.read())
    found = list(events(reader, event_sizes(reader)))
    times = [time for time, _, payload, _ in found if not payload.startswith(b'ghcomp ')]
    ours = [(time, payload.decode().split(), inside) for time, kind, payload, inside in found
            if kind == MESSAGE and payload.startswith(b'ghcomp ')]
    for time, words, inside in ours:
        assert inside, 'not in a block of its time: %s' % ' '.join(words)
        assert min(times) <= time <= max(times), 'not in the program\'s time: %s' % ' '.join(words)
    order = [(time, 'c' if kind == GC_BEGINS else 'C') for time, kind, _, _ in found if kind in (GC_BEGINS, GC_ENDS)]
    order += [(time, words[2][7]) for time, words, _ in ours if words[2] in ('region-begin', 'region-end')]
    text = ''.join(what for _, what in sorted(order))
    print('regions %d, threads %d, turns %d' % (sum(words[2] == 'region-end' for _, words, _ in ours),
                                               len({words[1] for _, words, _ in ours}),
                                               len(re.findall('cC+bC*eC*(?=c)', text))))


try:
    main()
except AssertionError as problem:
    sys.exit('%s: %s' % (sys.argv[1], problem))
