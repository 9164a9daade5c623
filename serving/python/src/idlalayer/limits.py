"""Limits of what is read into memory, whatever a store says of its sizes."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """The most bytes that a version may take. A version that has more is refused, and named.

    files_bytes: all files of a version together, rows of tables left out.
    network_bytes: the content of ``model.zip``, unpacked.
    rows_bytes: keys and weights of the rows of all tables of a version, in memory. A version that
        is made from the one before it may take half as much again, the one before it included. If
        several are caught up with at once, the one in service stays in memory beside that.
    """

    files_bytes: int = 512 * _MIB
    network_bytes: int = 512 * _MIB
    rows_bytes: int = 4096 * _MIB

    def __post_init__(self) -> None:
        for name in ("files_bytes", "network_bytes", "rows_bytes"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
