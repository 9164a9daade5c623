"""The forward pass of a network: steps over rows of numbers, computed with numpy.

All steps are immutable; any thread may run them. Numbers between steps are rounded to 32 bits, as a
learner computes; sums are in 64 bits. So predictions differ from those of the other readers by
rounding only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Optional, Union

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Activation = Callable[[Floats], Floats]

_NUMBERS_AT_ONCE = 1 << 21
_MOST_ROWS_AT_ONCE = 4096
_TAPS_AT_ONCE = 1 << 20


def rounded(values: Floats) -> Floats:
    """The values with the precision of 32 bits."""
    return values.astype(np.float32).astype(np.float64)


def identity(values: Floats) -> Floats:
    return values


def relu(values: Floats) -> Floats:
    return np.maximum(values, 0)


def leaky_relu(slope: float) -> Activation:
    factor = float(np.float32(slope))
    return lambda values: np.where(values < 0, factor * values, values)


def elu(slope: float) -> Activation:
    return lambda values: np.where(values < 0, slope * np.expm1(np.minimum(values, 0)), values)


def selu(values: Floats) -> Floats:
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    below = alpha * np.expm1(np.minimum(values, 0))
    out: Floats = scale * np.where(values > 0, values, below)
    return out


def softplus(values: Floats) -> Floats:
    out: Floats = np.maximum(values, 0) + np.log1p(np.exp(-np.abs(values)))
    return out


def softsign(values: Floats) -> Floats:
    out: Floats = values / (1 + np.abs(values))
    return out


_erf = np.frompyfunc(math.erf, 1, 1)


def gelu(values: Floats) -> Floats:
    out: Floats = values * (1 + _erf(values * math.sqrt(0.5)).astype(np.float64)) / 2
    return out


def gelu_tanh(values: Floats) -> Floats:
    argument = math.sqrt(2 / math.pi) * (values + 0.044715 * values**3)
    out: Floats = values * (1 + np.tanh(argument)) / 2
    return out


def swish(values: Floats) -> Floats:
    return values * sigmoid(values)


def mish(values: Floats) -> Floats:
    out: Floats = values * np.tanh(softplus(values))
    return out


def bounded_relu(most: float) -> Activation:
    bound = float(np.float32(most))
    return lambda values: np.maximum(0, np.minimum(bound, values))


def thresholded_relu(least: float) -> Activation:
    bound = float(np.float32(least))
    return lambda values: np.where(values <= bound, 0, values)


def hard_sigmoid(slope: float) -> Activation:
    factor = float(np.float32(slope))
    return lambda values: np.clip(factor * values + 0.5, 0, 1)


def hard_swish(values: Floats) -> Floats:
    out: Floats = values * np.clip(values / 6 + 0.5, 0, 1)
    return out


def sigmoid(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        out: Floats = 1 / (1 + np.exp(-values))
    return out


def exponential(values: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.exp(values)


def softmax(values: Floats) -> Floats:
    powers: Floats = np.exp(values - values.max(axis=-1, keepdims=True))
    out: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return out


tanh: Activation = np.tanh


@dataclass(frozen=True)
class Flat:
    """A row of numbers without a further structure."""

    numbers: int

    def __str__(self) -> str:
        return f"rows of {self.numbers} numbers"


@dataclass(frozen=True)
class Image:
    """An image: its channels one after the other, each of them line by line."""

    channels: int
    height: int
    width: int

    @property
    def numbers(self) -> int:
        return self.channels * self.height * self.width

    def __str__(self) -> str:
        return f"images of {self.channels} x {self.height} x {self.width}"


@dataclass(frozen=True)
class Series:
    """A time series: all steps of the first value, then those of the second, and so on."""

    size: int
    steps: int

    @property
    def numbers(self) -> int:
        return self.size * self.steps

    def __str__(self) -> str:
        return f"series of {self.size} numbers in {self.steps} steps"


Shape = Union[Flat, Image, Series]


@dataclass(frozen=True)
class InputRows:
    """Rows of a network's input, whose one-hot columns are stored as the index of the one.

    So memory and time of a row do not grow with the buckets of a feature.

    numbers: the columns that are no one-hots; shape [rows, numbers].
    ones: for each categorical feature the column that is 1; shape [rows, features].
    one_hot_from, one_hot_to: the range of one-hot columns.
    """

    numbers: Floats
    ones: NDArray[np.int64]
    one_hot_from: int
    one_hot_to: int

    @property
    def width(self) -> int:
        return int(self.numbers.shape[1]) + self.one_hot_to - self.one_hot_from

    def columns(self, start: int, stop: int) -> InputRange:
        return InputRange(self, start, stop)


@dataclass(frozen=True)
class InputRange:
    """Neighbouring columns of the input, from `start` to before `stop`."""

    rows: InputRows
    start: int
    stop: int

    def _numbers(self) -> tuple[slice, slice, int]:
        """The numbers before and after the one-hots in this range, and how many are before."""
        one_hots = self.rows.one_hot_to - self.rows.one_hot_from
        first_hot = self.rows.one_hot_from
        before = slice(min(self.start, first_hot), min(self.stop, first_hot))
        first = max(self.start, self.rows.one_hot_to) - one_hots
        after = slice(first, max(first, self.stop - one_hots))
        return before, after, before.stop - before.start

    def dense(self) -> Floats:
        """All columns as numbers; shape [rows, stop - start]."""
        before, after, count = self._numbers()
        numbers = self.rows.numbers
        out = np.zeros((len(numbers), self.stop - self.start))
        out[:, :count] = numbers[:, before]
        behind = after.stop - after.start
        if behind:
            out[:, -behind:] = numbers[:, after]
        for ones in self.rows.ones.T:
            inside = (ones >= self.start) & (ones < self.stop)
            out[np.flatnonzero(inside), ones[inside] - self.start] = 1
        return out

    def times(self, weights: Floats) -> Floats:
        """The product with weights of shape [stop - start, outputs]."""
        before, after, count = self._numbers()
        numbers = self.rows.numbers
        sums = numbers[:, before] @ weights[:count]
        behind = after.stop - after.start
        if behind:
            sums = sums + numbers[:, after] @ weights[-behind:]
        for ones in self.rows.ones.T:
            inside = np.flatnonzero((ones >= self.start) & (ones < self.stop))
            sums[inside] += weights[ones[inside] - self.start]
        return sums


Rows = Union[Floats, InputRange]


def _dense(rows: Rows) -> Floats:
    return rows.dense() if isinstance(rows, InputRange) else rows


class Step:
    """A step of a network: numbers of shape [rows, ...] from those of its sources.

    width: how many numbers it gives for a row.
    """

    width: int

    def run(self, sources: Sequence[Rows]) -> Rows:
        raise NotImplementedError


class Dense(Step):
    """activation(inputs x weights + bias)."""

    def __init__(self, weights: Floats, bias: Optional[Floats], activation: Activation) -> None:
        self.width = weights.shape[1]
        self._weights = weights
        self._bias = bias
        self._activation = activation

    def run(self, sources: Sequence[Rows]) -> Rows:
        rows = sources[0]
        sums = rows.times(self._weights) if isinstance(rows, InputRange) else rows @ self._weights
        if self._bias is not None:
            sums = sums + self._bias
        return rounded(self._activation(rounded(sums)))


class Activated(Step):
    """An activation function as a step of its own."""

    def __init__(self, width: int, activation: Activation) -> None:
        self.width = width
        self._activation = activation

    def run(self, sources: Sequence[Rows]) -> Rows:
        return rounded(self._activation(_dense(sources[0])))


class Columns(Step):
    """A range of columns of its source."""

    def __init__(self, start: int, stop: int) -> None:
        self.width = stop - start
        self._start = start
        self._stop = stop

    def run(self, sources: Sequence[Rows]) -> Rows:
        rows = sources[0]
        if isinstance(rows, InputRange):
            return InputRange(rows.rows, rows.start + self._start, rows.start + self._stop)
        return rows[:, self._start : self._stop]


class Merged(Step):
    """The columns of all sources side by side."""

    def __init__(self, width: int) -> None:
        self.width = width

    def run(self, sources: Sequence[Rows]) -> Rows:
        return np.concatenate([_dense(each) for each in sources], axis=1)


class Combined(Step):
    """Several sources of equal width, number by number: Add, Subtract, Product, Average or Max."""

    def __init__(self, width: int, operation: str) -> None:
        self.width = width
        self._operation = operation

    def run(self, sources: Sequence[Rows]) -> Rows:
        out = _dense(sources[0])
        for each in sources[1:]:
            more = _dense(each)
            if self._operation in ("Add", "Average"):
                out = rounded(out + more)
            elif self._operation == "Subtract":
                out = rounded(out - more)
            elif self._operation == "Product":
                out = rounded(out * more)
            else:
                out = np.maximum(out, more)
        return rounded(out / len(sources)) if self._operation == "Average" else out


class Dots(Step):
    """The dot products of all pairs of vectors of a row."""

    def __init__(self, vectors: int, dim: int) -> None:
        self.width = vectors * (vectors - 1) // 2
        self._vectors = vectors
        self._dim = dim
        self._pairs = np.triu_indices(vectors, 1)

    def run(self, sources: Sequence[Rows]) -> Rows:
        rows = _dense(sources[0]).reshape(-1, self._vectors, self._dim)
        products = rows @ rows.transpose(0, 2, 1)
        return rounded(products[:, self._pairs[0], self._pairs[1]])


class Normalization(Step):
    """Batch normalization by stored means and variances.

    means, factors, shifts: one for each channel.
    """

    def __init__(self, pixels: int, means: Floats, factors: Floats, shifts: Floats) -> None:
        self.width = len(means) * pixels
        self._shape = (-1, len(means), pixels)
        self._means = means[:, np.newaxis]
        self._factors = factors[:, np.newaxis]
        self._shifts = shifts[:, np.newaxis]

    def run(self, sources: Sequence[Rows]) -> Rows:
        rows = _dense(sources[0]).reshape(self._shape)
        out = rounded((rows - self._means) * self._factors + self._shifts)
        return out.reshape(len(out), -1)


class LayerNormalization(Step):
    """Layer normalization: over the numbers of each row.

    scales, shifts: one for each number of a row.
    """

    def __init__(self, scales: Floats, shifts: Floats, epsilon: float) -> None:
        self.width = len(scales)
        self._scales = scales
        self._shifts = shifts
        self._epsilon = epsilon

    def run(self, sources: Sequence[Rows]) -> Rows:
        rows = _dense(sources[0])
        distances = rows - rows.mean(axis=1, keepdims=True)
        spreads = np.sqrt((distances**2).mean(axis=1, keepdims=True) + self._epsilon)
        return rounded(distances / spreads * self._scales + self._shifts)


class ParametricRelu(Step):
    """Multiplies negative numbers by learned slopes.

    slopes: each is of equally many neighbouring numbers of a row.
    """

    def __init__(self, width: int, slopes: Floats) -> None:
        self.width = width
        self._slopes = np.repeat(slopes, width // len(slopes))

    def run(self, sources: Sequence[Rows]) -> Rows:
        rows = _dense(sources[0])
        return rounded(np.where(rows < 0, np.minimum(rows, 0) * self._slopes, rows))


@dataclass(frozen=True)
class Window:
    """Shape and positions of a window that moves over images.

    top, left: lines and columns of zeros before the image; below 0 they leave out parts of it.
    out_height, out_width: positions from top to bottom, and from left to right.
    """

    image: Image
    height: int
    width: int
    stride_height: int
    stride_width: int
    top: int
    left: int
    out_height: int
    out_width: int

    @property
    def places(self) -> int:
        return self.out_height * self.out_width

    @property
    def padded_height(self) -> int:
        return (self.out_height - 1) * self.stride_height + self.height

    @property
    def padded_width(self) -> int:
        return (self.out_width - 1) * self.stride_width + self.width

    def padded(self, rows: Floats, border: float) -> Floats:
        """Images with a border; shape [rows, channels, padded height, padded width]."""
        image = self.image
        images = rows.reshape(-1, image.channels, image.height, image.width)
        out = np.full(
            (len(images), image.channels, self.padded_height, self.padded_width),
            border,
            np.float64,
        )
        first_line, first_column = max(0, -self.top), max(0, -self.left)
        to_line, to_column = max(0, self.top), max(0, self.left)
        lines = max(0, min(image.height - first_line, self.padded_height - to_line))
        columns = max(0, min(image.width - first_column, self.padded_width - to_column))
        out[:, :, to_line : to_line + lines, to_column : to_column + columns] = images[
            :,
            :,
            first_line : first_line + lines,
            first_column : first_column + columns,
        ]
        return out

    def windows(self, rows: Floats, border: float) -> Floats:
        """What each place of the window sees.

        Shape [rows, channels, out height, out width, height, width]; a view.
        """
        seen = np.lib.stride_tricks.sliding_window_view(
            self.padded(rows, border), (self.height, self.width), axis=(2, 3)
        )
        return seen[:, :, :: self.stride_height, :: self.stride_width]


class Convolution(Step):
    """Filters over images.

    weights: shape [filters, channels * height * width]. bias: shape [filters], or None.
    """

    def __init__(
        self, window: Window, weights: Floats, bias: Optional[Floats], activation: Activation
    ) -> None:
        self.width = len(weights) * window.places
        self._window = window
        self._weights = weights.T
        self._bias = bias
        self._activation = activation

    def run(self, sources: Sequence[Rows]) -> Rows:
        window = self._window
        rows = _dense(sources[0])
        filters = self._weights.shape[1]
        out = np.empty((len(rows), filters, window.out_height, window.out_width))
        for row in range(len(rows)):
            seen = window.windows(rows[row : row + 1], 0)[0]
            for lines, columns in self._parts():
                part = seen[:, lines, columns].transpose(1, 2, 0, 3, 4)
                taps = part.reshape(part.shape[0] * part.shape[1], -1)
                sums = taps @ self._weights
                if self._bias is not None:
                    sums = sums + self._bias
                out[row, :, lines, columns] = sums.T.reshape(filters, *part.shape[:2])
        return rounded(self._activation(rounded(out.reshape(len(rows), -1))))

    def _parts(self) -> Iterator[tuple[slice, slice]]:
        """Lines and columns whose windows are copied side by side, within bounds of memory."""
        window = self._window
        places = max(1, _TAPS_AT_ONCE // self._weights.shape[0])
        columns = min(window.out_width, places)
        lines = max(1, places // window.out_width)
        for line in range(0, window.out_height, lines):
            for column in range(0, window.out_width, columns):
                yield slice(line, line + lines), slice(column, column + columns)


class Pooling(Step):
    """One number of each window and channel: "max", "mean" of the pixels inside the image, or
    "mean-with-border" of all pixels, those outside as zeros."""

    def __init__(self, window: Window, kind: str) -> None:
        self.width = window.image.channels * window.places
        self._window = window
        self._kind = kind

    def run(self, sources: Sequence[Rows]) -> Rows:
        window = self._window
        rows = _dense(sources[0])
        if self._kind == "max":
            out = window.windows(rows, -np.inf).max(axis=(4, 5))
        else:
            out = window.windows(rows, 0).sum(axis=(4, 5))
            out = out / (window.height * window.width if self._kind != "mean" else self._inside())
        return rounded(out.reshape(len(rows), -1))

    def _inside(self) -> Floats:
        image = self._window.image
        ones = np.ones((1, image.numbers))
        inside: Floats = self._window.windows(ones, 0).sum(axis=(4, 5))[0]
        return inside


class GlobalPooling(Step):
    """The maximum or the mean of all pixels of each channel, or of all steps of a series."""

    def __init__(self, channels: int, pixels: int, largest: bool) -> None:
        self.width = channels
        self._shape = (-1, channels, pixels)
        self._largest = largest

    def run(self, sources: Sequence[Rows]) -> Rows:
        rows = _dense(sources[0]).reshape(self._shape)
        return rounded(rows.max(axis=2) if self._largest else rows.mean(axis=2))


class LastStep(Step):
    """The values of a time series at its last step."""

    def __init__(self, series: Series) -> None:
        self.width = series.size
        self._shape = (-1, series.size, series.steps)

    def run(self, sources: Sequence[Rows]) -> Rows:
        return _dense(sources[0]).reshape(self._shape)[:, :, -1]


class Lstm(Step):
    """Long short-term memory over time series.

    weights: of the inputs, then of the outputs of the step before; shape [size + units, 4 * units].
    Of each four times units, the first are for what comes in, then those of the gates that forget,
    give out and take in. bias: shape [4 * units].
    """

    def __init__(
        self,
        series: Series,
        units: int,
        weights: Floats,
        bias: Floats,
        activation: Activation,
        gates: Activation,
    ) -> None:
        self.width = units * series.steps
        self._series = series
        self._units = units
        self._weights = weights
        self._bias = bias
        self._activation = activation
        self._gates = gates

    def run(self, sources: Sequence[Rows]) -> Rows:
        series, units = self._series, self._units
        rows = _dense(sources[0]).reshape(-1, series.size, series.steps)
        memory = np.zeros((len(rows), units))
        given = np.zeros((len(rows), units))
        out = np.empty((len(rows), units, series.steps))
        for step in range(series.steps):
            sums = rows[:, :, step] @ self._weights[: series.size] + self._bias
            sums = sums + given @ self._weights[series.size :]
            taken = self._activation(sums[:, :units])
            gates = self._gates(sums[:, units:])
            memory = gates[:, :units] * memory + gates[:, 2 * units :] * taken
            given = self._activation(memory) * gates[:, units : 2 * units]
            out[:, :, step] = given
        return rounded(out.reshape(len(rows), -1))


class MemberMean(Step):
    """The mean of a network's members, whose outputs follow each other in a row.

    If some members take a context there are three means: of the members without, of all, and of
    those with it. Means of probabilities are divided by their sum.
    """

    _LEAST = float(np.float32(1e-12))

    def __init__(self, outputs: int, members: int, plain: int, probabilities: bool) -> None:
        self._outputs = outputs
        self._members = members
        self._probabilities = probabilities
        self._ranges = [(0, plain)]
        if plain < members:
            self._ranges += [(0, members), (plain, members)]
        self.width = outputs * len(self._ranges)

    def run(self, sources: Sequence[Rows]) -> Rows:
        rows = _dense(sources[0]).reshape(-1, self._members, self._outputs)
        means = []
        for start, stop in self._ranges:
            mean = rows[:, start:stop].mean(axis=1)
            if self._probabilities:
                mean = mean + self._LEAST
                mean = mean / mean.sum(axis=1, keepdims=True)
            means.append(mean)
        return rounded(np.concatenate(means, axis=1))


@dataclass(frozen=True)
class Node:
    """A step, and the places from which it takes its inputs: 0 is the input, node i has i + 1."""

    step: Step
    sources: tuple[int, ...]


class Network:
    """A network that predicts. Immutable; any number of threads may use one at a time."""

    def __init__(self, inputs: int, nodes: Sequence[Node]) -> None:
        self.inputs = inputs
        self._nodes = tuple(nodes)
        self.outputs = self._nodes[-1].step.width
        numbers = inputs + sum(node.step.width for node in self._nodes)
        self._rows_at_once = max(1, min(_MOST_ROWS_AT_ONCE, _NUMBERS_AT_ONCE // numbers))

    def followed_by(self, step: Step) -> Network:
        """The network that a step follows, which takes its outputs."""
        return Network(self.inputs, (*self._nodes, Node(step, (len(self._nodes),))))

    @property
    def rows_at_once(self) -> int:
        """Number of rows for which one call is most efficient; more take more memory."""
        return self._rows_at_once

    def output(self, rows: InputRows) -> Floats:
        """The outputs for some rows; shape [rows, outputs]."""
        values: list[Rows] = [rows.columns(0, rows.width)]
        with np.errstate(over="ignore", invalid="ignore"):
            for node in self._nodes:
                values.append(node.step.run([values[source] for source in node.sources]))
        return _dense(values[-1])
