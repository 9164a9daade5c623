"""A read-through cache of the files of versions, in a folder that the processes of a host share.

The first process that needs a file reads it from the store and writes a copy; the others wait for
the copy and read it. Folder, format and locks are those of the Java library, so that processes in
both languages share the files. A cache never makes a read fail: if the folder cannot be used, the
store is read instead, and the log says so once.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import re
import stat
import struct
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Optional, Union

from .clock import Clock, SystemClock
from .manifest import ModelFile

try:
    import fcntl
except ImportError:  # pragma: no cover - there is no such module on Windows
    fcntl = None  # type: ignore[assignment]

_LOG = logging.getLogger("idlalayer")

#: The usual bound of the cached files together.
USUAL_BYTES = 4 << 30
_FORMAT_VERSION = 1
_BLOCK_BYTES = 1 << 18
_FOOTER = struct.Struct(">4siq")
_CHECKSUM = struct.Struct(">I")
_MAGIC = b"idlC"
_LARGEST_BYTES = 1 << 40
_MOST_COPIES = 4096
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[0-9a-f]{64}-(0|[1-9][0-9]{0,12})(\.copy|\.part)")
_LOOK_SECONDS = 0.02
#: A copy that another process writes has to grow by this much in this time.
_STALL_SECONDS = 10.0
_PROGRESS_BYTES = 10 << 20
_WAIT_SECONDS = 600.0
#: What clocks of processes, and times of files, may differ from this process's clock.
_CLOCK_TOLERANCE_SECONDS = 60.0

#: Parts that this process has open. They must not be opened a second time: POSIX drops all locks
#: of a process on a file when any of its descriptors is closed.
_held: set[str] = set()
_held_lock = threading.Lock()


def _forget_held() -> None:
    """Forgets the parts of the parent process: a child of a fork has none of its locks."""
    global _held, _held_lock
    _held = set()
    _held_lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_held)


@dataclass(frozen=True)
class CacheCounts:
    """What a cache has done so far.

    hits: files that were read from the folder.
    misses: files that this process has read from their store.
    """

    hits: int
    misses: int


class _UnusableError(Exception):
    """The folder cannot be used; the message says why."""


class _DamagedError(Exception):
    """A copy differs from what was written."""


def _blocks(count: int) -> int:
    return (count + _BLOCK_BYTES - 1) // _BLOCK_BYTES


def _file_bytes(count: int) -> int:
    """The length of the copy of a content of `count` bytes."""
    return count + _blocks(count) * _CHECKSUM.size + _FOOTER.size


class VersionCache:
    """A folder of copies that several subscribers and threads may use.

    folder: on a local disk or in memory; a folder of this user is made in it.
    most_bytes: most bytes of all copies; those that were used least recently are deleted.
    clock: a clock for tests.
    """

    def __init__(
        self,
        folder: Union[str, os.PathLike[str]],
        most_bytes: int = USUAL_BYTES,
        clock: Optional[Clock] = None,
    ) -> None:
        if most_bytes < 1:
            raise ValueError(f"most_bytes must be above 0, not {most_bytes}")
        self._parent = os.path.abspath(os.fspath(folder))
        self._most_bytes = most_bytes
        self._clock = clock or SystemClock()
        self._stop = threading.Event()
        # Guards the counts, and what was logged.
        self._lock = threading.Lock()
        self._hits = 0
        self._misses = 0
        self._told: set[str] = set()

    def counts(self) -> CacheCounts:
        """What the cache has done so far."""
        with self._lock:
            return CacheCounts(self._hits, self._misses)

    def close(self) -> None:
        """Ends the waiting for other processes; files are read from the store then."""
        self._stop.set()

    def open(self, file: ModelFile, origin: Callable[[], BinaryIO]) -> BinaryIO:
        """Opens a file of a version: its copy, or the file at its store.

        origin: opens the file at its store. Its errors are passed on.
        """
        if not (_DIGEST.fullmatch(file.sha256) and 0 <= file.bytes <= _LARGEST_BYTES):
            return self._uncached(origin)
        begun = grown = self._clock.monotonic()
        seen = 0
        filled = False
        while True:
            try:
                folder = self._folder()
                copy = self._copy(folder, file, origin, count=not filled)
                if copy is not None:
                    return copy
                taken = None if filled else self._take(folder, file)
            except (OSError, _UnusableError) as unusable:
                self._tell("folder", f"the cache in {self._parent} cannot be used: {unusable}")
                return self._uncached(origin)
            if filled:
                return self._uncached(origin)
            if taken is not None:
                part, old = taken
                if not part.fill(self, origin, old):
                    return self._uncached(origin)
                filled = True
                continue
            now, length = self._clock.monotonic(), _length(os.path.join(folder, _part(file)))
            if length < seen or length - seen >= _PROGRESS_BYTES:
                seen, grown = length, now
            if now - begun >= _WAIT_SECONDS or now - grown >= _STALL_SECONDS:
                self._tell("wait", f"another process takes too long to write {_copy(file)}")
                return self._uncached(origin)
            if self._clock.pause(self._stop, _LOOK_SECONDS):
                return self._uncached(origin)

    def _uncached(self, origin: Callable[[], BinaryIO]) -> BinaryIO:
        stream = origin()
        self.count_miss()
        return stream

    def count_miss(self) -> None:
        with self._lock:
            self._misses += 1

    def _tell(self, trouble: str, what: str) -> None:
        """Logs why the folder is not used, once until it can be used again."""
        with self._lock:
            if trouble in self._told:
                return
            self._told.add(trouble)
        _LOG.warning("%s; files of versions are read from their source instead", what)

    def damaged(self, path: str, why: str) -> None:
        _LOG.warning(
            "the cached file %s is damaged: %s; it was deleted and is read from its source again",
            os.path.basename(path),
            why,
        )

    def failed(self, what: str) -> None:
        """Tells that a copy could not be written or read."""
        self._tell("file", what)

    def added(self, folder: str, name: str) -> None:
        """Tells that a copy was completed: deletes old ones that are beyond the bound now."""
        with self._lock:
            self._told.clear()
        copies = [entry for entry in _entries(folder) if entry.copy]
        bytes_over = sum(entry.bytes for entry in copies) - self._most_bytes
        count_over = len(copies) - _MOST_COPIES
        others = [entry for entry in copies if entry.name != name]
        _delete(_oldest(others, bytes_over, count_over, self._clock.now_millis() / 1000))

    def _folder(self) -> str:
        """The folder of this user, which is made if there is none."""
        if fcntl is None:
            raise _UnusableError("it needs a system with POSIX permissions and locks")
        if not os.path.isdir(self._parent):
            os.makedirs(self._parent, 0o700)
        mode = os.stat(self._parent).st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise _UnusableError("it may be written by every user and has no sticky bit")
        folder = os.path.join(os.path.realpath(self._parent), f"idla-versions-{os.geteuid()}")
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass
        _require_owned(folder, stat.S_ISDIR)
        return folder

    def _copy(
        self, folder: str, file: ModelFile, origin: Callable[[], BinaryIO], *, count: bool
    ) -> Optional[BinaryIO]:
        """The complete copy of a file; None if there is none."""
        path = os.path.join(folder, _copy(file))
        try:
            _require_owned(path, stat.S_ISREG)
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            stream = _CopyStream(self, path, descriptor, file, origin)
        except _DamagedError as damaged:
            _unlink_same(path, descriptor)
            os.close(descriptor)
            self.damaged(path, str(damaged))
            return None
        except BaseException:
            os.close(descriptor)
            raise
        seconds = self._clock.now_millis() / 1000
        try:
            os.utime(path, (seconds, seconds))
        except OSError:
            _LOG.debug("the last use of %s is not noted", path)
        if count:
            with self._lock:
                self._hits += 1
        return io.BufferedReader(stream, _BLOCK_BYTES)

    def _take(self, folder: str, file: ModelFile) -> Optional[tuple[_Part, list[_Entry]]]:
        """The part of a file, and the copies to delete for it; None if another process has it."""
        part = _Part.take(folder, file)
        if part is None:
            return None
        try:
            if os.path.lexists(os.path.join(folder, _copy(file))):
                # The process that had the part has just completed it.
                part.close()
                return None
            return part, self._old_for(folder, file)
        except BaseException:
            part.close()
            raise

    def _old_for(self, folder: str, file: ModelFile) -> list[_Entry]:
        """The copies to delete for a new one; deletes what processes that died have left."""
        parts = 0
        copies = []
        for entry in _entries(folder):
            if entry.copy:
                copies.append(entry)
            elif entry.name != _part(file) and not _abandoned(folder, entry.name):
                parts += entry.bytes
        needed = _file_bytes(file.bytes)
        held = sum(entry.bytes for entry in copies)
        disk = os.statvfs(folder)
        usable = disk.f_bavail * disk.f_frsize
        room = min(self._most_bytes - parts, usable + held)
        if needed > room:
            raise _UnusableError(
                f"it has no room for a file of {needed} bytes: it may have {self._most_bytes},"
                f" and {usable} bytes are free in the file system"
            )
        count_over = len(copies) + 1 - _MOST_COPIES
        now = self._clock.now_millis() / 1000
        return _oldest(copies, held + needed - room, count_over, now)


def _copy(file: ModelFile) -> str:
    return f"{file.sha256}-{file.bytes}.copy"


def _part(file: ModelFile) -> str:
    return f"{file.sha256}-{file.bytes}.part"


def _length(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _require_owned(path: str, kind: Callable[[int], bool]) -> None:
    """Refuses what is of another kind, is a link, or can be written by another user."""
    found = os.lstat(path)
    if not kind(found.st_mode):
        raise _UnusableError(f"{path} is a link, or of another kind")
    if found.st_uid != os.geteuid():
        raise _UnusableError(f"{path} belongs to user {found.st_uid}")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _UnusableError(f"{path} may be written by other users")


def _same(path: str, descriptor: int) -> bool:
    """Whether a path still leads to an open file, and not to one that has replaced it."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    opened = os.fstat(descriptor)
    return (found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino)


def _unlink_same(path: str, descriptor: int) -> None:
    if _same(path, descriptor):
        os.unlink(path)


@dataclass(frozen=True)
class _Entry:
    path: str
    name: str
    copy: bool
    bytes: int
    used: float


def _entries(folder: str) -> list[_Entry]:
    """The files of the cache; files of other names are not the cache's."""
    entries = []
    with os.scandir(folder) as all_entries:
        for each in all_entries:
            matched = _NAME.fullmatch(each.name)
            try:
                if matched is None or not each.is_file(follow_symlinks=False):
                    continue
                found = each.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            copy = matched.group(2) == ".copy"
            entries.append(_Entry(each.path, each.name, copy, found.st_size, found.st_mtime))
    return entries


def _oldest(
    copies: list[_Entry], bytes_over: int, count_over: int, now: float
) -> list[_Entry]:
    """The least recently used copies, as many as are to be deleted.

    A last use in the future is one of a time when the clock was ahead, and counts as the oldest.
    """
    latest = now + _CLOCK_TOLERANCE_SECONDS
    oldest = []
    for entry in sorted(copies, key=lambda it: (it.used <= latest, it.used, it.name)):
        if bytes_over <= 0 and count_over <= 0:
            break
        oldest.append(entry)
        bytes_over -= entry.bytes
        count_over -= 1
    return oldest


def _delete(entries: list[_Entry]) -> None:
    for entry in entries:
        try:
            os.unlink(entry.path)
        except FileNotFoundError:
            pass


def _abandoned(folder: str, name: str) -> bool:
    """Whether the process that wrote a part has died; its part is deleted then."""
    digest, _, rest = name.partition("-")
    part = _Part.take(folder, ModelFile("", int(rest.partition(".")[0]), digest))
    if part is None:
        return False
    part.close()
    return True


class _Part:
    """A copy that is being written. Its process has it locked; a lock ends with its process."""

    def __init__(self, folder: str, file: ModelFile, descriptor: int) -> None:
        self._folder = folder
        self._file = file
        self._path = os.path.join(folder, _part(file))
        self._descriptor = descriptor
        self._published = False

    @staticmethod
    def take(folder: str, file: ModelFile) -> Optional[_Part]:
        """Takes the part of a file and empties it; None if another process has it."""
        path = os.path.join(folder, _part(file))
        with _held_lock:
            if path in _held:
                return None
            _held.add(path)
        part = None
        descriptor = -1
        try:
            descriptor = os.open(
                path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
            _require_owned(path, stat.S_ISREG)
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                return None
            except OSError:
                # There are no locks here, so no process writes this file.
                _unlink_same(path, descriptor)
                raise
            # A process that deletes parts of dead processes may have had the lock.
            if _same(path, descriptor):
                os.ftruncate(descriptor, 0)
                part = _Part(folder, file, descriptor)
            return part
        except FileNotFoundError:
            return None
        finally:
            if part is None:
                if descriptor >= 0:
                    os.close(descriptor)
                with _held_lock:
                    _held.discard(path)

    def fill(
        self, cache: VersionCache, origin: Callable[[], BinaryIO], old: list[_Entry]
    ) -> bool:
        """Reads the file from its store; returns whether the copy is complete.

        old: copies to delete once the file could be opened.
        Errors of the store are passed on. What differs from the manifest is no copy; the reader
        reads it again from the store and says what is wrong with it.
        """
        try:
            with origin() as source:
                try:
                    _delete(old)
                except OSError as stays:
                    cache.failed(f"old copies cannot be deleted: {stays}")
                    return False
                cache.count_miss()
                checksums = self._write(cache, source)
            if checksums is None:
                return False
            try:
                footer = _FOOTER.pack(_MAGIC, _FORMAT_VERSION, self._file.bytes)
                _write_all(self._descriptor, checksums + footer)
                os.replace(self._path, os.path.join(self._folder, _copy(self._file)))
                self._published = True
                cache.added(self._folder, _copy(self._file))
            except (OSError, _UnusableError) as full:
                cache.failed(f"{self._path} cannot be written: {full}")
            return self._published
        finally:
            self.close()

    def _write(self, cache: VersionCache, source: BinaryIO) -> Optional[bytes]:
        """Writes the content; returns the checksums of its blocks, None if it is no copy."""
        digest = hashlib.sha256()
        checksums = bytearray()
        left = self._file.bytes
        while left > 0:
            block = _block(source, min(left, _BLOCK_BYTES))
            left -= len(block)
            if not block or (left > 0 and len(block) < _BLOCK_BYTES):
                return None
            digest.update(block)
            checksums += _CHECKSUM.pack(zlib.crc32(block))
            try:
                _write_all(self._descriptor, block)
            except OSError as full:
                cache.failed(f"{self._path} cannot be written: {full}")
                return None
        if source.read(1) or digest.hexdigest() != self._file.sha256:
            return None
        return bytes(checksums)

    def close(self) -> None:
        """Deletes the part, unless it became a copy, and ends its lock."""
        try:
            if not self._published:
                _unlink_same(self._path, self._descriptor)
        except OSError as stays:
            _LOG.debug("%s stays: %s", self._path, stays)
        finally:
            os.close(self._descriptor)
            with _held_lock:
                _held.discard(self._path)


def _block(source: BinaryIO, most: int) -> bytes:
    """The next bytes of a stream: `most`, or fewer at its end."""
    parts: list[bytes] = []
    left = most
    while left > 0:
        part = source.read(left)
        if not part:
            break
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


class _CopyStream(io.RawIOBase):
    """The content of a copy, each block of which is compared with its checksum before it is used.

    From a damaged block on, the file is read from its store. A copy of another content with right
    checksums is deleted at its end: its reader compares the SHA-256 itself, and the next one needs
    the store. For one thread.
    """

    def __init__(
        self,
        cache: VersionCache,
        path: str,
        descriptor: int,
        file: ModelFile,
        origin: Callable[[], BinaryIO],
    ) -> None:
        super().__init__()
        self._cache = cache
        self._path = path
        # The caller closes the file if it is damaged.
        self._descriptor = -1
        self._bytes = file.bytes
        self._origin = origin
        self._at = 0
        self._block = b""
        self._sha256 = file.sha256
        self._digest = hashlib.sha256()
        self._rest: Optional[BinaryIO] = None
        size = os.fstat(descriptor).st_size
        if size != _file_bytes(file.bytes):
            raise _DamagedError(f"it has {size} bytes instead of {_file_bytes(file.bytes)}")
        self._checksums = os.pread(descriptor, size - file.bytes, file.bytes)
        expected = _FOOTER.pack(_MAGIC, _FORMAT_VERSION, file.bytes)
        if self._checksums[-_FOOTER.size :] != expected:
            raise _DamagedError("it has no footer of this format")
        self._descriptor = descriptor

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        if self._rest is None and self._at < self._bytes and self._at % _BLOCK_BYTES == 0:
            try:
                self._block = self._load(self._at)
                self._compare()
            except _DamagedError as damaged:
                self._delete_damaged(str(damaged))
                self._go_on_from_store()
            except OSError as unreadable:
                self._cache.failed(f"{self._path} cannot be read: {unreadable}")
                self._go_on_from_store()
        if self._rest is not None:
            content = self._rest.read(len(into))
        else:
            begin = self._at % _BLOCK_BYTES
            content = self._block[begin : begin + len(into)] if self._at < self._bytes else b""
        into[: len(content)] = content
        self._at += len(content)
        return len(content)

    def _load(self, at: int) -> bytes:
        block = os.pread(self._descriptor, min(_BLOCK_BYTES, self._bytes - at), at)
        number = at // _BLOCK_BYTES
        (expected,) = _CHECKSUM.unpack_from(self._checksums, number * _CHECKSUM.size)
        if zlib.crc32(block) != expected:
            raise _DamagedError(f"the block from byte {at} on does not have its checksum")
        return block

    def _compare(self) -> None:
        self._digest.update(self._block)
        last = self._at + len(self._block) == self._bytes
        if last and self._digest.hexdigest() != self._sha256:
            self._delete_damaged("its content does not have the SHA-256 of its name")

    def _delete_damaged(self, why: str) -> None:
        try:
            _unlink_same(self._path, self._descriptor)
        except OSError as stays:
            _LOG.debug("%s stays: %s", self._path, stays)
        self._cache.damaged(self._path, why)

    def _go_on_from_store(self) -> None:
        rest = self._origin()
        self._cache.count_miss()
        self._rest = rest
        left = self._at
        while left > 0:
            skipped = rest.read(min(left, _BLOCK_BYTES))
            if not skipped:
                break
            left -= len(skipped)

    def close(self) -> None:
        if not self.closed:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1
            if self._rest is not None:
                self._rest.close()
        super().close()
