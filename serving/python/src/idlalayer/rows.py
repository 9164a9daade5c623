"""The rows of embedding tables, `rows.bin`: all of a version, or changes since another.

Version 1 of the format, big-endian:

    "IDLR", u8 version, u8 kind (0 full, 1 changes), u16 tables
    for each table: name (u16 length, modified UTF-8), i32 vector, i32 weights,
      entries: u8 1, i64 key, floats of the weights: a row
               u8 2, i64 key: a row that was deleted (in changes only)
      u8 0, i64 number of entries

Entries are in ascending order of the mixed keys, as unsigned numbers.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional, Protocol

import numpy as np
from numpy.typing import NDArray

from .errors import CorruptModelError, MalformedModelError
from .hashes import murmur128, split_mix
from .spec import UNKNOWN_ID, ModelSpec

_MAGIC = b"IDLR"
_VERSION = 1
_FULL, _CHANGES = 0, 1
_END, _ROW, _DELETED = 0, 1, 2
_MOST_WEIGHTS = 1 << 20
_PART_BYTES = 1 << 20
#: The changed rows of a table become part of its base when they are more than a quarter of it.
_OVERLAY_SHARE = 4

Keys = NDArray[np.uint64]
Weights = NDArray[np.float32]


class Stream(Protocol):
    """What a row file is read from; its end is verified."""

    def read(self, most: int) -> bytes:
        """The next bytes; b"" at the end."""


class Budget:
    """The bytes that rows may take in memory, and those that they took. For one thread."""

    def __init__(self, most_bytes: int, taken_bytes: int = 0) -> None:
        self._most = most_bytes
        self._left = most_bytes - taken_bytes

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise MalformedModelError(
                f"its rows take more than {self._most} bytes of memory; give the process larger"
                " limits (rows_bytes)"
            )


@dataclass(frozen=True)
class Entries:
    """Rows of a table, ascending by key. Immutable.

    keys: mixed keys; shape [rows]. weights: shape [rows, weights].
    deleted: which of them were deleted; shape [rows].
    """

    keys: Keys
    weights: Weights
    deleted: NDArray[np.bool_]

    @staticmethod
    def empty(weights: int) -> Entries:
        return Entries(
            np.empty(0, np.uint64), np.empty((0, weights), np.float32), np.empty(0, np.bool_)
        )

    @property
    def bytes(self) -> int:
        return self.keys.nbytes + self.weights.nbytes + self.deleted.nbytes

    def find(self, key: int) -> int:
        """Where the row of a mixed key is; -1 if there is none."""
        at = int(np.searchsorted(self.keys, np.uint64(key)))
        return at if at < len(self.keys) and int(self.keys[at]) == key else -1

    def changed(self, newer: Entries) -> Entries:
        """These rows with newer ones in the place of those of equal keys."""
        if not len(self.keys):
            return newer
        if not len(newer.keys):
            return self
        places = np.minimum(np.searchsorted(newer.keys, self.keys), len(newer.keys) - 1)
        stay = newer.keys[places] != self.keys
        keys = np.concatenate([self.keys[stay], newer.keys])
        order = np.argsort(keys, kind="stable")
        weights = np.concatenate([self.weights[stay], newer.weights])
        deleted = np.concatenate([self.deleted[stay], newer.deleted])
        return Entries(keys[order], weights[order], deleted[order])

    def without_deleted(self) -> Entries:
        if not self.deleted.any():
            return self
        stay = ~self.deleted
        return Entries(self.keys[stay], self.weights[stay], self.deleted[stay])


@dataclass(frozen=True)
class TablePlan:
    """The name of a table, the length of its vectors, and the number of weights of a row."""

    name: str
    vector: int
    weights: int

    @property
    def salt(self) -> int:
        """What makes mixed keys of equal ids differ from table to table."""
        return murmur128(self.name.encode("utf-8"))[1]


def plans_of(spec: ModelSpec) -> tuple[TablePlan, ...]:
    """The tables of a model, in its order."""
    return tuple(TablePlan(table.name, table.dim, spec.row_weights(table)) for table in spec.tables)


class _Table:
    """Rows of one table: a base, and an overlay with newer rows. Immutable."""

    def __init__(self, plan: TablePlan, base: Entries, overlay: Entries) -> None:
        self._plan = plan
        self._base = base
        self._overlay = overlay
        self._salt = plan.salt
        found = self._stored(UNKNOWN_ID)
        self._unknown = np.zeros(plan.weights, np.float32) if found is None else found

    @property
    def bytes(self) -> int:
        return self._base.bytes + self._overlay.bytes

    @property
    def size(self) -> int:
        """Number of its rows."""
        return len(self._base.changed(self._overlay).without_deleted().keys)

    def _stored(self, key: int) -> Optional[Weights]:
        mixed = split_mix(key ^ self._salt) or 1
        at = self._overlay.find(mixed)
        if at >= 0:
            return None if self._overlay.deleted[at] else self._overlay.weights[at]
        at = self._base.find(mixed)
        return None if at < 0 else self._base.weights[at]

    def row(self, key: int) -> tuple[Weights, bool]:
        """The weights that an id uses, and whether they are those of its own row."""
        found = None if key == UNKNOWN_ID else self._stored(key)
        return (self._unknown, False) if found is None else (found, True)

    def next(self, changes: Entries, budget: Budget) -> _Table:
        """The table with changed rows; this one stays as it is."""
        budget.take(changes.bytes + self._overlay.bytes)
        overlay = self._overlay.changed(changes)
        if len(overlay.keys) * _OVERLAY_SHARE <= len(self._base.keys):
            return _Table(self._plan, self._base, overlay)
        budget.take(self._base.bytes)
        base = self._base.changed(overlay).without_deleted()
        return _Table(self._plan, base, Entries.empty(self._plan.weights))


class ServedRows:
    """The rows of one version's tables. Immutable; any thread may use them."""

    def __init__(
        self, spec: ModelSpec, plans: tuple[TablePlan, ...], tables: Sequence[_Table]
    ) -> None:
        self._spec = spec
        self._plans = plans
        self._tables = tuple(tables)
        self._unknown_ids = 0
        self._counting = threading.Lock()

    @property
    def plans(self) -> tuple[TablePlan, ...]:
        return self._plans

    @property
    def bytes(self) -> int:
        """Bytes that they take in memory."""
        return sum(table.bytes for table in self._tables)

    @property
    def sizes(self) -> dict[str, int]:
        """Number of rows by table."""
        return {plan.name: table.size for plan, table in zip(self._plans, self._tables)}

    @property
    def unknown_ids(self) -> int:
        """How often a sample had an id without a row, in this version."""
        return self._unknown_ids

    def vectors(self, samples: Sequence[tuple[tuple[int, ...], ...]]) -> NDArray[np.float64]:
        """The columns of a network's input that come from rows.

        samples: for each of them the keys of each id feature. Returns shape [samples, row columns].
        """
        spec = self._spec
        wide = spec.row_columns - spec.wide_columns
        out = np.zeros((len(samples), spec.row_columns), np.float32)
        unknown = 0
        for into, ids in zip(out, samples):
            at = 0
            for use, keys in zip(spec.uses, ids):
                dim = spec.tables[use.table].dim
                share = np.float32(1 / len(keys)) if use.pooling == "MEAN" else np.float32(1)
                for key in keys:
                    weights, known = self._tables[use.table].row(key)
                    unknown += not known
                    into[at : at + dim] += weights[:dim] * share
                    into[wide:] += weights[dim:] * share
                at += dim
        if unknown:
            with self._counting:
                self._unknown_ids += unknown
        return out.astype(np.float64)

    def used_by(self, spec: ModelSpec) -> ServedRows:
        """These rows, for a model that has the same tables and may use them otherwise."""
        return ServedRows(spec, self._plans, self._tables)

    def next(self, files: Sequence[Stream], rows_bytes: int) -> ServedRows:
        """The rows of a later version, from files with the changes since this one, oldest first."""
        rows = self
        for file in files:
            rows = rows.after(file, rows_bytes)
        return rows

    def after(self, file: Stream, rows_bytes: int) -> ServedRows:
        """The rows with the changes of one file; these stay as they are."""
        # Beside these rows, from which the next ones are made, half as much again may be taken.
        budget = Budget(rows_bytes + rows_bytes // 2, self.bytes)
        reader = _Reader(file, self._plans, budget)
        if reader.kind == _FULL:
            raise CorruptModelError("a full row file may only be first in a chain")
        tables = [
            table.next(reader.table(plan), budget) for plan, table in zip(self._plans, self._tables)
        ]
        reader.check_end()
        return ServedRows(self._spec, self._plans, tables)


def read(spec: ModelSpec, files: Sequence[Stream], rows_bytes: int) -> ServedRows:
    """The rows of a version from its files, oldest first: one with all rows, then changes.

    rows_bytes: the most bytes that the rows may take in memory.
    Raises CorruptModelError if a file is damaged, of other tables, or out of place.
    """
    rows = _full(spec, files[0], rows_bytes)
    for file in files[1:]:
        # Each link has a budget of its own: what the links before it took is free again.
        rows = rows.after(file, rows_bytes)
    return rows


def _full(spec: ModelSpec, file: Stream, rows_bytes: int) -> ServedRows:
    """The rows of a file that has all of them."""
    plans = plans_of(spec)
    reader = _Reader(file, plans, Budget(rows_bytes))
    if reader.kind != _FULL:
        raise CorruptModelError("the oldest row file has only changes, not all rows")
    tables = [_Table(plan, reader.table(plan), Entries.empty(plan.weights)) for plan in plans]
    reader.check_end()
    return ServedRows(spec, plans, tables)


class _Reader:
    """Reads one row file, table by table, and checks all of it. For one thread."""

    def __init__(self, stream: Stream, plans: Sequence[TablePlan], budget: Budget) -> None:
        self._stream = stream
        self._budget = budget
        self._buffer = b""
        self._at = 0
        self._ended = False
        if self._take(4) != _MAGIC:
            raise CorruptModelError("it is not a row file")
        version, self.kind, tables = struct.unpack(">BBH", self._take(4))
        if version != _VERSION:
            raise CorruptModelError(
                f"it has version {version} of the format, this program reads {_VERSION}"
            )
        if self.kind not in (_FULL, _CHANGES):
            raise CorruptModelError(f"it has the unknown kind {self.kind}")
        if tables != len(plans):
            raise CorruptModelError(f"it has {tables} tables instead of {len(plans)}")

    def _fill(self, wanted: int) -> int:
        """Tries to have the wanted bytes in the buffer; returns how many there are."""
        have = len(self._buffer) - self._at
        if have >= wanted or self._ended:
            return have
        parts = [self._buffer[self._at :]]
        while have < wanted:
            part = self._stream.read(max(_PART_BYTES, min(wanted - have, 16 * _PART_BYTES)))
            if not part:
                self._ended = True
                break
            parts.append(part)
            have += len(part)
        self._buffer = b"".join(parts)
        self._at = 0
        return have

    def _take(self, count: int) -> bytes:
        if self._fill(count) < count:
            raise CorruptModelError("it is cut off")
        self._at += count
        return self._buffer[self._at - count : self._at]

    def table(self, plan: TablePlan) -> Entries:
        """The entries of the next table, which must be the planned one."""
        (length,) = struct.unpack(">H", self._take(2))
        name = _modified_utf8(self._take(length))
        vector, weights = struct.unpack(">ii", self._take(8))
        if not 1 <= weights <= _MOST_WEIGHTS or not 0 <= vector <= weights:
            raise CorruptModelError(
                f"it has a table with impossible lengths: '{name}' of {vector} and {weights}"
            )
        if (name, vector, weights) != (plan.name, plan.vector, plan.weights):
            raise CorruptModelError(
                f"its table '{name}' of {vector} and {weights} weights is not in the model"
            )
        return self._entries(plan)

    def _entries(self, plan: TablePlan) -> Entries:
        record = np.dtype([("tag", "u1"), ("key", ">u8"), ("weights", ">f4", (plan.weights,))])
        salt = np.uint64(plan.salt)
        keys: list[Keys] = []
        weights: list[Weights] = []
        deleted: list[NDArray[np.bool_]] = []
        entries = 0
        last: Optional[int] = None
        while True:
            if self._fill(record.itemsize) == 0:
                raise CorruptModelError("it is cut off")
            rows = self._rows_ahead(record)
            if len(rows):
                found = _mixed(rows["key"].astype(np.uint64) ^ salt)
                values = rows["weights"].astype(np.float32).reshape(len(rows), plan.weights)
                gone = np.zeros(len(rows), np.bool_)
                self._at += len(rows) * record.itemsize
            else:
                tag = self._take(1)[0]
                if tag == _END:
                    break
                if tag != _DELETED or self.kind == _FULL:
                    if tag == _ROW:
                        raise CorruptModelError("it is cut off")
                    raise CorruptModelError(f"an entry has the unknown tag {tag}")
                key = np.frombuffer(self._take(8), ">u8").astype(np.uint64)
                found = _mixed(key ^ salt)
                values = np.zeros((1, plan.weights), np.float32)
                gone = np.ones(1, np.bool_)
            self._check_order(found, last)
            last = int(found[-1])
            entries += len(found)
            self._budget.take(found.nbytes + values.nbytes + gone.nbytes)
            keys.append(found)
            weights.append(values)
            deleted.append(gone)
        (expected,) = struct.unpack(">q", self._take(8))
        if expected != entries:
            raise CorruptModelError(f"a table has {entries} entries instead of {expected}")
        if not keys:
            return Entries.empty(plan.weights)
        return Entries(np.concatenate(keys), np.concatenate(weights), np.concatenate(deleted))

    def _rows_ahead(self, record: np.dtype[np.void]) -> NDArray[np.void]:
        """The rows that follow each other in the buffer, before an entry of another kind."""
        count = (len(self._buffer) - self._at) // record.itemsize
        rows = np.frombuffer(self._buffer, record, count, self._at)
        other = np.flatnonzero(rows["tag"] != _ROW)
        return rows[: int(other[0])] if len(other) else rows

    @staticmethod
    def _check_order(keys: Keys, last: Optional[int]) -> None:
        before = keys[:-1]
        wrong = np.flatnonzero(keys[1:] <= before)
        if last is not None and int(keys[0]) <= last:
            raise _disorder(int(keys[0]), last)
        if len(wrong):
            at = int(wrong[0])
            raise _disorder(int(keys[at + 1]), int(keys[at]))

    def check_end(self) -> None:
        """Raises if bytes follow the last table; reads the end, which verifies the file."""
        if self._fill(1):
            raise CorruptModelError("bytes follow the last table")


def _disorder(key: int, last: int) -> CorruptModelError:
    return CorruptModelError(
        f"its entries are not in order: row {key:016x} follows row {last:016x}"
    )


def _mixed(keys: Keys) -> Keys:
    """The finalizer of SplitMix64 of each number; 1 in the place of 0."""
    with np.errstate(over="ignore"):
        mixed = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed = mixed ^ (mixed >> np.uint64(31))
    out: Keys = np.where(mixed == 0, np.uint64(1), mixed)
    return out


def _modified_utf8(content: bytes) -> str:
    """Java's own form of UTF-8, in which characters beyond 16 bits are two surrogates."""
    try:
        text = content.replace(b"\xc0\x80", b"\x00").decode("utf-8", "surrogatepass")
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError as broken:
        raise CorruptModelError("it has a name that is no text") from broken
