"""Loads a published version: its verified files, and the rows of its tables."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Optional

from . import rows
from .errors import CorruptModelError, ModelError
from .limits import Limits
from .manifest import Version
from .model import Model, load
from .reader import ModelReader
from .rows import ServedRows
from .store import Place


class Loader:
    """Loads versions of one application partition. One thread at a time."""

    def __init__(self, reader: ModelReader, of: Place, limits: Limits) -> None:
        self._reader = reader
        self._of = of
        self._limits = limits

    def load(self, version: Version, before: Optional[Model]) -> Model:
        """The model of a version.

        before: the model in service, if there is one. If the version continues from it, only the
        rows that have changed since are read. It stays as it is.

        Raises CorruptModelError that names what is damaged, or another ModelError.
        """
        number = version.number
        try:
            files = self._reader.load(self._of, version)
            model = load(version.manifest, version.digest, files, self._limits)
            if not model.spec.tables:
                return model
            return model.with_rows(self._rows(version, model, before))
        except CorruptModelError as damaged:
            raise CorruptModelError(f"version {number} does not load: {damaged}") from damaged
        except ModelError as failed:
            raise ModelError(f"version {number} does not load: {failed}") from failed
        except MemoryError as short:
            raise ModelError(f"version {number} does not load: memory is short") from short

    def _rows(self, version: Version, model: Model, before: Optional[Model]) -> ServedRows:
        chain = self._reader.chain(self._of, version)
        if not chain:
            raise CorruptModelError(f"{version.location} has no rows, and its model has tables")
        known = None
        if before is not None and before.rows is not None:
            plans = rows.plans_of(model.spec)
            for i, link in enumerate(chain[:-1]):
                if link.digest == before.digest and before.rows.plans == plans:
                    known, chain = before.rows, chain[i + 1 :]
                    break
        try:
            with ExitStack() as opened:
                files = [
                    opened.enter_context(self._reader.open_rows(self._of, link)) for link in chain
                ]
                if known is None:
                    return rows.read(model.spec, files, self._limits.rows_bytes)
                return known.used_by(model.spec).next(files, self._limits.rows_bytes)
        except CorruptModelError as damaged:
            self._name(chain)
            raise CorruptModelError(
                f"the rows of {version.location} cannot be read: {damaged}"
            ) from damaged

    def _name(self, chain: list[Version]) -> None:
        """Raises for the file that differs from what was published: that says more."""
        for link in chain:
            with self._reader.open_rows(self._of, link) as stream:
                stream.drain()
