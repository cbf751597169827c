"""Reading ELF files: what the loader reads of them before a program starts, and their full symbol table.

The input may be truncated or damaged: ElfError then says so in one line. Only files for x86-64 are read beyond
their header. Used by doctor.py, and by packaging/wheel/build.py for the versions of the C library's symbols.
"""

import collections
import mmap
import os
import struct

X86_64 = 62
PROGRAM, LIBRARY = 2, 3  # e_type
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SONAME = 1, 5, 6, 10, 14
DT_VERSYM, DT_VERDEF, DT_VERDEFNUM = 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
DT_FLAGS_1, DF_1_PIE = 0x6FFFFFFB, 0x08000000
SHT_SYMTAB, SHT_DYNSYM = 2, 11
STB_WEAK, STT_OBJECT = 2, 1
MOST_VERSIONS = 4096  # whatever a damaged file says

# data: a variable. version: of a needed symbol the one that it is bound to, of a defined one its own; library: where it
# must come from.
Symbol = collections.namedtuple("Symbol", "name defined weak data version library default")


class ElfError(Exception):
    pass


class Elf:
    """machine, kind (PROGRAM, LIBRARY or another e_type), interpreter, needed, soname, pie, symbols, static."""

    def __init__(self, path):
        if not os.path.isfile(path):
            raise ElfError("not a regular file")
        try:
            with open(path, "rb") as f:
                start = f.read(4)
                if start != b"\x7fELF":
                    raise ElfError("not an ELF file")
                self._data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as e:
            raise ElfError("cannot be read: %s" % e.strerror)
        try:
            with self._data:
                self._read()
        except (struct.error, IndexError, UnicodeDecodeError, ValueError, OverflowError):
            raise ElfError("the file is truncated or damaged")

    @property
    def ours(self):
        """Whether a process of the runtime's architecture can load it."""
        return self.wide and self.machine == X86_64

    def _at(self, layout, offset):
        return struct.unpack_from("<" + layout, self._data, offset)

    def _read(self):
        little = self._data[5] == 1
        self.wide = self._data[4] == 2 and little
        self.kind, self.machine = struct.unpack_from("<HH" if little else ">HH", self._data, 16)
        self.interpreter, self.soname, self.pie = None, None, False
        self.needed, self.symbols, self.static, self.offered, self.dynamic = [], [], [], [], False
        if not self.ours:
            return
        self._segments = self._table("IIQQQQQQ", *self._at("Q", 32) + self._at("HH", 54))
        try:
            self._sections = self._table("IIQQQQIIQQ", *self._at("Q", 40) + self._at("HH", 58))
        except struct.error:
            self._sections = []  # a program runs without its section table
        for kind, _, offset, _, _, size, _, _ in self._segments:
            if kind == PT_INTERP:
                self.interpreter = self._data[offset:offset + size].split(b"\0")[0].decode("utf-8", "surrogateescape")
            elif kind == PT_DYNAMIC and not self.dynamic:
                self.dynamic = True
                self._read_dynamic(offset, size)
        table = next((s for s in self._sections if s[1] == SHT_SYMTAB), None)
        if table is not None:
            self.static = self._symbols(table[4], table[5] // 24, self._sections[table[6]][4], None, {})

    def _table(self, layout, offset, entry, count):
        return [self._at(layout, offset + i * entry) for i in range(count)]

    def _offset(self, address):
        for kind, _, offset, start, _, size, _, _ in self._segments:
            if kind == PT_LOAD and start <= address < start + size:
                return offset + address - start
        raise ElfError("the file is damaged: its dynamic section points outside of it")

    def _text(self, offset):
        end = self._data.find(b"\0", offset)
        if end < 0:
            raise ElfError("the file is truncated or damaged: a name has no end")
        return self._data[offset:end].decode("utf-8", "surrogateescape")

    def _read_dynamic(self, offset, size):
        entries = []
        for i in range(size // 16):
            entries.append(self._at("QQ", offset + 16 * i))
            if entries[-1][0] == 0:
                break
        tags = dict(reversed(entries))
        self.pie = bool(tags.get(DT_FLAGS_1, 0) & DF_1_PIE)
        if DT_STRTAB not in tags:
            return
        names = self._offset(tags[DT_STRTAB])
        self.needed = [self._text(names + value) for tag, value in entries if tag == DT_NEEDED]
        self.soname = self._text(names + tags[DT_SONAME]) if DT_SONAME in tags else None
        versions = {}
        if DT_VERNEED in tags:
            versions.update(self._needed_versions(self._offset(tags[DT_VERNEED]), tags.get(DT_VERNEEDNUM, 0), names))
        if DT_VERDEF in tags:
            versions.update(self._defined_versions(self._offset(tags[DT_VERDEF]), tags.get(DT_VERDEFNUM, 0), names))
        # The versions that it offers; the first names the file itself.
        self.offered = [name for name, library in versions.values() if library is None]
        # How many symbols there are, the section table says; every linker writes it.
        count = next((s[5] // 24 for s in self._sections if s[1] == SHT_DYNSYM), 0)
        if DT_SYMTAB in tags and count:
            versym = self._offset(tags[DT_VERSYM]) if DT_VERSYM in tags else None
            self.symbols = self._symbols(self._offset(tags[DT_SYMTAB]), count, names, versym, versions)

    def _symbols(self, offset, count, names, versym, versions):
        found = []
        for i in range(1, count):
            name, info, _, section, _, _ = self._at("IBBHQQ", offset + 24 * i)
            index = self._at("H", versym + 2 * i)[0] if versym is not None else 0
            version, library = versions.get(index & 0x7FFF, (None, None))
            found.append(Symbol(self._text(names + name), section != 0, info >> 4 == STB_WEAK,
                                info & 15 == STT_OBJECT, version, library, not index & 0x8000))
        return found

    def _needed_versions(self, offset, count, names):
        for _ in range(min(count, MOST_VERSIONS)):
            _, number, file, first, following = self._at("HHIII", offset)
            library, at = self._text(names + file), offset + first
            for _ in range(number):
                _, _, index, name, further = self._at("IHHII", at)
                yield index & 0x7FFF, (self._text(names + name), library)
                at += further
            offset += following
            if not following:
                break

    def _defined_versions(self, offset, count, names):
        for _ in range(min(count, MOST_VERSIONS)):
            _, flags, index, _, _, first, following = self._at("HHHHIII", offset)
            if not flags & 1:  # the base definition names the file
                yield index & 0x7FFF, (self._text(names + self._at("I", offset + first)[0]), None)
            offset += following
            if not following:
                break
