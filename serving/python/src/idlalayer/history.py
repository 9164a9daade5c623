"""What a serving process remembers of earlier events of a key, as context of later ones.

Contexts are those that the learner makes of the same events and labels in the same order. It starts
empty: until the first label of a key, the context says that no label is known.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Optional

import numpy as np
from numpy.typing import NDArray

from .events import Decoder, Row, Sample
from .numbers import finite32
from .spec import MISSING_ID, History, ModelSpec

_ONLY_KEY = 1


class _Key:
    """The dense values of the last event of a key, and the last labels, the latest event first."""

    def __init__(self) -> None:
        self.last_order = 0
        self.last_dense: Optional[NDArray[np.float64]] = None
        self.labels: list[tuple[int, float]] = []

    def event(self, order: int, dense: Optional[NDArray[np.float64]]) -> None:
        if order >= self.last_order:
            self.last_order = order
            self.last_dense = dense

    def label(self, order: int, label: float, most: int) -> None:
        self.forget(order)
        self.labels.append((order, label))
        self.labels.sort(key=lambda each: -each[0])
        del self.labels[most:]

    def forget(self, order: int) -> None:
        self.labels = [each for each in self.labels if each[0] != order]


class Histories:
    """The histories of the keys of one model's events. Any thread may use one."""

    def __init__(self, spec: ModelSpec) -> None:
        """Raises ValueError if the model has no history."""
        self._lock = threading.Lock()
        self._keys: OrderedDict[int, _Key] = OrderedDict()
        self._last_order = 0
        self._take(spec)

    def _take(self, spec: ModelSpec) -> None:
        if spec.history is None:
            raise ValueError("the model has no 'history', so its events have no context")
        self._spec = spec
        self._history: History = spec.history
        self._decoder = Decoder(spec)

    def arrived(self, row: Row, key: Optional[str] = None) -> Sample:
        """A row that arrives, with the context that is known now; remembers it.

        Predictions of the returned sample are by all members of the model. Keep it until its label
        comes. key: the event's key as text; None to take it from the row.
        """
        with self._lock:
            # Of one specification all along: another thread may change to that of a newer version.
            sample = self._decoder.decode(row)
            hashed = self._hash_of(row, key)
            self._last_order += 1
            known = self._keys.get(hashed)
            context = self._context(known, sample.dense)
            if known is None:
                known = _Key()
                if len(self._keys) >= self._history.keys:
                    self._keys.popitem(last=False)
                self._keys[hashed] = known
            self._keys.move_to_end(hashed)
            known.event(self._last_order, sample.dense if self._history.changes else None)
            return replace(sample, context=context, key=hashed, order=self._last_order)

    def _hash_of(self, row: Row, key: Optional[str]) -> int:
        if self._history.key is None:
            return _ONLY_KEY
        hashed = self._history.hash_of(self._decoder.key_of(row) if key is None else key)
        if hashed == MISSING_ID:
            raise ValueError("an event without a key has no context")
        return hashed

    def label(self, arrived: Sample, label: float) -> None:
        """Remembers the label of an event: the index of its class, or the target."""
        _require(arrived)
        with self._lock:
            of = self._spec.label
            if not of.regression and not (0 <= label < len(of.classes) and label == int(label)):
                raise ValueError(f"{label} is not the index of a class")
            known = self._keys.get(arrived.key)
            if known is not None and self._history.labels:
                known.label(arrived.order, float(label), self._history.labels)

    def label_taken(self, arrived: Sample) -> None:
        """Forgets the label of an event, which was taken back."""
        _require(arrived)
        with self._lock:
            known = self._keys.get(arrived.key)
            if known is not None:
                known.forget(arrived.order)

    def changed(self, spec: ModelSpec) -> None:
        """Goes on with the features and classes of another version.

        A label of a class that is gone is forgotten, and so are the last numbers if the model has
        other dense features now. Raises ValueError if it has another history.
        """
        with self._lock:
            before = self._spec
            if spec.history != self._history:
                raise ValueError("the model has another history now; begin a new one")
            self._take(spec)
            if before.dense != spec.dense:
                for known in self._keys.values():
                    known.last_dense = None
            if before.label.classes != spec.label.classes:
                now = {name: i for i, name in enumerate(spec.label.classes)}
                names = before.label.classes
                for known in self._keys.values():
                    known.labels = [
                        (order, float(now[names[int(label)]]))
                        for order, label in known.labels
                        if names[int(label)] in now
                    ]

    def _context(self, known: Optional[_Key], dense: NDArray[np.float64]) -> NDArray[np.float64]:
        spec, history = self._spec, self._history
        values = np.zeros(spec.context_width)
        width = spec.label_width
        labels = [] if known is None else known.labels
        for i in range(history.labels):
            label = labels[i][1] if i < len(labels) else math.nan
            if spec.label.regression:
                values[i * width] = label
                values[i * width + 1] = 0 if math.isnan(label) else 1
            elif not math.isnan(label):
                values[i * width + int(label)] = 1
        if history.changes:
            values[history.labels * width :] = self._changes(known, dense)
        return values

    @staticmethod
    def _changes(known: Optional[_Key], dense: NDArray[np.float64]) -> NDArray[np.float64]:
        last = None if known is None else known.last_dense
        if last is None or len(last) != len(dense):
            return np.full(len(dense), math.nan)
        changes = dense - last
        return np.array([each if finite32(each) else math.nan for each in changes])


def _require(arrived: Sample) -> None:
    if arrived.context is None:
        raise ValueError("the event has no context: pass the sample that arrived() has returned")


def last_label(spec: ModelSpec, context: NDArray[np.float64]) -> float:
    """The latest label in a context: index of the class, or target; NaN if none is known."""
    if spec.history is None or spec.history.labels == 0:
        return math.nan
    if spec.label.regression:
        return float(context[0])
    known = np.flatnonzero(context[: spec.label_width])
    return float(known[0]) if len(known) else math.nan
