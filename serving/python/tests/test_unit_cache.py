"""The folder in which the processes of a host share files of versions."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import zlib
from pathlib import Path
from typing import BinaryIO, Callable, Optional
from unittest import mock

from idlalayer import CacheCounts, VersionCache
from idlalayer import cache as cache_module
from idlalayer.manifest import ModelFile

_BLOCK = 1 << 18
_LARGE = 1 << 30


class _Origin:
    """A file at its store, which counts how often it is opened."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.stored = content
        self.opens = 0
        self.file = ModelFile("model.zip", len(content), hashlib.sha256(content).hexdigest())

    def __call__(self) -> BinaryIO:
        self.opens += 1
        return io.BytesIO(self.stored)


class _Clock:
    """A clock that moves in pauses only."""

    def __init__(self) -> None:
        self.millis = 1_000_000
        self.seconds = 0.0
        self.then: Optional[Callable[[], None]] = None

    def now_millis(self) -> int:
        return self.millis

    def monotonic(self) -> float:
        return self.seconds

    def pause(self, until: threading.Event, seconds: float) -> bool:
        self.seconds += seconds
        if self.then is not None:
            self.then()
        return until.is_set()


class CacheTest(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.parent = Path(held.name)
        self.folder = self.parent / f"idla-versions-{os.geteuid()}"
        self.clock = _Clock()
        self.file = _Origin(os.urandom(2 * _BLOCK + 5))

    def cache(self, most_bytes: int = _LARGE) -> VersionCache:
        return VersionCache(self.parent, most_bytes, self.clock)

    def read(self, cache: VersionCache, origin: _Origin) -> None:
        with cache.open(origin.file, origin) as stream:
            self.assertEqual(stream.read(), origin.stored)

    def path(self, origin: _Origin, kind: str = "copy") -> Path:
        return self.folder / f"{origin.file.sha256}-{origin.file.bytes}.{kind}"

    def names(self) -> list[str]:
        return sorted(each.name for each in self.folder.iterdir())

    def test_copy_has_the_bytes_of_the_format(self) -> None:
        hello = _Origin(b"hello")
        self.read(self.cache(), hello)
        name = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824-5.copy"
        self.assertEqual(self.names(), [name])
        self.assertEqual(
            (self.folder / name).read_bytes().hex(),
            "68656c6c6f" + "3610a686" + "69646c43" + "00000001" + "0000000000000005",
        )
        self.assertEqual((self.folder / name).stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.folder.stat().st_mode & 0o777, 0o700)

    def test_copy_of_several_blocks_has_a_checksum_for_each(self) -> None:
        self.read(self.cache(), self.file)
        content = self.file.content
        trailer = self.path(self.file).read_bytes()[len(content) :]
        expected = b"".join(
            zlib.crc32(content[at : at + _BLOCK]).to_bytes(4, "big")
            for at in range(0, len(content), _BLOCK)
        )
        self.assertEqual(trailer[:-16], expected)

    def test_further_caches_read_the_copy(self) -> None:
        first, second = self.cache(), self.cache()
        self.read(first, self.file)
        self.read(second, self.file)
        self.assertEqual(self.file.opens, 1)
        self.assertEqual(first.counts(), CacheCounts(0, 1))
        self.assertEqual(second.counts(), CacheCounts(1, 0))
        nothing = _Origin(b"")
        self.read(first, nothing)
        self.read(second, nothing)
        self.assertEqual(nothing.opens, 1)

    def test_damaged_copy_is_read_from_the_store(self) -> None:
        for at in (0, _BLOCK + 7, 2 * _BLOCK + 6, 2 * _BLOCK + 5 + 12, -1):
            with self.subTest(at=at):
                self.read(self.cache(), self.file)
                before = self.file.opens
                content = bytearray(self.path(self.file).read_bytes())
                content[at] ^= 1
                self.path(self.file).write_bytes(content)
                with self.assertLogs("idlalayer", "WARNING") as logs:
                    self.read(self.cache(), self.file)
                self.assertEqual(len(logs.output), 1)
                self.assertEqual(self.file.opens, before + 1)
        self.path(self.file).write_bytes(b"short")
        with self.assertLogs("idlalayer", "WARNING"):
            self.read(self.cache(), self.file)

    def test_copy_of_another_content_is_dropped_by_its_first_reader(self) -> None:
        for count in (1, _BLOCK, 2 * _BLOCK + 5):
            with self.subTest(count):
                file, other = _Origin(bytes(count)), _Origin(b"x" * count)
                self.read(self.cache(), file)
                self.read(self.cache(), other)
                os.replace(self.path(other), self.path(file))
                cache = self.cache()
                with cache.open(file.file, file) as stream, self.assertLogs("idlalayer"):
                    self.assertEqual(stream.read(), other.content)
                self.assertFalse(self.path(file).exists())
                self.read(cache, file)
                self.assertEqual(file.opens, 2)
                self.read(self.cache(), file)
                self.assertEqual(file.opens, 2)

    def test_part_does_not_stay_where_there_are_no_locks(self) -> None:
        no_locks = OSError(errno.ENOLCK, "No locks available")
        with mock.patch.object(cache_module.fcntl, "lockf", side_effect=no_locks):
            with self.assertLogs("idlalayer"):
                self.read(self.cache(), self.file)
        self.assertEqual(self.names(), [])

    def test_damaged_store_makes_no_copy(self) -> None:
        self.file.stored = b"x" + self.file.content[1:]
        self.read(self.cache(), self.file)
        self.file.stored = self.file.content[:-1]
        self.read(self.cache(), self.file)
        self.file.stored = self.file.content + b"x"
        self.read(self.cache(), self.file)
        self.assertEqual(self.names(), [])

    def test_store_that_fails_leaves_nothing(self) -> None:
        def failing() -> BinaryIO:
            class Stream(io.BytesIO):
                def read(self, most: Optional[int] = -1) -> bytes:
                    raise OSError("the connection was reset")

            return Stream()

        with self.assertRaisesRegex(OSError, "was reset"):
            self.cache().open(self.file.file, failing)
        self.assertEqual(self.names(), [])

    def test_least_recently_used_copies_make_room(self) -> None:
        files = [_Origin(bytes([i]) * 1_000) for i in range(4)]
        cache = self.cache(3 * (1_000 + 4 + 16))
        for each in files[:3] + files[:1]:
            self.clock.millis += 1_000
            self.read(cache, each)
        (self.folder / "notes.txt").write_text("not the cache's")
        self.clock.millis += 1_000
        self.read(cache, files[3])
        there = [self.path(each).exists() for each in files]
        self.assertEqual(there, [True, False, True, True])
        self.assertTrue((self.folder / "notes.txt").exists())
        self.read(cache, self.file)
        self.assertFalse(self.path(self.file).exists())

    def test_missing_file_deletes_no_old_copy(self) -> None:
        old = _Origin(os.urandom(self.file.file.bytes))
        cache = self.cache(self.file.file.bytes + 3 * 4 + 16)
        self.read(cache, old)

        def missing() -> BinaryIO:
            raise FileNotFoundError("model.zip")

        with self.assertRaises(FileNotFoundError):
            cache.open(self.file.file, missing)
        self.assertEqual(self.names(), [self.path(old).name])
        self.read(cache, self.file)
        self.assertEqual(self.names(), [self.path(self.file).name])

    def test_copies_used_in_the_future_count_as_oldest(self) -> None:
        files = [_Origin(bytes([i]) * 1_000) for i in range(4)]
        cache = self.cache(3 * (1_000 + 4 + 16))
        for each in files[:3]:
            self.read(cache, each)
            self.clock.millis += 1_000
        now = self.clock.millis // 1_000
        os.utime(self.path(files[1]), (now + 61, now + 61))
        os.utime(self.path(files[2]), (now + 59, now + 59))
        self.read(cache, files[3])
        there = [self.path(each).exists() for each in files]
        self.assertEqual(there, [True, False, True, True])

    def test_copy_that_cannot_be_read_is_not_deleted(self) -> None:
        self.read(self.cache(), self.file)
        with self.cache().open(self.file.file, self.file) as stream:
            begin = stream.read(10)
            with mock.patch("idlalayer.cache.os.pread", side_effect=OSError(5, "I/O error")):
                with self.assertLogs("idlalayer", "WARNING") as logs:
                    rest = stream.read()
        self.assertEqual(begin + rest, self.file.content)
        self.assertIn("cannot be read", logs.output[0])
        self.assertEqual(self.names(), [self.path(self.file).name])

    def test_child_of_a_fork_forgets_what_its_parent_holds(self) -> None:
        self.read(self.cache(), _Origin(b"makes the folder"))
        part = cache_module._Part.take(str(self.folder), self.file.file)
        assert part is not None
        closed, close = os.pipe()
        with cache_module._held_lock:
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    signal.alarm(20)
                    os.read(closed, 1)
                    taken = cache_module._Part.take(str(self.folder), self.file.file)
                    status = 0 if taken is not None else 2
                finally:
                    os._exit(status)
        part.close()
        os.write(close, b"x")
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        os.close(closed)
        os.close(close)

    def test_part_of_a_dead_process_is_taken_over(self) -> None:
        self.read(self.cache(), _Origin(b"makes the folder"))
        other = _Origin(b"other")
        for each in (self.file, other):
            self.path(each, "part").write_bytes(b"left")
            self.path(each, "part").chmod(0o600)
        self.read(self.cache(), self.file)
        self.assertFalse(self.path(other, "part").exists())
        self.assertTrue(self.path(self.file).exists())

    def test_part_of_a_living_process_is_waited_for(self) -> None:
        self.read(self.cache(), _Origin(b"makes the folder"))
        path = self.path(self.file, "part")
        code = (
            "import fcntl, os, sys\n"
            "f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)\n"
            "fcntl.lockf(f, fcntl.LOCK_EX)\n"
            "print('locked', flush=True)\n"
            "sys.stdin.read()\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as holder:
            assert holder.stdout is not None
            self.assertEqual(holder.stdout.readline(), b"locked\n")
            with self.assertLogs("idlalayer", "WARNING") as logs:
                self.read(self.cache(), self.file)
            self.assertIn("takes too long", logs.output[0])
            self.assertGreaterEqual(self.clock.seconds, 10)
            self.assertTrue(path.exists())
            for step, least, most in ((1, 10, 11), (1 << 20, 600, 601)):
                self.clock.seconds = 0
                self.clock.then = lambda: os.truncate(path, os.stat(path).st_size + step)
                self.read(self.cache(), self.file)
                self.assertGreaterEqual(self.clock.seconds, least)
                self.assertLess(self.clock.seconds, most)
                os.truncate(path, 0)
            self.clock.then = holder.kill
            self.read(self.cache(), self.file)
            holder.wait()
        self.assertFalse(path.exists())
        self.assertTrue(self.path(self.file).exists())

    def test_threads_read_the_store_once(self) -> None:
        caches = [VersionCache(self.parent) for _ in range(3)]
        failures: list[BaseException] = []

        def run(cache: VersionCache) -> None:
            try:
                self.read(cache, self.file)
            except BaseException as failed:
                failures.append(failed)

        threads = [threading.Thread(target=run, args=(caches[i % 3],)) for i in range(6)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(failures, [])
        self.assertEqual(self.file.opens, 1)

    def test_unusable_folder_is_left_alone(self) -> None:
        note = self.parent / "note"
        note.write_text("a file")
        open_to_all = self.parent / "open"
        open_to_all.mkdir()
        open_to_all.chmod(0o777)
        for folder in (note, note / "below", open_to_all):
            with self.subTest(folder=folder.name):
                cache = VersionCache(folder)
                before = self.file.opens
                with self.assertLogs("idlalayer", "WARNING") as logs:
                    self.read(cache, self.file)
                    self.read(cache, self.file)
                self.assertEqual(len(logs.output), 1)
                self.assertEqual(self.file.opens, before + 2)
        self.assertEqual(list(open_to_all.iterdir()), [])

    def test_closed_cache_does_not_wait(self) -> None:
        self.read(self.cache(), _Origin(b"makes the folder"))
        cache = self.cache()
        cache.close()
        from idlalayer.cache import _Part

        part = _Part.take(str(self.folder), self.file.file)
        assert part is not None
        self.read(cache, self.file)
        part.close()
        self.assertLess(self.clock.seconds, 1)


if __name__ == "__main__":
    unittest.main()
