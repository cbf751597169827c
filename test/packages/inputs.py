"""The input files of the packages' programs: packages.tsv names them, and the function of a file's name makes it, of
fixed random numbers. Used by run.py.
"""

import math
import random
import struct
import wave
import zlib

WIDTH, HEIGHT = 320, 240


def letters(rng, alphabet, count):
    return "".join(rng.choice(alphabet) for _ in range(count))


def mutated(rng, text, alphabet, rate):
    return "".join(rng.choice(alphabet) if rng.random() < rate else c for c in text)


def fasta(path, named):
    with open(path, "w", encoding="ascii") as f:
        for name, text in named:
            f.write(">%s\n" % name + "".join(text[i : i + 70] + "\n" for i in range(0, len(text), 70)))


def genomes(path, count=8, length=30000, seed=1):
    """Relatives of one genome, at rising distances."""
    rng = random.Random(seed)
    first = letters(rng, "ACGT", length)
    fasta(path, [("genome%d" % i, mutated(rng, first, "ACGT", 0.01 * i)) for i in range(count)])


def genome_a(path):
    genomes(path, 1, 120000, 2)


def genome_b(path):
    rng = random.Random(2)
    fasta(path, [("relative", mutated(rng, letters(rng, "ACGT", 120000), "ACGT", 0.05))])


def reads(path):
    """Reads of 100 bases, without mistakes, from a genome of 8,000."""
    rng = random.Random(3)
    genome = letters(rng, "ACGT", 8000)
    starts = [rng.randrange(7900) for _ in range(2400)]
    fasta(path, [("r%d" % i, genome[at : at + 100]) for i, at in enumerate(starts)])


def proteins(path, families=40, members=6, length=150):
    rng = random.Random(4)
    amino = "ACDEFGHIKLMNPQRSTVWY"
    found = []
    for family in range(families):
        first = letters(rng, amino, length)
        found += [("p%d_%d" % (family, i), mutated(rng, first, amino, 0.06 * i)) for i in range(members)]
    fasta(path, found)


def family(path):
    proteins(path, 1, 12, 120)


def aligned(path):
    """Relatives of one gene, of the same length, along a tree."""
    rng = random.Random(5)
    level = [letters(rng, "ACGT", 300)]
    while len(level) < 32:
        level = [mutated(rng, text, "ACGT", 0.04) for text in level for _ in (0, 1)]
    fasta(path, [("leaf%d" % i, text) for i, text in enumerate(level)])


def shade(x, y, seed):
    rng = (x * 7919 + y * 104729 + seed * 31) % 97 / 97.0
    wave_ = 0.5 + 0.3 * math.sin(x / 17.0 + seed) + 0.2 * math.cos(y / 11.0)
    return max(0, min(255, int(255 * (0.9 * wave_ + 0.1 * rng))))


def pixels(seed=0):
    return [bytes(v for x in range(WIDTH) for v in (shade(x, y, seed), shade(y, x, seed + 1), shade(x, y, seed + 2)))
            for y in range(HEIGHT)]


def ppm(path, seed=0):
    with open(path, "wb") as f:
        f.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT) + b"".join(pixels(seed)))


def png(path, rows, kind):
    """kind: 2 for colours, 0 for grey."""
    width = len(rows[0]) // (3 if kind == 2 else 1)

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, kind, 0, 0, 0)))
        f.write(chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows))) + chunk(b"IEND", b""))


def picture(path):
    """A picture in the format that the name's ending says."""
    if path.endswith(".png"):
        png(path, pixels(), 2)
    else:
        ppm(path)


def sound(path):
    rng = random.Random(6)
    with wave.open(path, "wb") as f:
        f.setparams((4, 2, 44100, 0, "NONE", "NONE"))
        for i in range(44100):
            f.writeframesraw(struct.pack("<4h", *(int(9000 * math.sin(i * (0.01 + 0.003 * c)) + rng.randrange(900))
                                                 for c in range(4))))


def field(path):
    """A field of 64 x 64 x 32 numbers."""
    with open(path, "wb") as f:
        f.write(b"".join(struct.pack("<f", math.sin(x / 9.0) * math.cos(y / 7.0) + z / 50.0)
                         for z in range(32) for y in range(64) for x in range(64)))


def blob(path):
    with open(path, "wb") as f:
        f.write(random.Random(7).getrandbits(8 * 400000).to_bytes(400000, "little"))


def old(path, changed=False):
    """Messages for gettext; `changed` gives the newer template, whose messages differ a little."""
    rng = random.Random(8)
    with open(path, "w", encoding="ascii") as f:
        f.write('msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n')
        for i in range(400):
            text = " ".join(letters(rng, "abcdefgh", 5) for _ in range(9))
            f.write('msgid "%s%s %d"\nmsgstr "%s"\n\n' % (text, " more" if changed else "", i,
                                                         "" if changed else text.upper()))


def new(path):
    old(path, True)


def train(path, seed=9, count=1500):
    """Lines of eight features and a class."""
    rng = random.Random(seed)
    with open(path, "w", encoding="ascii") as f:
        for _ in range(count):
            words = [rng.choice("abcdef") for _ in range(8)]
            f.write(",".join(words + ["yes" if words[0] + words[3] > words[5] + "c" else "no"]) + "\n")


def test(path):
    train(path, 10, 400)


def water(path):
    with open(path, "w", encoding="ascii") as f:
        f.write("9\nthree waters\n" + "".join(
            "O %.3f 0 0\nH %.3f 0.757 0.587\nH %.3f -0.757 0.587\n" % ((3.1 * i,) * 3) for i in range(3)))


def digits(path):
    """Lines of digits, written large, as a grey picture."""
    shapes = {"0": "01110100011000110001100011000101110", "1": "00100011000010000100001000010001110",
              "2": "01110100010000100010001000100011111", "7": "11111000010001000100010000100001000",
              "4": "00010001100101010010111110001000010"}
    rng, scale = random.Random(12), 5
    rows = [[255] * 700 for _ in range(260)]
    for line in range(4):
        for column in range(18):
            shape = shapes[rng.choice(sorted(shapes))]
            for i, bit in enumerate(shape):
                if bit == "1":
                    x0, y0 = 20 + column * 36 + i % 5 * scale, 20 + line * 56 + i // 5 * scale
                    for y in range(y0, y0 + scale):
                        rows[y][x0 : x0 + scale] = [0] * scale
    png(path, [bytes(row) for row in rows], 0)


def commands(path):
    with open(path, "w", encoding="ascii") as f:
        f.writelines("echo %d > out%d\n" % (i * i, i) for i in range(24))


def grid(path):
    """The complex of a triangulated grid, for persistent homology, in columns."""
    n = 24
    vertex = lambda i, j: i * (n + 1) + j  # noqa: E731
    edges, columns = {}, [(0, ())] * ((n + 1) * (n + 1))

    def edge(a, b):
        key = min(a, b), max(a, b)
        if key not in edges:
            edges[key] = len(columns)
            columns.append((1, key))
        return edges[key]

    for i in range(n):
        for j in range(n):
            a, b, c, d = vertex(i, j), vertex(i + 1, j), vertex(i, j + 1), vertex(i + 1, j + 1)
            for triangle in ((a, b, d), (a, c, d)):
                sides = sorted(edge(*pair) for pair in ((triangle[0], triangle[1]), (triangle[1], triangle[2]),
                                                        (triangle[0], triangle[2])))
                columns.append((2, tuple(sides)))
    with open(path, "w", encoding="ascii") as f:
        f.writelines("%d %s\n" % (dim, " ".join(map(str, sides))) for dim, sides in columns)


def plot(path):
    with open(path, "w", encoding="ascii") as f:
        f.write("new x 60 60 '0.5+0.5*sin(5*x)*cos(4*y)'\nrotate 50 60\nlight on\nbox\nsurf x\ncont x\n")


def circuit(path):
    with open(path, "w", encoding="ascii") as f:
        f.write("transistors\nvd d 0 3\nvg g 0 sin(1 1 1meg)\n.model nm nmos level=54\n.tran 10n 2u\n"
                ".print tran i(vd)\n")
        f.writelines("m%d d g 0 0 nm l=1u w=%du\n" % (i, i + 2) for i in range(40))
        f.write(".end\n")
