"""What can go wrong while models are read and used. The messages are those of the Java library."""

from __future__ import annotations


class ModelError(OSError):
    """A model cannot be read or used; the base of all errors here that concern models."""


class StoreError(ModelError):
    """The store or server of models did not answer as one does. It may do so later."""


class CorruptModelError(ModelError):
    """What is published is damaged, incomplete, or in a format that this package does not read."""


class MalformedModelError(CorruptModelError):
    """The files of a version are not those of a model."""


class UnsupportedModelError(ModelError):
    """The network has a part that is not computed here. Its message names the part."""

    def __init__(self, part: str) -> None:
        super().__init__(
            f"{part} is not computed in Python; ask a server for predictions over HTTP instead"
            " (`idla models serve --predict`)"
        )
        self.part = part


class UnknownAliasError(ModelError):
    """No version has the alias that a subscriber follows, now."""


class NoModelError(ModelError):
    """No version is in service."""


class MalformedEventError(ValueError):
    """A row is not one that the model takes.

    ``field`` names the field, ``reason`` says what is wrong with it, ``row`` is the index of the
    row among those of the call, or ``None`` for a single one.
    """

    def __init__(self, field: str, reason: str, row: int | None = None) -> None:
        place = "" if row is None else f"row {row}: "
        super().__init__(f"{place}{field}: {reason}")
        self.field = field
        self.reason = reason
        self.row = row

    def at(self, row: int) -> MalformedEventError:
        """The same error, of one row of several."""
        return MalformedEventError(self.field, self.reason, row)
