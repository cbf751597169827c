"""The shared objects of this process, and where their calls of OpenMP lead: read from memory, not from files.

The loader writes the address of each function that an object calls into a table of that object. These addresses say
which runtime serves it, whatever names and search paths had suggested. A call that the loader binds late leads back
into the object until it is made for the first time; it is looked up then as the loader would: in what the whole
process sees, then in the object's own libraries. Used by report.py.
"""

import collections
import ctypes
import os
import struct
import sys

PREFIXES = (b"GOMP_", b"omp_", b"__kmpc_", b"kmp_")
PT_LOAD, PT_DYNAMIC = 1, 2
DT_PLTRELSZ, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_JMPREL = 2, 5, 6, 7, 8, 23
SHNDX_UNDEFINED = 0
# Relocations that hold the address of a symbol, on x86-64 and on AArch64.
ADDRESSES = frozenset((1, 6, 7, 257, 1025, 1026))

Header = collections.namedtuple("Header", "kind flags offset address physical size memory align")


class _Info(ctypes.Structure):
    _fields_ = [("base", ctypes.c_size_t), ("name", ctypes.c_char_p), ("headers", ctypes.c_void_p),
                ("count", ctypes.c_uint16)]


class Object:
    """path; ranges: its (start, end) in memory."""

    def __init__(self, path, base, headers):
        self.path, self._base = path, base
        self.ranges = [(base + h.address, base + h.address + h.memory) for h in headers if h.kind == PT_LOAD]
        self._dynamic = next((base + h.address for h in headers if h.kind == PT_DYNAMIC), None)
        self._tags = None

    def __contains__(self, address):
        return any(start <= address < end for start, end in self.ranges)

    def _tag(self, tag):
        if self._tags is None:
            self._tags, at = {}, self._dynamic
            while at:
                name, value = struct.unpack("<qQ", ctypes.string_at(at, 16))
                if name == 0:
                    break
                self._tags.setdefault(name, value)
                at += 16
        return self._tags.get(tag)

    def _address(self, tag):
        value = self._tag(tag)
        # The loader has made addresses of most of these; what it left is relative to the base.
        return None if value is None else value if value in self else value + self._base

    def _symbol(self, index):
        name, _, _, section = struct.unpack("<IBBH", ctypes.string_at(self._address(DT_SYMTAB) + 24 * index, 8))
        return ctypes.string_at(self._address(DT_STRTAB) + name), section != SHNDX_UNDEFINED

    def calls(self):
        """{name of OpenMP: the address in its table}, of what the object refers to."""
        found = {}
        for table, size in ((DT_JMPREL, DT_PLTRELSZ), (DT_RELA, DT_RELASZ)):
            start, length = self._address(table), self._tag(size)
            if not start or not length or self._address(DT_SYMTAB) is None:
                continue
            for slot, info, _ in struct.iter_unpack("<QQq", ctypes.string_at(start, length)):
                if info >> 32 and info & 0xFFFFFFFF in ADDRESSES:
                    name, _ = self._symbol(info >> 32)
                    if name.startswith(PREFIXES):
                        found[name.decode()] = struct.unpack("<Q", ctypes.string_at(self._base + slot, 8))[0]
        return found


def objects():
    """The objects in the loader's order; the program comes first."""
    found = []
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Info), ctypes.c_size_t, ctypes.c_void_p)

    def add(info, _size, _data):
        one = info.contents
        text = ctypes.string_at(one.headers, 56 * one.count)
        path = os.fsdecode(one.name or b"") or sys.executable
        path = os.path.realpath(path) if "/../" in path else path
        found.append(Object(path, one.base, [Header(*h) for h in struct.iter_unpack("<IIQQQQQQ", text)]))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(kind(add), None)
    return [o for o in found if not o.path.startswith("linux-vdso")]


class _Loader:
    """The loader's own look-ups, by handles that load nothing."""

    def __init__(self):
        self._process = ctypes.CDLL(None)
        for name, result in (("dlopen", ctypes.c_void_p), ("dlsym", ctypes.c_void_p), ("dlclose", ctypes.c_int)):
            getattr(self._process, name).restype = result
        self._process.dlopen.argtypes = [ctypes.c_char_p, ctypes.c_int]
        self._process.dlsym.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        self._process.dlclose.argtypes = [ctypes.c_void_p]

    def find(self, name, path):
        """The address that the object at `path` would get for the name; path None: what the whole process sees."""
        found = self._process.dlsym(None, name.encode())
        if found or path is None:
            return found
        return self.inside(name, path)

    def inside(self, name, path):
        """The same in the object and the libraries that it needs."""
        handle = self._process.dlopen(os.fsencode(path), os.RTLD_LAZY | os.RTLD_NOLOAD)
        if not handle:
            return None
        try:
            return self._process.dlsym(handle, name.encode())
        finally:
            self._process.dlclose(handle)


loader = _Loader()


def holder(address, everything):
    """The object that has the address, or None."""
    return next((o for o in everything if address and address in o), None)


def served(one, everything):
    """The objects that the calls of an object lead to, without those that it defines itself unless it has no other;
    empty where it does not call OpenMP."""
    found = []
    for name, address in one.calls().items():
        target = holder(address, everything)
        # In the object itself it is its own function, or the place that waits for the first call.
        if target is None or (target is one and address != loader.inside(name, one.path)):
            target = holder(loader.find(name, one.path), everything)
        if target is not None and target not in found:
            found.append(target)
    return [t for t in found if t is not one] or found
