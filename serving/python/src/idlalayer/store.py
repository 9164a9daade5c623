"""Where published models are: a folder, a server (http.py) or an object store (s3.py). Verifies
nothing.
"""

from __future__ import annotations

import os
import urllib.parse
from dataclasses import dataclass
from typing import BinaryIO, Optional, Protocol

from .errors import CorruptModelError, StoreError
from .manifest import (
    ALIASES,
    LARGEST_TEXT_BYTES,
    MANIFEST,
    PIN,
    POINTER,
    checked_name,
)

_FEWEST_DIGITS = 10
_MOST_DIGITS = 18


class NotFoundError(StoreError):
    """There is no such file: never, or not any more."""


@dataclass(frozen=True)
class Place:
    """One partition of an application; each partition has its own models."""

    application: str
    partition: int

    def __post_init__(self) -> None:
        checked_name(self.application)
        if self.partition < 0:
            raise ValueError(
                f"the partition of {self.application} must be 0 or more, not {self.partition}"
            )

    def __str__(self) -> str:
        return f"{self.application}/{self.partition}"


@dataclass(frozen=True)
class StoredText:
    """A small file: where it is, and what it holds."""

    address: str
    content: bytes


class ModelSource(Protocol):
    """Published models. Any thread may use one; each failure names the place."""

    def address(self, of: Optional[Place] = None, version: Optional[int] = None) -> str:
        """The folder or URL of all models, of a partition's or of a version."""

    def versions(self, of: Place) -> list[int]:
        """The numbers of the published versions, ascending."""

    def pointer(self, of: Place) -> Optional[StoredText]:
        """The pointer of the valid publisher; None if there is none."""

    def pin(self, of: Place) -> Optional[StoredText]:
        """The pin; None if there is none. Asked for after the pointer."""

    def aliases(self, of: Place) -> Optional[StoredText]:
        """The aliases; None if there are none."""

    def manifest(self, of: Place, version: int, digest: Optional[str]) -> bytes:
        """The manifest of a version; if its digest is given, it may be one that was read before.

        Raises NotFoundError if there is none.
        """

    def files(self, of: Place, version: int) -> dict[str, int]:
        """The lengths in bytes of all files in the folder of a version; empty if there is none."""

    def open(self, of: Place, version: int, name: str) -> BinaryIO:
        """Opens a file of a version. Raises NotFoundError if there is none."""

    def close(self) -> None:
        """Frees what the source holds. May be called while another thread reads, whose read fails,
        and more than once; a source that several subscribers share reads on afterwards.
        """


def version_folder(version: int) -> str:
    """The name of the folder of a version."""
    return f"v{version:0{_FEWEST_DIGITS}d}"


def number_in(name: str, prefix: str) -> Optional[int]:
    """The number in a name that is a prefix and 10 to 18 digits; None for any other name."""
    digits = name[len(prefix) :]
    if (
        not name.startswith(prefix)
        or not _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS
        or not (digits.isascii() and digits.isdigit())
    ):
        return None
    return int(digits)


def bounded_text(stream: BinaryIO, where: str) -> bytes:
    """Reads a small file to its end; refuses it if it is too large to be one."""
    content = stream.read(LARGEST_TEXT_BYTES + 1)
    if len(content) > LARGEST_TEXT_BYTES:
        raise too_large(where)
    return content


def too_large(where: str) -> CorruptModelError:
    """The error for a small file that is too large to be one."""
    return CorruptModelError(
        f"{where} has more than {LARGEST_TEXT_BYTES} bytes; they are the most it can have"
    )


class FolderSource:
    """Models in a folder, as a learner publishes them. Holds no state; any thread."""

    def __init__(self, folder: str) -> None:
        self._folder = os.fspath(folder)

    def address(self, of: Optional[Place] = None, version: Optional[int] = None) -> str:
        path = self._folder
        if of is not None:
            path = os.path.join(path, of.application, str(of.partition))
            if version is not None:
                path = os.path.join(path, version_folder(version))
        return path

    def _numbers(self, of: Place, prefix: str) -> list[int]:
        try:
            names = os.listdir(self.address(of))
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as failed:
            raise StoreError(f"{self.address(of)} cannot be read: {failed.strerror}") from failed
        numbers = (number_in(name, prefix) for name in names)
        return sorted(number for number in numbers if number is not None)

    def versions(self, of: Place) -> list[int]:
        return self._numbers(of, "v")

    def pointer(self, of: Place) -> Optional[StoredText]:
        epochs = self._numbers(of, "publisher-")
        if not epochs:
            return None
        # The publisher with the highest number is the valid one; the others are fenced.
        folder = os.path.join(self.address(of), f"publisher-{epochs[-1]:0{_FEWEST_DIGITS}d}")
        return self._text(os.path.join(folder, POINTER))

    def pin(self, of: Place) -> Optional[StoredText]:
        return self._text(os.path.join(self.address(of), PIN))

    def aliases(self, of: Place) -> Optional[StoredText]:
        return self._text(os.path.join(self.address(of), ALIASES))

    def _text(self, path: str) -> Optional[StoredText]:
        try:
            return StoredText(path, self._read(path))
        except NotFoundError:
            return None

    def _read(self, path: str) -> bytes:
        with self._open(path) as stream:
            try:
                return bounded_text(stream, path)
            except OSError as failed:
                if isinstance(failed, CorruptModelError):
                    raise
                raise StoreError(f"{path} cannot be read: {failed.strerror}") from failed

    @staticmethod
    def _open(path: str) -> BinaryIO:
        try:
            return open(path, "rb")
        except (FileNotFoundError, NotADirectoryError) as missing:
            raise NotFoundError(path) from missing
        except OSError as failed:
            raise StoreError(f"{path} cannot be read: {failed.strerror}") from failed

    def manifest(self, of: Place, version: int, digest: Optional[str]) -> bytes:
        return self._read(os.path.join(self.address(of, version), MANIFEST))

    def files(self, of: Place, version: int) -> dict[str, int]:
        folder = self.address(of, version)
        lengths = {}
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    try:
                        lengths[entry.name] = entry.stat().st_size
                    except FileNotFoundError:
                        # A link to nowhere, or the version is being deleted.
                        continue
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as failed:
            raise StoreError(f"{folder} cannot be read: {failed.strerror}") from failed
        return lengths

    def open(self, of: Place, version: int, name: str) -> BinaryIO:
        return self._open(os.path.join(self.address(of, version), checked_name(name)))

    def close(self) -> None:
        """Does nothing: a folder holds nothing open."""


def folder_of(store: str) -> Optional[str]:
    """The folder that a store's address names: a path, or a `file:` URL; None for another URL."""
    scheme, separator, rest = store.partition(":")
    if scheme.lower() == "file" and separator:
        if rest.startswith("//"):
            host, _, path = rest[2:].partition("/")
            if host not in ("", "localhost"):
                raise ValueError(f"{store} names the host {host}; a file is on this machine")
            return urllib.parse.unquote("/" + path)
        return urllib.parse.unquote(rest)
    if separator and "/" not in scheme and rest.startswith("//"):
        return None
    return store
