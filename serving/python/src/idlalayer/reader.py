"""Reads published models from any source and verifies what it reads.

Lengths and SHA-256 are compared before anything is used. Versions are not signed: every process
that can write to the store can publish, so who may write there is the store's own matter. A fenced
publisher cannot go on: the pointer of the publisher with the highest number is the valid one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, Optional, TypeVar

from .cache import VersionCache
from .errors import CorruptModelError, UnknownAliasError
from .limits import Limits
from .manifest import (
    MANIFEST,
    POINTER,
    ROWS_FILE,
    ModelFile,
    Pin,
    Pointer,
    Version,
    decode_aliases,
    decode_manifest,
    decode_pin,
    decode_pointer,
)
from .store import ModelSource, NotFoundError, Place, StoredText

_LOOKS = 10
_PART_BYTES = 1 << 20
_T = TypeVar("_T")


@dataclass(frozen=True)
class Serving:
    """The version to be served, and the pin that names it; None if the pointer or an alias does."""

    version: Version
    pin: Optional[Pin]


class VerifiedStream:
    """A stream of a file that compares length and SHA-256 with the manifest at its end.

    A caller that reads it to its end has read what was published. For one thread.
    """

    def __init__(self, stream: BinaryIO, path: str, expected: ModelFile) -> None:
        self._stream = stream
        self._path = path
        self._expected = expected
        self._digest = hashlib.sha256()
        self._bytes = 0

    def read(self, most: int) -> bytes:
        """The next bytes, at least one and at most `most`; b"" at the verified end."""
        try:
            content = self._stream.read(most)
        except FileNotFoundError as deleted:
            raise CorruptModelError(f"{self._path} was deleted while it was read") from deleted
        self._bytes += len(content)
        expected = self._expected
        if self._bytes > expected.bytes:
            raise CorruptModelError(
                f"{self._path} has more than {expected.bytes} bytes, as its manifest says"
            )
        if content:
            self._digest.update(content)
            return content
        if self._bytes != expected.bytes:
            raise CorruptModelError(
                f"{self._path} has {self._bytes} bytes, its manifest says {expected.bytes}"
            )
        if self._digest.hexdigest() != expected.sha256:
            raise CorruptModelError(f"{self._path} does not have the SHA-256 of its manifest")
        return b""

    def drain(self) -> None:
        """Reads to the end, which verifies the file."""
        while self.read(_PART_BYTES):
            pass

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> VerifiedStream:
        return self

    def __exit__(self, *failure: Any) -> None:
        self.close()


class ModelReader:
    """Reads and verifies the models of a source. Any thread may use one."""

    def __init__(
        self,
        source: ModelSource,
        limits: Optional[Limits] = None,
        cache: Optional[VersionCache] = None,
    ) -> None:
        self._source = source
        self._cache = cache
        self._limits = limits or Limits()
        self._last: Optional[Version] = None

    def current(self, of: Place) -> Optional[Version]:
        """The version that the pointer names; None if nothing was published yet.

        If a publisher deletes the version during the look, because it has published newer ones,
        returns the newer one. Raises CorruptModelError if pointer or manifest are damaged or
        missing, or do not agree.
        """
        return self._resolved(
            lambda: self._source.pointer(of), lambda seen: self._pointed(of, seen)
        )

    @staticmethod
    def _resolved(
        look: Callable[[], Optional[StoredText]], resolve: Callable[[Optional[StoredText]], _T]
    ) -> _T:
        """Reads a small file and then what it names, again if it names something else by then."""
        seen = look()
        for _ in range(_LOOKS):
            try:
                return resolve(seen)
            except CorruptModelError:
                again = look()
                if again == seen:
                    raise
                seen = again
        return resolve(seen)

    def _pointed(self, of: Place, seen: Optional[StoredText]) -> Optional[Version]:
        if seen is None:
            if self._source.versions(of):
                raise CorruptModelError(
                    f"{self._source.address(of)} has versions, but no pointer to one of them:"
                    f" {POINTER} of its publisher is missing; it is rebuilt when the application is"
                    " started again"
                )
            return None
        pointer = decode_pointer(seen.content, seen.address)
        return self._named(of, pointer, seen.address) if pointer.version else None

    def _named(self, of: Place, pointer: Pointer, where: str) -> Version:
        version = self.read(of, pointer.version, pointer.digest)
        if version.digest != pointer.digest:
            raise CorruptModelError(
                f"{where} names digest {pointer.digest} of version {pointer.version}, whose"
                f" manifest has {version.digest}"
            )
        return version

    def read(self, of: Place, number: int, digest: Optional[str] = None) -> Version:
        """Reads the manifest of a version.

        digest: the expected one, if it is known; the caller compares it.
        """
        location = self._source.address(of, number)
        try:
            content = self._source.manifest(of, number, digest)
        except NotFoundError as missing:
            raise CorruptModelError(
                f"version {number} is not there: no {location}/{MANIFEST}"
            ) from missing
        found = hashlib.sha256(content).hexdigest()
        last = self._last
        if last is not None and last.digest == found and last.location == location:
            return last
        where = f"{location}/{MANIFEST}"
        manifest = decode_manifest(content, where)
        if (manifest.version, manifest.application, manifest.partition) != (
            number,
            of.application,
            of.partition,
        ):
            raise CorruptModelError(
                f"{where} is the manifest of {manifest.application}/{manifest.partition} version"
                f" {manifest.version}"
            )
        self._last = Version(location, manifest, found)
        return self._last

    def pin(self, of: Place) -> Optional[Pin]:
        """The pin, whether it holds or not; None if there is none."""
        found = self._source.pin(of)
        if found is None:
            return None
        try:
            return decode_pin(found.content, found.address)
        except CorruptModelError as damaged:
            raise CorruptModelError(
                f"{damaged}; pin a version again, or unpin (`idla models unpin`)"
            ) from damaged

    def serving(self, of: Place) -> Optional[Serving]:
        """The version to be served: the pinned one if a pin holds, else the current one.

        None if nothing was published yet. If the current version is damaged, a pinned one is still
        returned.
        """
        try:
            current = self.current(of)
        except CorruptModelError as damaged:
            return self._in_place_of(of, damaged)
        if current is None:
            return None
        pin = self.pin(of)
        if pin is None or not pin.holds(current.number):
            return Serving(current, None)
        return Serving(self._pinned(of, pin), pin)

    def _in_place_of(self, of: Place, damaged: CorruptModelError) -> Serving:
        pin = self.pin(of)
        if pin is None:
            raise damaged
        if pin.until > 0:
            pointer = self._source.pointer(of)
            if pointer is None:
                raise damaged
            try:
                version = decode_pointer(pointer.content, pointer.address).version
            except CorruptModelError:
                raise damaged from None
            if not pin.holds(version):
                raise damaged
        return Serving(self._pinned(of, pin), pin)

    def _pinned(self, of: Place, pin: Pin) -> Version:
        pinned = self.read(of, pin.version, pin.digest)
        if pinned.digest != pin.digest:
            raise CorruptModelError(
                f"version {pin.version} is pinned with the digest {pin.digest}, and has the digest"
                f" {pinned.digest}; pin it again, or unpin it"
            )
        return pinned

    def aliased(self, of: Place, name: str) -> Version:
        """The version that has an alias, the current one or another."""
        return self._resolved(
            lambda: self._source.aliases(of), lambda seen: self._aliased(of, name, seen)
        )

    def _aliased(self, of: Place, name: str, seen: Optional[StoredText]) -> Version:
        aliases = {} if seen is None else decode_aliases(seen.content, seen.address)
        alias = aliases.get(name)
        if alias is None:
            known = (
                "its aliases are " + ", ".join(aliases)
                if aliases
                else "no version of it has one (`idla models alias` gives one)"
            )
            raise UnknownAliasError(f"{of} has no alias '{name}'; {known}")
        version = self.read(of, alias.version, alias.digest)
        if version.digest != alias.digest:
            raise CorruptModelError(
                f"alias '{name}' names version {alias.version} with the digest {alias.digest}, and"
                f" that version has the digest {version.digest}; give the alias again"
            )
        return version

    def trained_from(self, of: Place, version: Version) -> Optional[Version]:
        """The parent of a version; None for a first model."""
        parent = version.manifest.parent_version
        if not 1 <= parent < version.number:
            return None
        return self._parent(of, parent, version.manifest.parent_digest)

    def _parent(self, of: Place, number: int, digest: str) -> Version:
        parent = self.read(of, number, digest)
        if parent.digest != digest:
            raise CorruptModelError(
                f"{parent.location} has digest {parent.digest}, and {digest} is expected"
            )
        return parent

    def load(self, of: Place, version: Version) -> dict[str, bytes]:
        """Reads and verifies every file of a version except the rows of its tables.

        All lengths are compared before the first byte is read, and nothing is allocated for bytes
        that are not there.
        """
        lengths = self._source.files(of, version.number)
        for file in version.manifest.files:
            _check_length(version, lengths, file)
        total = sum(file.bytes for file in version.manifest.files if file.name != ROWS_FILE)
        if total > self._limits.files_bytes:
            raise CorruptModelError(
                f"{version.location} has {total} bytes, and this process takes versions of"
                f" {self._limits.files_bytes} bytes; give it larger limits (files_bytes), or"
                " publish a smaller model"
            )
        contents = {}
        for file in version.manifest.files:
            if file.name != ROWS_FILE:
                with self.open_file(of, version, file) as stream:
                    contents[file.name] = _content(stream)
        listed = {file.name for file in version.manifest.files} | {MANIFEST}
        unlisted = sorted(set(lengths) - listed)
        if unlisted:
            raise CorruptModelError(f"{version.file(unlisted[0])} is not in its manifest")
        return contents

    def open_file(self, of: Place, version: Version, file: ModelFile) -> VerifiedStream:
        """Opens a file of a version; its end is verified."""
        path = version.file(file.name)

        def origin() -> BinaryIO:
            return self._source.open(of, version.number, file.name)

        try:
            stream = origin() if self._cache is None else self._cache.open(file, origin)
            return VerifiedStream(stream, path, file)
        except NotFoundError as missing:
            raise CorruptModelError(f"{path} is missing") from missing

    def chain(self, of: Place, version: Version) -> list[Version]:
        """The versions whose rows together make up those of a version, oldest first.

        The last one before it with all rows, then each one with changes, up to the version itself;
        empty if it has no rows. Contents are verified when they are read (open_rows).
        """
        if not version.manifest.has_rows():
            return []
        chain: list[Version] = []
        link = version
        try:
            while True:
                lengths = self._source.files(of, link.number)
                _check_length(link, lengths, _rows_file(link))
                chain.append(link)
                kind = link.manifest.attributes["rows"]
                if kind == "full":
                    return chain[::-1]
                if kind != "delta":
                    raise CorruptModelError(
                        f"{link.location} has rows of the unknown kind '{kind}'"
                    )
                link = self._changed_by(of, link)
        except CorruptModelError as broken:
            if not chain:
                raise
            raise CorruptModelError(
                f"version {version.number} needs the rows of versions before it, but {broken}"
            ) from broken

    def _changed_by(self, of: Place, link: Version) -> Version:
        manifest = link.manifest
        if not 1 <= manifest.parent_version < manifest.version:
            raise CorruptModelError(
                f"version {manifest.version} cannot change the rows of version"
                f" {manifest.parent_version}"
            )
        parent = self._parent(of, manifest.parent_version, manifest.parent_digest)
        if not parent.manifest.has_rows():
            raise CorruptModelError(f"{parent.location} has no rows")
        return parent

    def open_rows(self, of: Place, version: Version) -> VerifiedStream:
        """Opens the file with the rows of a version; its end is verified."""
        return self.open_file(of, version, _rows_file(version))


def _rows_file(version: Version) -> ModelFile:
    file = version.manifest.file(ROWS_FILE)
    if file is None:
        raise CorruptModelError(f"{version.location} has no {ROWS_FILE}")
    return file


def _check_length(version: Version, lengths: dict[str, int], file: ModelFile) -> None:
    path = version.file(file.name)
    if file.name not in lengths:
        raise CorruptModelError(f"{path} is missing")
    if lengths[file.name] != file.bytes:
        raise CorruptModelError(
            f"{path} has {lengths[file.name]} bytes, its manifest says {file.bytes}"
        )


def _content(stream: VerifiedStream) -> bytes:
    parts: list[bytes] = []
    while True:
        part = stream.read(_PART_BYTES)
        if not part:
            return b"".join(parts)
        parts.append(part)
