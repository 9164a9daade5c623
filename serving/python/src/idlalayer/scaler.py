"""Scaling of features and targets, `scaler.json`: how numbers become what a network takes.

Immutable; any thread may use a scaler.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .errors import MalformedModelError

_FORMAT_VERSION = 4
_LIMIT = 8.0
_LARGEST_FLOAT = float(np.finfo(np.float32).max)
_LARGEST_ENCODED = 1e300
_LEAST_SCALE = 1e-100
_LEAST_SPACINGS = 4
_LEAST_RATE_UNIT = 0.1

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Column:
    """What is known of a column: how many values it has seen, their centre and spread."""

    weight: float
    mean: float
    variance: float
    binary: bool

    @property
    def unseen(self) -> bool:
        return self.weight == 0

    @property
    def scale(self) -> float:
        """The standard deviation; 1 if the values do not vary."""
        deviation = math.sqrt(self.variance)
        least = max(_LEAST_SCALE, _LEAST_SPACINGS * math.ulp(self.mean))
        return deviation if deviation > least else 1.0


def _damaged(what: str) -> MalformedModelError:
    return MalformedModelError(f"scaler.json is damaged: {what}")


class PiecewiseLinear:
    """The piecewise-linear encoding of dense values (Gorishniy 2022).

    Each value becomes one number for each bin of its column: 0 if it lies below the bin, 1 if it
    lies above, and else its place between the bin's edges. NaN stays NaN.
    """

    def __init__(self, bins: int, edges: Floats) -> None:
        self.bins = bins
        self._lower = edges[:, :-1]
        spans = np.diff(edges, axis=1)
        self._spans = np.where(spans > 0, spans, np.inf)

    def encode(self, values: Floats) -> Floats:
        """Shape [rows, columns] becomes [rows, columns * bins]."""
        bounded = np.clip(values, -_LARGEST_ENCODED, _LARGEST_ENCODED)
        place = (bounded[:, :, np.newaxis] - self._lower) / self._spans
        return np.clip(place, 0, 1).reshape(len(values), -1)


class TargetScaling:
    """How a target is scaled. Labels of classes stay as they are."""

    def __init__(self, column: _Column, target: bool, enabled: bool, log_link: bool) -> None:
        self._column = column
        self._target = target
        self.log_link = log_link
        scaled = enabled and target and not column.unseen
        if log_link:
            unit = 1.0 if column.unseen else max(_LEAST_RATE_UNIT, column.mean)
            self._centre, self._factor = 0.0, 1 / unit if enabled else 1.0
        else:
            self._centre = column.mean if scaled else 0.0
            self._factor = 1 / column.scale if scaled else 1.0

    @property
    def scale(self) -> float:
        """The scale of the target, in its own units; 1 for classes."""
        return self._column.scale if self._target else 1.0

    def unscaled(self, values: Floats) -> Floats:
        """Predictions in units of the target."""
        return np.clip(values / self._factor + self._centre, -_LARGEST_FLOAT, _LARGEST_FLOAT)

    def counted(self, value: float) -> float:
        """A target, not farther from the centre than values usually are."""
        return self._near(value, _LIMIT * (max(1.0, self.scale) if self.log_link else self.scale))

    def usual(self, value: float) -> float:
        """A target, limited to one scale on either side of the centre."""
        return self._near(value, self.scale)

    def _near(self, value: float, most: float) -> float:
        if not self._target or self._column.unseen:
            return value
        mean = self._column.mean
        return mean + max(-most, min(most, value - mean))


class FeatureScaler:
    """Standardises and bounds the inputs of a network. NaN stands for the mean of its column."""

    def __init__(
        self,
        enabled: bool,
        target: bool,
        width: int,
        seen: int,
        columns: list[_Column],
        encoding: Optional[PiecewiseLinear],
        log_link: bool,
        context: Optional[FeatureScaler],
    ) -> None:
        self.dense_width = width
        self.encoding = encoding
        self.context = context
        features = columns[:-1]
        scaled = [enabled and not each.unseen and not each.binary for each in features]
        self._enabled = enabled
        self._centre = np.array(
            [each.mean if of else 0.0 for each, of in zip(features, scaled)], dtype=np.float64
        )
        self._factor = np.array(
            [1 / each.scale if of else 1.0 for each, of in zip(features, scaled)],
            dtype=np.float64,
        )
        self.target = TargetScaling(columns[-1], target, enabled, log_link)
        if enabled:
            # A scaler that has seen no samples changes no values.
            self._bound = _LIMIT if seen > 0 else _LARGEST_FLOAT
            self._means = np.array([each.mean for each in features], dtype=np.float64)
        else:
            self._bound = _LARGEST_FLOAT
            if width > 0 and not columns[0].unseen:
                self._bound = 2 * abs(columns[0].mean) + _LIMIT * columns[0].scale
            self._means = np.zeros(width)

    @property
    def bins(self) -> int:
        """Bins of each value's encoding; 0 without one."""
        return 0 if self.encoding is None else self.encoding.bins

    @property
    def context_width(self) -> int:
        return 0 if self.context is None else self.context.dense_width

    def dense(self, values: Floats) -> Floats:
        """Scales dense values, with the mean for NaN. Shape [rows, width], rounded to 32 bits."""
        scaled = self._scaled(np.where(np.isnan(values), self._means, values))
        return scaled.astype(np.float32).astype(np.float64)

    def _scaled(self, values: Floats) -> Floats:
        moved = (values - self._centre) * self._factor if self._enabled else values
        return np.clip(moved, -self._bound, self._bound)

    def encoded(self, values: Floats) -> Floats:
        """The piecewise-linear encoding of dense values, with the mean for NaN."""
        if self.encoding is None:
            raise ValueError("the scaler encodes no values")
        filled = np.where(np.isnan(values), self._means, values)
        return self.encoding.encode(filled).astype(np.float32).astype(np.float64)


def decode(content: bytes) -> FeatureScaler:
    """Decodes `scaler.json`; raises MalformedModelError if it is none in this format."""
    try:
        state = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as broken:
        raise MalformedModelError(f"scaler.json cannot be read: {broken}") from broken
    return _scaler(state, False)


def _scaler(state: Any, inner: bool) -> FeatureScaler:
    if not isinstance(state, dict):
        raise _damaged("it is no object")
    found = state.get("formatVersion")
    if found != _FORMAT_VERSION:
        raise MalformedModelError(
            f"scaler.json is in format {found}, and not in format {_FORMAT_VERSION}"
        )
    enabled, target = state.get("enabled"), state.get("target")
    width: Any = state.get("denseWidth")
    seen: Any = state.get("seen")
    columns = state.get("columns")
    features = (width if enabled else min(1, width)) if isinstance(width, int) else -1
    if (
        not isinstance(enabled, bool)
        or not isinstance(target, bool)
        or features < 0
        or not isinstance(seen, int)
        or seen < 0
        or not isinstance(columns, list)
        or len(columns) != features + 1
    ):
        raise _damaged("it does not hold a column for each feature")
    context, encoding = state.get("context"), state.get("encoding")
    if inner and (context is not None or encoding is not None):
        raise _damaged("its scaler of contexts has a context or bins of its own")
    return FeatureScaler(
        enabled,
        target,
        width,
        seen,
        [_column(each) for each in columns],
        None if encoding is None else _encoding(encoding, width),
        state.get("logLink") is True,
        None if context is None else _scaler(context, True),
    )


def _column(state: Any) -> _Column:
    if isinstance(state, dict):
        weight: Any = state.get("weight")
        mean: Any = state.get("mean")
        variance: Any = state.get("variance")
        binary = state.get("binary")
        if (
            all(
                isinstance(each, (int, float))
                and not isinstance(each, bool)
                and math.isfinite(each)
                for each in (weight, mean, variance)
            )
            and weight >= 0
            and variance >= 0
            and isinstance(binary, bool)
        ):
            return _Column(float(weight), float(mean), float(variance), binary)
    raise _damaged("it does not hold a column for each feature")


def _encoding(state: Any, width: int) -> PiecewiseLinear:
    bins = state.get("bins") if isinstance(state, dict) else None
    edges = state.get("edges") if isinstance(state, dict) else None
    if isinstance(bins, int) and bins > 0 and isinstance(edges, str):
        try:
            content = base64.b64decode(edges, validate=True)
        except (binascii.Error, ValueError):
            content = b""
        if width > 0 and len(content) == 8 * width * (bins + 1):
            values = np.frombuffer(content, ">f8").astype(np.float64).reshape(width, bins + 1)
            if np.all(np.abs(values) <= _LARGEST_ENCODED) and np.all(np.diff(values, axis=1) >= 0):
                return PiecewiseLinear(bins, values)
    raise _damaged("its bins are not those of its features")
