#!/usr/bin/env python3
# Tests of tools/machines.py and test/virtual.py: the archive for the kernel, the command that boots, what is made of
# the guest's words, and the table of machines. No emulator is needed.
# limit: 60
import io
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "..", "tools")]
import harness  # noqa: E402
import machines  # noqa: E402
import virtual  # noqa: E402


class Guest:
    """Stands for qemu: its standard output is a pipe that has the words already."""

    def __init__(self, words):
        read, write = os.pipe()
        with os.fdopen(write, "wb") as f:
            f.write(words.encode())
        self.stdout = os.fdopen(read, "rb")


def heard(words, *names):
    """(what each run did, why not all ran) of a guest that says `words`."""
    done = []
    runs = [machines.Run(name, "", 10) for name in names]
    guest = Guest(words)
    why = machines.listen(guest, runs, lambda run, ended: done.append((run.name, ended)), None)
    guest.stdout.close()
    return done, why


class Machines(unittest.TestCase):
    def test_archive(self):
        """Each part of the archive begins at a multiple of four bytes, folders come before what is in them."""
        image = machines.Image.__new__(machines.Image)
        image.files, image.arch = {}, machines.ARCHITECTURES["x86_64"]
        image.text("/a/b/file", "text\n")
        image.link("/a/link", "b/file")
        out = io.BytesIO()
        image.write(out)
        data, at, names = out.getvalue(), 0, []
        while at < len(data):
            self.assertEqual(b"070701", data[at : at + 6])
            size, length = (int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in (6, 11))
            names.append(data[at + 110 : at + 110 + length - 1].decode())
            content = at + (110 + length + 3) // 4 * 4
            if names[-1] == "a/b/file":
                self.assertEqual(b"text\n", data[content : content + size])
            at = content + (size + 3) // 4 * 4
        self.assertEqual(["a", "a/b", "a/b/file", "a/link", "dev/console", "dev/null", "TRAILER!!!"], names)

    def test_command(self):
        made = machines.Machine(smp="8,sockets=2,cores=2,threads=2", nodes=2, append="isolcpus=1", memory=1000)
        words = made.command("archive")
        self.assertIn("8,sockets=2,cores=2,threads=2", words)
        self.assertIn("node,nodeid=1,cpus=4-7,memdev=m1", words)
        self.assertIn("memory-backend-ram,id=m0,size=500M", words)
        self.assertTrue(words[-1].endswith("isolcpus=1"))
        self.assertNotIn("-numa", machines.Machine().command("archive"))
        self.assertIn("tcg,thread=multi", words)
        self.assertIn("tcg,thread=single", machines.Machine(turns=True).command("archive"))
        self.assertEqual(["1", "3", "4", "5"], machines.expand("1,3-5"))
        self.assertEqual([], machines.expand(""))

    def test_words_of_a_guest(self):
        done, why = heard(
            "firmware\r\n@@ begin 0\r\n<o one\r\n<o two.\r\n<e .\r\n@@ end 0 3 in-time\r\n"
            "@@ begin 1\r\n[ 12.3] the kernel says something\r\n<o .\r\n<e error\r\n<e .\r\n<s where\r\n"
            "@@ end 1 137 late\r\n@@ all\r\n",
            "first",
            "second",
        )
        self.assertIsNone(why)
        (name, first), (_, second) = done
        self.assertEqual(("first", 3, False, "one\ntwo", ""), (name, first.rc, first.timed_out, first.out, first.err))
        self.assertEqual((-9, True, "", "error\n", "where\n"), (
            second.rc, second.timed_out, second.out, second.err, second.stood))

    def test_a_machine_that_ends(self):
        said = "@@ begin 0\n<o .\n<e .\n@@ end 0 0 in-time\n@@ begin 1\nKernel panic\n"
        done, why = heard(said, "one", "two", "three")
        self.assertEqual(1, len(done))
        self.assertIn("in two, 1 of 3 were run: Kernel panic", why)
        _, why = heard("no kernel\n", "one")
        self.assertIn("before its first program, 0 of 1 were run: no kernel", why)

    def test_scripts(self):
        test = virtual.Test("t", 1, None, None, {"A": "b c"}, "-v 100; -s 10")
        self.assertEqual("cd /tmp\nulimit -v 100\nulimit -s 10\nexec env -i 'A=b c' /p x", test.script(["/p", "x"]))

    def test_table(self):
        """Each machine has tests, CPUs of its own number, and a description that qemu takes."""
        runner = virtual.Runner(None, None, None, None)
        for spec in virtual.MACHINES:
            names = [test.name for test in virtual.all_tests(spec, runner)]
            self.assertEqual(len(set(names)), len(names), spec.name)
            chosen = [name for name in names if spec.selects(name)]
            for part in ("machines/cpus", "machines/places", "machines/bind", "machines/teams"):
                self.assertTrue(any(name.startswith(part) for name in chosen), (spec.name, part))
            for group in ("unit", "conformance"):
                self.assertTrue(any(name.startswith(group) for name in chosen), (spec.name, group))
            sizes = dict(re.findall(r"(\w+)=(\d+)", spec.machine.smp))
            product = int(sizes.get("sockets", 1)) * int(sizes.get("cores", 1)) * int(sizes.get("threads", 1))
            self.assertIn(product, (1, int(sizes.get("sockets", 1)), spec.machine.cpus), spec.name)
            self.assertLessEqual(max(map(int, machines.expand(spec.cpus))), spec.machine.cpus - 1)
            self.assertEqual(0, spec.machine.cpus % spec.machine.nodes)

    def test_excuses(self):
        """Each line of the table has a reason and fits a test."""
        runner = virtual.Runner(None, None, None, None)
        excuses = virtual.read_excuses()
        for name, machine, reason in excuses:
            self.assertTrue(reason)
            self.assertTrue(
                any(
                    machine.fullmatch(spec.name) and name.fullmatch(test.name.split(" [")[0])
                    for spec in virtual.MACHINES
                    for test in virtual.all_tests(spec, runner)
                ),
                (name.pattern, machine.pattern),
            )
        spec = virtual.MACHINES[0]
        table = [(re.compile("unit/a"), re.compile("4"), "why")]
        self.assertEqual("why", virtual.excuse(table, "unit/a [posix]", spec))
        self.assertIsNone(virtual.excuse(table, "unit/ab", spec))
        self.assertEqual(harness.ROOT, machines.ROOT)


if __name__ == "__main__":
    unittest.main()
