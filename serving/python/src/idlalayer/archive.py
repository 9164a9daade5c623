"""Reads `model.zip` and the arrays in it. Nothing is believed before it is checked."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import IO

import numpy as np
from numpy.typing import NDArray

from .errors import MalformedModelError, UnsupportedModelError

CONFIGURATION = "configuration.json"
COEFFICIENTS = "coefficients.bin"
_UPDATER_STATE = "updaterState.bin"
_EXPECTED = (CONFIGURATION, COEFFICIENTS, _UPDATER_STATE)

_PART_BYTES = 1 << 20
_UPDATER_STATES = 4
_MODE = "MIXED_DATA_TYPES"
_MOST_DIMENSIONS = 32
_MOST_VALUES = (1 << 31) - 1


def read(content: bytes, largest_bytes: int) -> dict[str, bytes]:
    """Configuration and parameters of a network, by the names of their entries.

    Only entries that are expected are read, each once, and no more bytes than allowed, whatever the
    archive says of its sizes. Reading an entry to its end compares its CRC; the state of the
    updater is compared too, and not held.
    """
    entries: dict[str, bytes] = {}
    left = largest_bytes
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                name = info.filename
                if name not in _EXPECTED:
                    printable = "".join(each if each.isprintable() else "?" for each in name[:100])
                    raise MalformedModelError(
                        f"model.zip has an entry '{printable}'; only {', '.join(_EXPECTED)} are"
                        " read, and nothing else is opened"
                    )
                if name in entries:
                    raise MalformedModelError(f"model.zip has two entries {name}")
                kept = name != _UPDATER_STATE
                most = left if kept else _UPDATER_STATES * largest_bytes
                with archive.open(info) as stream:
                    entries[name] = _bounded(stream, name, most, largest_bytes, kept)
                left -= len(entries[name])
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        struct.error,
    ) as broken:
        raise MalformedModelError(f"model.zip is not a complete zip: {broken}") from broken
    for name in (CONFIGURATION, COEFFICIENTS):
        if name not in entries:
            raise MalformedModelError(f"model.zip has no {name}")
    return entries


def _bounded(stream: IO[bytes], name: str, most: int, largest: int, kept: bool) -> bytes:
    parts: list[bytes] = []
    left = most
    while True:
        part = stream.read(_PART_BYTES)
        if not part:
            return b"".join(parts)
        left -= len(part)
        if left < 0:
            raise MalformedModelError(
                f"the entries of model.zip are larger than {largest} bytes, the most that is"
                f" allowed; it was read up to {name}"
            )
        if kept:
            parts.append(part)


class _Cursor:
    """Reads the big-endian numbers and texts of an array."""

    def __init__(self, content: bytes, what: str) -> None:
        self._content = content
        self._what = what
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._content) - self._at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise MalformedModelError(f"{self._what} is cut off")
        self._at += count
        return self._content[self._at - count : self._at]

    def longs(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f">{count}q", self.take(8 * count))

    def text(self) -> str:
        (length,) = struct.unpack(">H", self.take(2))
        if length > len(_MODE):
            raise MalformedModelError(f"{self._what} does not begin like an array of ND4J")
        text = self.take(length).decode("latin-1")
        return "".join(each if each.isprintable() else "?" for each in text)

    def expect(self, text: str) -> None:
        found = self.text()
        if found != text:
            raise MalformedModelError(f"{self._what} has '{found}' where '{text}' was expected")


def parameters(content: bytes) -> NDArray[np.float32]:
    """The parameters of all layers, in order: the array of `coefficients.bin`, a vector."""
    what = COEFFICIENTS
    cursor = _Cursor(content, what)
    cursor.expect(_MODE)
    (count,) = cursor.longs(1)
    cursor.expect("LONG")
    (rank,) = cursor.longs(1)
    if not 0 <= rank <= _MOST_DIMENSIONS or count != 2 * rank + 4:
        raise MalformedModelError(f"{what} has {rank} dimensions in {count} numbers")
    shape = cursor.longs(rank)
    cursor.longs(rank + 1)  # Strides and type bits follow from the rest.
    step, order = cursor.longs(2)
    if step != 1 or order not in (ord("c"), ord("f")):
        raise MalformedModelError(
            f"{what} is stored with step {step} and order {order}, which are not supported"
        )
    cursor.expect(_MODE)
    (length,) = cursor.longs(1)
    kind = cursor.text()
    if kind not in ("FLOAT", "DOUBLE"):
        raise MalformedModelError(f"{what} is of type {kind}; FLOAT and DOUBLE are read")
    product = 1
    for size in shape:
        product *= size
        if size < 1 or product > _MOST_VALUES:
            raise MalformedModelError(f"{what} has shape {list(shape)}")
    width = 4 if kind == "FLOAT" else 8
    if length < 1 or length != product or length * width > cursor.left:
        raise MalformedModelError(
            f"{what} of shape {list(shape)} says that it has {length} values of {width} bytes;"
            f" {cursor.left} bytes are there"
        )
    values = np.frombuffer(cursor.take(length * width), ">f4" if width == 4 else ">f8")
    if cursor.left:
        raise MalformedModelError(f"{what} is followed by {cursor.left} bytes too many")
    if kind == "DOUBLE":
        raise UnsupportedModelError("a network of DOUBLE numbers")
    if sum(size > 1 for size in shape) > 1:
        raise MalformedModelError(f"{what} is not a vector")
    if not np.all(np.isfinite(values)):
        raise MalformedModelError(f"{what} has parameters that are not finite")
    return values.astype(np.float32)
