"""Manifests, pointers, pins and aliases: the small JSON files that name versions.

All objects are immutable. Unknown fields of a later writer are passed over; another format version
is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Optional

from .errors import CorruptModelError

FORMAT_VERSION = 1

#: Largest number of bytes of a manifest, pointer or list; a larger file is damaged.
LARGEST_TEXT_BYTES = 16 << 20

MANIFEST = "manifest.json"
POINTER = "current.json"
PIN = "pin.json"
ALIASES = "aliases.json"

#: Name of the file with the embedding rows of a version.
ROWS_FILE = "rows.bin"

_MOST_ALIASES = 32
_LONG = 1 << 63
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,31}")


def is_name(name: object) -> bool:
    """Whether a file of this name lies inside of its folder."""
    return isinstance(name, str) and _FILE_NAME.fullmatch(name) is not None


def checked_name(name: str) -> str:
    """The name unchanged; raises ValueError if a file of this name could lie outside its folder."""
    if not is_name(name):
        raise ValueError(
            f"'{name}' is not a name for a file here: letters, digits, dot, dash and underscore,"
            " at most 100"
        )
    return name


def checked_alias(name: str) -> str:
    """The alias unchanged; raises ValueError if it cannot be one."""
    if _ALIAS.fullmatch(name) is None:
        raise ValueError(
            f"'{name}' is not an alias: letters, digits and dashes, at most 32, the first one a"
            " letter"
        )
    return name


@dataclass(frozen=True)
class ModelFile:
    """One file of a version: its name, length in bytes, and SHA-256 in lower-case digits."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The contents and the origin of a published version.

    version: grows with every publication, from 1.
    parent_version: version from which this one was trained; 0 for a first model.
    parent_digest: SHA-256 of the parent's manifest; "" for a first model.
    created_at_millis: epoch milliseconds.
    input_offsets: next Kafka offset to read, by "topic-partition".
    counts, metrics, attributes: whole numbers, measures and texts by name.
    files: every file of the version except the manifest.
    """

    application: str
    partition: int
    version: int
    parent_version: int
    parent_digest: str
    created_at_millis: int
    input_offsets: Mapping[str, int]
    counts: Mapping[str, int]
    metrics: Mapping[str, float]
    attributes: Mapping[str, str]
    files: tuple[ModelFile, ...]

    def has_rows(self) -> bool:
        """Whether the version has a file with embedding rows, all of them or changes."""
        return "rows" in self.attributes

    def file(self, name: str) -> Optional[ModelFile]:
        """The manifest's entry of a file; None if the version has no such file."""
        return next((file for file in self.files if file.name == name), None)


@dataclass(frozen=True)
class Version:
    """A published version.

    location: its folder or URL, for messages.
    digest: SHA-256 of its manifest, in lower-case hexadecimal.
    """

    location: str
    manifest: Manifest
    digest: str

    @property
    def number(self) -> int:
        return self.manifest.version

    def file(self, name: str) -> str:
        """The path or URL of a file, for messages."""
        return f"{self.location}/{name}"


@dataclass(frozen=True)
class Pointer:
    """Names the version in service; version 0 and digest "" before the first."""

    version: int
    digest: str


@dataclass(frozen=True)
class Pin:
    """Names a version that serves although it is not the newest.

    until: the pin holds until a version above this one is current; 0: until it is removed.
    at_millis: when it was set, epoch milliseconds.
    """

    version: int
    digest: str
    until: int
    reason: str
    by: str
    at_millis: int

    def holds(self, current: int) -> bool:
        """Whether it holds while a version is the current one."""
        return self.until == 0 or current <= self.until

    def left(self, candidate: int) -> bool:
        """Whether it was set to leave a version: after the pinned one, up to the current one."""
        return self.version < candidate <= self.until


@dataclass(frozen=True)
class Alias:
    """A version that has a name."""

    version: int
    digest: str


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _object(content: bytes, where: str) -> dict[str, Any]:
    try:
        value = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as broken:
        raise CorruptModelError(f"{where} cannot be read: {broken}") from broken
    if value is None:
        raise CorruptModelError(f"{where} is empty")
    if not isinstance(value, dict):
        raise CorruptModelError(f"{where} cannot be read: it is not a JSON object")
    return value


def _long(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -_LONG <= value < _LONG


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _special(value: Any) -> bool:
    return value in ("NaN", "Infinity", "-Infinity")


def _map(fields: dict[str, Any], name: str, valid: Any) -> Optional[dict[str, Any]]:
    found = fields.get(name)
    if not isinstance(found, dict) or not all(valid(value) for value in found.values()):
        return None
    return found


def decode_manifest(content: bytes, where: str) -> Manifest:
    """Decodes a manifest; `where` is its file or URL, for messages."""
    fields = _object(content, where)
    found = fields.get("formatVersion")
    if not _long(found):
        raise CorruptModelError(f"{where} is not a complete manifest")
    if found != FORMAT_VERSION:
        raise CorruptModelError(
            f"{where} has manifest format {found}; this program reads {FORMAT_VERSION}"
        )
    offsets = _map(fields, "inputOffsets", _long)
    counts = _map(fields, "counts", _long)
    metrics = _map(fields, "metrics", lambda value: _number(value) or _special(value))
    attributes = _map(fields, "attributes", lambda value: isinstance(value, str))
    files = _files(fields.get("files"))
    numbers = ("partition", "version", "parentVersion", "createdAtMillis")
    texts = ("application", "parentDigest")
    if (
        offsets is None
        or counts is None
        or metrics is None
        or attributes is None
        or files is None
        or not all(_long(fields.get(name)) for name in numbers)
        or not all(isinstance(fields.get(name), str) for name in texts)
    ):
        raise CorruptModelError(f"{where} is not a complete manifest")
    return Manifest(
        fields["application"],
        fields["partition"],
        fields["version"],
        fields["parentVersion"],
        fields["parentDigest"],
        fields["createdAtMillis"],
        offsets,
        counts,
        {name: float(value) for name, value in metrics.items()},
        attributes,
        files,
    )


def _files(entries: Any) -> Optional[tuple[ModelFile, ...]]:
    if not isinstance(entries, list):
        return None
    files: list[ModelFile] = []
    names: set[str] = set()
    for entry in entries:
        if (
            not isinstance(entry, dict)
            or not is_name(entry.get("name"))
            or entry["name"] == MANIFEST
            or entry["name"] in names
            or not _long(entry.get("bytes"))
            or entry["bytes"] < 0
            or not isinstance(entry.get("sha256"), str)
        ):
            return None
        names.add(entry["name"])
        files.append(ModelFile(entry["name"], entry["bytes"], entry["sha256"]))
    return tuple(files)


def decode_pointer(content: bytes, where: str) -> Pointer:
    """Decodes a pointer."""
    fields = _object(content, where)
    version: Any = fields.get("version")
    digest: Any = fields.get("digest")
    if (
        fields.get("formatVersion") != FORMAT_VERSION
        or not isinstance(digest, str)
        or not _long(version)
        or version < 0
        or (version == 0) != (digest == "")
    ):
        raise CorruptModelError(f"{where} is not a pointer this program reads")
    return Pointer(version, digest)


def decode_pin(content: bytes, where: str) -> Pin:
    """Decodes a pin."""
    fields = _object(content, where)
    if (
        fields.get("formatVersion") != FORMAT_VERSION
        or not all(_long(fields.get(name)) for name in ("version", "until", "atMillis"))
        or not all(isinstance(fields.get(name), str) for name in ("digest", "reason", "by"))
        or fields["version"] < 1
        or fields["until"] < 0
    ):
        raise CorruptModelError(f"{where} is not a pin that this program reads")
    return Pin(
        fields["version"],
        fields["digest"],
        fields["until"],
        fields["reason"],
        fields["by"],
        fields["atMillis"],
    )


def decode_aliases(content: bytes, where: str) -> dict[str, Alias]:
    """Decodes the aliases of an application partition, by name in their order."""
    try:
        fields = _object(content, where)
    except CorruptModelError as broken:
        raise CorruptModelError(f"{broken}; delete the file and give the aliases again") from broken
    entries = fields.get("aliases")
    if (
        fields.get("formatVersion") != FORMAT_VERSION
        or not isinstance(entries, dict)
        or len(entries) > _MOST_ALIASES
        or not all(_ALIAS.fullmatch(name) and _is_alias(each) for name, each in entries.items())
    ):
        raise CorruptModelError(
            f"{where} has no aliases that this program reads; delete the file and give them again"
        )
    return {
        name: Alias(entries[name]["version"], entries[name]["digest"]) for name in sorted(entries)
    }


def _is_alias(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and _long(entry.get("version"))
        and entry["version"] > 0
        and isinstance(entry.get("digest"), str)
        and isinstance(entry.get("by"), str)
    )
