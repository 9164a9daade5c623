"""Reads a network from Deeplearning4j's JSON configuration and its parameters.

What has no influence on predictions is passed over by name. A layer, a vertex or a setting that is
not known is refused by its name, never passed over. Sizes are bounded before anything is allocated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import network as steps
from .errors import MalformedModelError, UnsupportedModelError
from .network import Activation, Flat, Image, Network, Node, Series, Shape, Step, Window

_MOST_BYTES = 16 << 20
_MOST_NUMBERS = 1 << 22
_MOST_OPERATIONS = 1 << 34
_MOST_INTEGERS = 8
_LARGEST_INT = (1 << 31) - 1

_VERTICES = "org.deeplearning4j.nn.conf.graph."
_LAYERS = "org.deeplearning4j.nn.conf.layers."
_ACTIVATIONS = "org.nd4j.linalg.activations.impl.Activation"
_PREPROCESSORS = "org.deeplearning4j.nn.conf.preprocessor."
_DROPOUT = "org.deeplearning4j.nn.conf.dropout.Dropout"
_OWN = "io.idlalayer.modelloader.network."
_DOTS = _OWN + "PairwiseDots"

_OF_NETWORKS = (
    "backpropType",
    "cacheMode",
    "dataType",
    "epochCount",
    "inferenceWorkspaceMode",
    "iterationCount",
    "tbpttBackLength",
    "tbpttFwdLength",
    "trainingWorkspaceMode",
    "validateOutputLayerConfig",
)
_OF_TRAINING = (
    "biasInit",
    "biasUpdater",
    "constraints",
    "gainInit",
    "gradientNormalization",
    "gradientNormalizationThreshold",
    "iupdater",
    "layerName",
    "lossFn",
    "regularization",
    "regularizationBias",
    "weightInitFn",
)


def malformed(what: str) -> MalformedModelError:
    return MalformedModelError(f"configuration.json is not a network that predicts: {what}")


class Settings:
    """The settings of one part; keeps track of which were read, since none may be ignored."""

    def __init__(self, owner: str, node: Any) -> None:
        if not isinstance(node, dict):
            raise malformed(f"{owner} has no settings")
        self.owner = owner
        self._node = node
        self._read: set[str] = set()

    def pass_over(self, *names: str) -> None:
        """Marks settings as read that have no influence on predictions."""
        self._read.update(names)

    def take(self, name: str) -> Any:
        """Marks a setting as read and returns it; None if it is missing or null."""
        self._read.add(name)
        return self._node.get(name)

    def text(self, name: str) -> str:
        value = self.take(name)
        if not isinstance(value, str):
            raise malformed(f"{self.owner} has no text '{name}'")
        return value

    def integer(self, name: str) -> int:
        value = self.take(name)
        if not _is_int(value):
            raise malformed(f"{self.owner} has no number '{name}'")
        return int(value)

    def integers(self, name: str) -> list[int]:
        values = self.take(name)
        if (
            not isinstance(values, list)
            or not 0 < len(values) <= _MOST_INTEGERS
            or not all(_is_int(each) for each in values)
        ):
            raise malformed(f"{self.owner} has no numbers '{name}'")
        return values

    def flag(self, name: str) -> bool:
        value = self.take(name)
        if not isinstance(value, bool):
            raise malformed(f"{self.owner} has no flag '{name}'")
        return value

    def number(self, name: str, otherwise: float) -> float:
        value = self.take(name)
        if value is None:
            return otherwise
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not _finite(value):
            raise malformed(f"{self.owner} has no number '{name}'")
        return float(value)

    def check_null(self, name: str) -> None:
        """Refuses a setting that is present."""
        value = self.take(name)
        if value is not None:
            kind = value.get("@class", value) if isinstance(value, dict) else value
            raise UnsupportedModelError(f"{name} {kind} of {self.owner}")

    def check_text(self, name: str, known: str) -> None:
        """Refuses a text other than the only supported one; it may be missing."""
        if self.take(name) is not None and self.text(name) != known:
            raise UnsupportedModelError(f"{name} {self.text(name)} of {self.owner}")

    def check_all_known(self) -> None:
        """Refuses settings that were not read, because they may change predictions."""
        for name in self._node:
            if name not in self._read:
                raise UnsupportedModelError(f"setting '{name}' of {self.owner}")


def _is_int(value: Any) -> bool:
    return (
        isinstance(value, int)
        and not isinstance(value, bool)
        and -_LARGEST_INT - 1 <= value <= _LARGEST_INT
    )


def _finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


class _Rows:
    """The output of a step, or the network's input: its place among the nodes, and its shape."""

    def __init__(self, place: int, shape: Shape) -> None:
        self.place = place
        self.shape = shape

    @property
    def width(self) -> int:
        return self.shape.numbers

    def as_shape(self, shape: Shape) -> _Rows:
        return _Rows(self.place, shape)


def bounded(width: int) -> int:
    """A width; refuses one that is too large, so that a small file causes no large allocation."""
    if not 1 <= width <= _MOST_NUMBERS:
        raise malformed(
            f"it has {width} numbers between its layers for a row; 1 to {_MOST_NUMBERS} are"
            " computed"
        )
    return width


class _Draft:
    """A network under construction: its steps, and the memory and operations that they need."""

    def __init__(self, inputs: int, ones: int, parameters: NDArray[np.float32]) -> None:
        self._inputs = inputs
        self._ones = ones
        self._parameters = parameters
        self._used = 0
        self._numbers = 0
        self._operations = 0
        self._nodes: list[Node] = []

    def input(self) -> _Rows:
        self.count(self._inputs)
        return _Rows(0, Flat(self._inputs))

    def add(self, step: Step, shape: Shape, sources: Sequence[_Rows]) -> _Rows:
        self.count(step.width)
        self.work(self._ones)
        self._nodes.append(Node(step, tuple(each.place for each in sources)))
        return _Rows(len(self._nodes), shape)

    def take(self, layer: str, count: int) -> NDArray[np.float64]:
        """The next parameters of the file, for a layer."""
        left = len(self._parameters) - self._used
        if not 0 <= count <= left:
            raise malformed(f"{layer} needs {count} parameters, but the file has only {left} left")
        self._used += count
        return self._parameters[self._used - count : self._used].astype(np.float64)

    def count(self, more: int) -> None:
        """Counts further numbers that a row needs in memory."""
        self._numbers += more
        bounded(self._numbers)

    def work(self, more: int) -> None:
        """Counts further operations for a row."""
        self._operations += more
        if self._operations > _MOST_OPERATIONS:
            raise malformed(f"it needs more than {_MOST_OPERATIONS} operations for a row")

    def network(self, end: _Rows) -> Network:
        if end.place == 0 or end.place != len(self._nodes):
            raise malformed("it does not end with its output layer")
        if self._used != len(self._parameters):
            raise MalformedModelError(
                f"the network has {self._used} parameters, but {len(self._parameters)} are stored"
            )
        return Network(self._inputs, self._nodes)


def read(content: bytes, parameters: NDArray[np.float32], inputs: int, ones: int) -> Network:
    """The network of a configuration.

    inputs: columns of its input; ones: how many of them are one-hots that are 1.
    """
    if len(content) > _MOST_BYTES:
        raise malformed(f"it has more than {_MOST_BYTES} bytes")
    try:
        root = json.loads(content.decode("utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as broken:
        raise MalformedModelError(f"configuration.json cannot be read: {broken}") from broken
    if not isinstance(root, dict):
        raise malformed("it is no object")
    draft = _Draft(inputs, ones, parameters)
    reader = _Reader(draft)
    graph = "vertices" in root
    if graph == ("confs" in root):
        raise malformed("it must have either 'confs' or 'vertices', and not both")
    first = draft.input()
    return draft.network(reader.graph(root, first) if graph else reader.stack(root, first))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name comes twice")
    return found


class _Reader:
    """Reads layers and vertices, each after those that it takes."""

    def __init__(self, draft: _Draft) -> None:
        self._draft = draft

    def stack(self, root: dict[str, Any], rows: _Rows) -> _Rows:
        settings = Settings("the network", root)
        settings.pass_over("confs", *_OF_NETWORKS)
        before = settings.take("inputPreProcessors")
        settings.check_all_known()
        stacked = root["confs"]
        if not isinstance(stacked, list) or not stacked:
            raise malformed("it has no layers")
        if before is not None and not isinstance(before, dict):
            raise malformed("its preprocessors are no object")
        prepared = before or {}
        known = {str(i) for i in range(len(stacked))}
        for i, layer in enumerate(stacked):
            name = f"layer {i}"
            rows = _prepared(name, prepared.get(str(i)), rows)
            rows = self._layer(name, layer, rows, i == len(stacked) - 1)
        if not set(prepared) <= known:
            raise malformed("it has preprocessors for layers that do not exist")
        return rows

    def graph(self, root: dict[str, Any], first: _Rows) -> _Rows:
        settings = Settings("the graph", root)
        settings.pass_over(
            "defaultConfiguration", "topologicalOrder", "vertexInputs", "vertices", *_OF_NETWORKS
        )
        inputs = _names(settings.take("networkInputs"), "networkInputs")
        outputs = _names(settings.take("networkOutputs"), "networkOutputs")
        order = _names(settings.take("topologicalOrderStr"), "topologicalOrderStr")
        settings.check_all_known()
        if len(inputs) != 1 or len(outputs) != 1:
            raise malformed(f"it has {len(inputs)} inputs and {len(outputs)} outputs")
        vertices = root["vertices"]
        sources = root.get("vertexInputs")
        if not isinstance(vertices, dict) or not isinstance(sources, dict):
            raise malformed("it has no vertices with inputs")
        every = set(vertices) | {inputs[0]}
        if len(order) != len(every) or every != set(order):
            raise malformed("its order does not name each vertex once")
        given = {inputs[0]: first}
        for name in order:
            if name == inputs[0]:
                continue
            found = []
            for source in _names(sources.get(name), f"the inputs of vertex '{name}'"):
                if source not in given:
                    raise malformed(f"vertex '{name}' comes before its input '{source}'")
                found.append(given[source])
            if not found:
                raise malformed(f"vertex '{name}' has no inputs")
            given[name] = self._vertex(name, vertices[name], found, name == outputs[0])
        if outputs[0] not in given:
            raise malformed(f"it has no vertex '{outputs[0]}'")
        return given[outputs[0]]

    def _vertex(self, name: str, vertex: Any, sources: list[_Rows], last: bool) -> _Rows:
        what = f"vertex '{name}'"
        settings = Settings(what, vertex)
        kind = settings.text("@class")
        if kind == _VERTICES + "LayerVertex":
            settings.pass_over("outputVertex", "layerConf")
            rows = _prepared(what, settings.take("preProcessor"), _only(what, sources))
            settings.check_all_known()
            rows = self._layer(what, vertex.get("layerConf"), rows, last)
        elif kind == _VERTICES + "PreprocessorVertex":
            rows = _prepared(what, settings.take("preProcessor"), _only(what, sources))
        elif kind == _VERTICES + "ReshapeVertex":
            rows = _reshaped(settings, _only(what, sources))
        elif kind == _VERTICES + "rnn.LastTimeStepVertex":
            settings.pass_over("maskArrayInputName")
            rows = self._last_step(_only(what, sources))
        elif kind == _VERTICES + "SubsetVertex":
            rows = self._columns(settings, _only(what, sources))
        elif kind == _VERTICES + "MergeVertex":
            settings.pass_over("modified")
            axis = settings.integer("mergeAxis")
            if axis != 1:
                raise UnsupportedModelError(f"merge axis {axis} of {name}")
            rows = self._merged(what, sources)
        elif kind == _VERTICES + "ElementWiseVertex":
            rows = self._combined(settings, sources)
        elif kind == _DOTS:
            rows = self._dots(settings, sources)
        else:
            raise UnsupportedModelError(f"{what}, a {kind},")
        settings.check_all_known()
        return rows

    def _columns(self, settings: Settings, rows: _Rows) -> _Rows:
        _check_flat(settings.owner, rows)
        start, last = settings.integer("from"), settings.integer("to")
        if start < 0 or last < start or last >= rows.width:
            raise malformed(f"{settings.owner} takes columns {start} to {last} of {rows.width}")
        step = steps.Columns(start, last + 1)
        return self._draft.add(step, Flat(step.width), [rows])

    def _merged(self, what: str, sources: list[_Rows]) -> _Rows:
        first = sources[0]
        if len(sources) == 1:
            return first
        for each in sources:
            if isinstance(first.shape, Image):
                same = (
                    isinstance(each.shape, Image)
                    and each.shape.height == first.shape.height
                    and each.shape.width == first.shape.width
                )
                if not same:
                    raise malformed(f"{what} merges {first.shape} and {each.shape}")
            else:
                _check_flat(what, each)
        width = bounded(sum(each.width for each in sources))
        shape: Shape = Flat(width)
        if isinstance(first.shape, Image):
            pixels = first.shape.height * first.shape.width
            shape = Image(width // pixels, first.shape.height, first.shape.width)
        return self._draft.add(steps.Merged(width), shape, sources)

    def _combined(self, settings: Settings, sources: list[_Rows]) -> _Rows:
        name = settings.text("op")
        if name not in ("Add", "Subtract", "Product", "Average", "Max"):
            raise UnsupportedModelError(f"operation '{name}' of {settings.owner}")
        shape = sources[0].shape
        same = all(each.shape == shape for each in sources)
        if not same or (name == "Subtract" and len(sources) != 2):
            raise malformed(
                f"{settings.owner} combines inputs of different shapes, or subtracts with other"
                " than two inputs"
            )
        self._draft.count(shape.numbers * (len(sources) - 1))
        return self._draft.add(steps.Combined(shape.numbers, name), shape, sources)

    def _dots(self, settings: Settings, sources: list[_Rows]) -> _Rows:
        dim = settings.integer("dim")
        for each in sources:
            _check_flat(settings.owner, each)
            if dim < 1 or each.width < dim or each.width % dim:
                raise malformed(
                    f"{settings.owner} takes vectors of {dim}, and gets rows of {each.width}"
                )
        rows = self._merged(settings.owner, sources)
        vectors = rows.width // dim
        pairs = bounded(vectors * (vectors - 1) // 2)
        return self._draft.add(steps.Dots(vectors, dim), Flat(pairs), [rows])

    def _layer(self, name: str, configuration: Any, rows: _Rows, last: bool) -> _Rows:
        outer = Settings(name, configuration)
        outer.pass_over(
            "cacheMode",
            "dataType",
            "epochCount",
            "iterationCount",
            "layer",
            "maxNumLineSearchIterations",
            "miniBatch",
            "minimize",
            "optimizationAlgo",
            "seed",
            "stepFunction",
            "variables",
        )
        outer.check_all_known()
        settings = Settings(name, configuration.get("layer"))
        kind = settings.text("@class")
        ends = kind in (_LAYERS + "OutputLayer", _LAYERS + "LossLayer")
        readers = {
            "DenseLayer": self._dense,
            "OutputLayer": self._dense,
            "LossLayer": self._activated,
            "ActivationLayer": self._activated,
            "DropoutLayer": self._dropped,
            "ConvolutionLayer": self._convolution,
            "SubsamplingLayer": self._pooling,
            "GlobalPoolingLayer": self._global_pooling,
            "BatchNormalization": self._normalization,
            "PReLULayer": self._rectified,
            "LSTM": self._recurrent,
            "recurrent.LastTimeStep": self._last_of,
        }
        reader = readers.get(kind[len(_LAYERS) :]) if kind.startswith(_LAYERS) else None
        if kind == _OWN + "LayerNormalization":
            reader = self._layer_normalization
        if reader is None:
            raise UnsupportedModelError(f"{name}, a {kind},")
        if ends != last:
            raise malformed(
                f"{name} is the last layer, but not an output layer"
                if last
                else f"{name} is an output layer, but not the last layer"
            )
        return reader(settings, rows, last)

    def _dense(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        _check_usual(settings)
        _check_format(settings, rows)
        if not last and settings.flag("hasLayerNorm"):
            raise UnsupportedModelError(f"layer normalization of {settings.owner}")
        inputs, outputs = settings.integer("nin"), settings.integer("nout")
        biased = settings.flag("hasBias")
        activation, _ = _activation(settings, "activationFn")
        settings.check_all_known()
        _check_takes_rows(settings.owner, rows)
        if inputs != rows.width:
            raise _misfit(settings.owner, inputs, rows.width)
        bounded(outputs)
        count = inputs * outputs + (outputs if biased else 0)
        stored = self._draft.take(settings.owner, count)
        self._draft.work(count)
        weights = np.ascontiguousarray(stored[: inputs * outputs].reshape(outputs, inputs).T)
        bias = stored[inputs * outputs :] if biased else None
        return self._draft.add(steps.Dense(weights, bias, activation), Flat(outputs), [rows])

    def _activated(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        _check_usual(settings)
        _check_format(settings, rows)
        settings.pass_over("nin", "nout")
        activation: Activation = steps.identity
        elementwise = True
        if settings.take("activationFn") is not None:
            activation, elementwise = _activation(settings, "activationFn")
        settings.check_all_known()
        if last:
            _check_takes_rows(settings.owner, rows)
        _check_elementwise(settings.owner, elementwise, rows.shape)
        return self._draft.add(steps.Activated(rows.width, activation), rows.shape, [rows])

    def _dropped(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        settings.pass_over("activationFn", "nin", "nout")
        _check_usual(settings)
        _check_format(settings, rows)
        settings.check_all_known()
        return rows

    def _convolution(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        name = settings.owner
        _check_usual(settings)
        settings.check_null("timeDistributedFormat")
        settings.pass_over(
            "cudnnAlgoMode",
            "cudnnAllowFallback",
            "cudnnBwdDataAlgo",
            "cudnnBwdFilterAlgo",
            "cudnnFwdAlgo",
        )
        channels, filters = settings.integer("nin"), settings.integer("nout")
        biased = settings.flag("hasBias")
        activation, elementwise = _activation(settings, "activationFn")
        windows = _Windows(settings)
        settings.check_all_known()
        image = _image(name, rows)
        if channels != image.channels:
            raise _misfit(name, channels, image.channels)
        window = windows.over(image)
        if window.top < 0 or window.left < 0:
            raise malformed(f"{name} has strides with which its filters leave out the image's edge")
        bounded(filters)
        width = bounded(filters * window.places)
        padded = bounded(window.padded_height * window.padded_width)
        self._draft.count(bounded(image.channels * padded))
        taps = bounded(window.height * window.width) * image.channels
        count = filters * taps + (filters if biased else 0)
        stored = self._draft.take(name, count)
        self._draft.work(width * taps)
        shape = Image(filters, window.out_height, window.out_width)
        _check_elementwise(name, elementwise, shape)
        bias = stored[:filters] if biased else None
        weights = stored[filters if biased else 0 :].reshape(filters, taps)
        return self._draft.add(steps.Convolution(window, weights, bias, activation), shape, [rows])

    def _pooling(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        name = settings.owner
        _check_usual(settings)
        settings.pass_over("cudnnAllowFallback", "eps", "pnorm")
        border = settings.flag("avgPoolIncludePadInDivisor")
        largest = _largest(settings)
        windows = _Windows(settings)
        settings.check_all_known()
        image = _image(name, rows)
        window = windows.over(image)
        if not windows.same and any(
            padding >= size for padding, size in zip(windows.padding, windows.size)
        ):
            raise malformed(f"{name} has windows that do not touch the image")
        width = bounded(image.channels * window.places)
        padded = bounded(window.padded_height * window.padded_width)
        self._draft.count(bounded(image.channels * padded))
        seen = min(window.height, image.height) * min(window.width, image.width)
        self._draft.work(width * seen)
        kind = "max" if largest else "mean-with-border" if border else "mean"
        return self._draft.add(
            steps.Pooling(window, kind),
            Image(image.channels, window.out_height, window.out_width),
            [rows],
        )

    def _global_pooling(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        name = settings.owner
        _check_usual(settings)
        settings.pass_over("pnorm")
        largest = _largest(settings)
        if not settings.flag("collapseDimensions"):
            raise UnsupportedModelError(f"kept dimensions of {name}")
        dimensions = (
            settings.integers("poolingDimensions") if settings.take("poolingDimensions") else None
        )
        settings.check_all_known()
        if dimensions not in (None, [2], [2, 3]):
            raise UnsupportedModelError(f"choice of dimensions of {name}")
        shape = rows.shape
        if isinstance(shape, Image) and dimensions != [2]:
            channels = shape.channels
        elif isinstance(shape, Series) and dimensions != [2, 3]:
            channels = shape.size
        else:
            raise malformed(f"{name} cannot pool {shape}")
        step = steps.GlobalPooling(channels, rows.width // channels, largest)
        return self._draft.add(step, Flat(channels), [rows])

    def _normalization(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        name = settings.owner
        _check_usual(settings)
        settings.check_null("timeDistributedFormat")
        # Deeplearning4j does not apply the activation of this layer.
        settings.pass_over("activationFn", "beta", "cudnnAllowFallback", "decay", "gamma", "nin")
        settings.check_text("cnn2DFormat", "NCHW")
        if settings.flag("lockGammaBeta") or not settings.flag("minibatch"):
            raise UnsupportedModelError(f"fixed scale or missing mini-batch of {name}")
        channels, eps = settings.integer("nout"), settings.number("eps", 0)
        logarithms = settings.flag("useLogStd")
        settings.check_all_known()
        shape = rows.shape
        pixels = 1
        if isinstance(shape, Image):
            pixels = shape.height * shape.width
        elif isinstance(shape, Series):
            pixels = shape.steps
        if channels < 1 or channels * pixels != rows.width:
            raise _misfit(name, channels * pixels, rows.width)
        scales, shifts, means, spreads = self._draft.take(name, 4 * channels).reshape(4, channels)
        with np.errstate(all="ignore"):
            variances = 10 ** (2 * spreads) if logarithms else spreads
            factors = steps.rounded(scales / np.sqrt(variances + eps))
        step = steps.Normalization(pixels, means, factors, shifts)
        return self._draft.add(step, shape, [rows])

    def _layer_normalization(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        name = settings.owner
        _check_usual(settings)
        _check_format(settings, rows)
        # As for a batch normalization, the activation of this layer is not applied.
        settings.pass_over("activationFn", "nin")
        width, eps = settings.integer("nout"), settings.number("eps", 0)
        settings.check_all_known()
        _check_takes_rows(name, rows)
        if width != rows.width:
            raise _misfit(name, width, rows.width)
        scales, shifts = self._draft.take(name, 2 * width).reshape(2, width)
        return self._draft.add(steps.LayerNormalization(scales, shifts, eps), rows.shape, [rows])

    def _rectified(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        name = settings.owner
        _check_usual(settings)
        settings.check_null("timeDistributedFormat")
        # As for a batch normalization, the activation of this layer is not applied.
        settings.pass_over("activationFn", "nin", "nout")
        shape = settings.integers("inputShape")
        shared = settings.integers("sharedAxes") if settings.take("sharedAxes") else []
        settings.check_all_known()
        count = _slopes(shape, shared, rows.shape)
        if count < 1:
            raise UnsupportedModelError(
                f"{name}, whose slopes have another shape than {rows.shape},"
            )
        slopes = self._draft.take(name, count)
        return self._draft.add(steps.ParametricRelu(rows.width, slopes), rows.shape, [rows])

    def _recurrent(self, settings: Settings, rows: _Rows, last: bool) -> _Rows:
        name = settings.owner
        _check_usual(settings)
        settings.check_null("timeDistributedFormat")
        settings.pass_over("forgetGateBiasInit", "helperAllowFallback", "weightInitFnRecurrent")
        settings.check_text("rnnDataFormat", "NCW")
        size, units = settings.integer("nin"), settings.integer("nout")
        activation, elementwise = _activation(settings, "activationFn")
        gates, elementwise_gates = _activation(settings, "gateActivationFn")
        settings.check_all_known()
        series = rows.shape
        if not isinstance(series, Series):
            raise malformed(f"{name} takes time series, and gets {series}")
        if size != series.size:
            raise _misfit(name, size, series.size)
        bounded(units)
        bounded(units * series.steps)
        shape = Series(units, series.steps)
        _check_elementwise(name, elementwise and elementwise_gates, shape)
        width = 4 * units
        count = width * (size + units + 1)
        stored = self._draft.take(name, count)
        self._draft.work(count * series.steps)
        of_inputs = stored[: size * width].reshape(width, size).T
        of_outputs = stored[size * width : (size + units) * width].reshape(width, units).T
        step = steps.Lstm(
            series,
            units,
            np.concatenate([of_inputs, of_outputs]),
            stored[(size + units) * width :],
            activation,
            gates,
        )
        return self._draft.add(step, shape, [rows])

    def _last_of(self, outer: Settings, rows: _Rows, last: bool) -> _Rows:
        name = outer.owner
        outer.pass_over(*_OF_TRAINING)
        outer.check_null("idropout")
        inner = outer.take("underlying")
        outer.check_all_known()
        if inner is None:
            raise malformed(f"{name} has no underlying layer")
        settings = Settings(name, inner)
        kind = settings.text("@class")
        if kind != _LAYERS + "LSTM":
            raise UnsupportedModelError(f"{name}, the last step of a {kind},")
        return self._last_step(self._recurrent(settings, rows, last))

    def _last_step(self, rows: _Rows) -> _Rows:
        if not isinstance(rows.shape, Series):
            raise malformed(f"the last step of {rows.shape}")
        return self._draft.add(steps.LastStep(rows.shape), Flat(rows.shape.size), [rows])


class _Windows:
    """The way in which a window moves over images; of each pair, the first is for lines."""

    def __init__(self, settings: Settings) -> None:
        self._name = settings.owner
        settings.check_text("cnn2dDataFormat", "NCHW")
        if settings.integers("dilation") != [1, 1]:
            raise UnsupportedModelError(f"dilation of {settings.owner}")
        mode = settings.text("convolutionMode")
        if mode not in ("Same", "Truncate", "Strict"):
            raise UnsupportedModelError(f"convolution mode {mode} of {settings.owner}")
        self.same = mode == "Same"
        self._exact = mode == "Strict"
        self.size = settings.integers("kernelSize")
        self._stride = settings.integers("stride")
        self.padding = settings.integers("padding")
        if any(len(each) != 2 for each in (self.size, self._stride, self.padding)):
            raise malformed(f"{self._name} has windows of other than two dimensions")

    def over(self, image: Image) -> Window:
        places, before = [], []
        for i, size in enumerate((image.height, image.width)):
            places.append(self._places(i, size))
            needed = (places[i] - 1) * self._stride[i] + self.size[i] - size
            # Deeplearning4j divides towards 0: with large strides pooling leaves out an edge.
            before.append(int(needed / 2) if self.same else self.padding[i])
        bounded(places[0] * places[1])
        return Window(
            image,
            self.size[0],
            self.size[1],
            self._stride[0],
            self._stride[1],
            before[0],
            before[1],
            places[0],
            places[1],
        )

    def _places(self, i: int, size: int) -> int:
        stride, padding, window = self._stride[i], self.padding[i], self.size[i]
        if window < 1 or stride < 1 or padding < 0 or max(window, stride, padding) > _MOST_NUMBERS:
            raise malformed(f"{self._name} has windows of an impossible size")
        if self.same:
            return (size - 1) // stride + 1
        free = size + 2 * padding - window
        if free < 0:
            raise UnsupportedModelError(
                f"{self._name} with windows of {window} over {size + 2 * padding} pixels"
            )
        if self._exact and free % stride:
            raise malformed(
                f"{self._name} has windows of {window} over {size + 2 * padding} pixels"
            )
        return free // stride + 1


def _names(texts: Any, what: str) -> list[str]:
    if not isinstance(texts, list):
        raise malformed(f"{what} is missing")
    if not all(isinstance(each, str) for each in texts):
        raise malformed(f"{what} has a value that is not a name")
    return texts


def _only(what: str, sources: list[_Rows]) -> _Rows:
    if len(sources) != 1:
        raise malformed(f"{what} has {len(sources)} inputs instead of one")
    return sources[0]


def _check_flat(what: str, rows: _Rows) -> None:
    if not isinstance(rows.shape, Flat):
        raise UnsupportedModelError(f"{what} over {rows.shape}")


def _check_takes_rows(name: str, rows: _Rows) -> None:
    if not isinstance(rows.shape, Flat):
        raise malformed(f"{name} takes rows, and gets {rows.shape}")


def _slopes(shape: list[int], shared: list[int], rows: Shape) -> int:
    """Slopes of a rectifier: one for each channel or a single one; 0 if it has others."""
    if isinstance(rows, Image):
        sizes = [rows.channels, rows.height, rows.width]
    elif isinstance(rows, Series):
        sizes = [rows.size, rows.steps]
    else:
        sizes = [rows.numbers]
    if len(shape) != len(sizes) or any(not 1 <= axis <= len(sizes) for axis in shared):
        return 0
    for axis, (given, size) in enumerate(zip(shape, sizes), 1):
        # Deeplearning4j writes 1 for a shared dimension once it has initialized the layer.
        fits = given == size or (axis in shared and given == 1)
        if not fits or (axis > 1 and axis not in shared and size > 1):
            return 0
    return 1 if 1 in shared else sizes[0]


def _check_elementwise(name: str, elementwise: bool, shape: Shape) -> None:
    if not elementwise and not isinstance(shape, Flat):
        raise UnsupportedModelError(f"softmax of {name} over {shape}")


def _misfit(name: str, wanted: int, found: int) -> MalformedModelError:
    return malformed(f"{name} takes {wanted} numbers, and gets {found}")


def _image(name: str, rows: _Rows) -> Image:
    if not isinstance(rows.shape, Image):
        raise malformed(f"{name} takes images, and gets {rows.shape}")
    return rows.shape


def _largest(settings: Settings) -> bool:
    kind = settings.text("poolingType")
    if kind not in ("MAX", "AVG"):
        raise UnsupportedModelError(f"pooling {kind} of {settings.owner}")
    return kind == "MAX"


def _check_usual(settings: Settings) -> None:
    settings.pass_over(*_OF_TRAINING)
    settings.check_null("weightNoise")
    dropout = settings.take("idropout")
    usual = isinstance(dropout, dict) and dropout.get("@class") == _DROPOUT
    if dropout is not None and not usual:
        settings.check_null("idropout")


def _check_format(settings: Settings, rows: _Rows) -> None:
    if isinstance(rows.shape, Flat):
        settings.pass_over("timeDistributedFormat")
    else:
        settings.check_null("timeDistributedFormat")


def _activation(layer: Settings, name: str) -> tuple[Activation, bool]:
    """An activation function, and whether it works on each number alone."""
    function = layer.take(name)
    if function is None:
        raise malformed(f"{layer.owner} has no {name}")
    settings = Settings(f"the activation of {layer.owner}", function)
    kind = settings.text("@class")
    known: dict[str, Activation] = {
        "Identity": steps.identity,
        "TanH": steps.tanh,
        "Sigmoid": steps.sigmoid,
        "SELU": steps.selu,
        "SoftPlus": steps.softplus,
        "SoftSign": steps.softsign,
        "Swish": steps.swish,
        "Mish": steps.mish,
        "Softmax": steps.softmax,
    }
    short = kind[len(_ACTIVATIONS) :] if kind.startswith(_ACTIVATIONS) else ""
    if short == "ReLU":
        if settings.number("threshold", 0) != 0 or settings.number("negativeSlope", 0) != 0:
            raise UnsupportedModelError(f"threshold or slope of {settings.owner}")
        most = settings.number("max", math.inf)
        activation: Activation = steps.relu if most == math.inf else steps.bounded_relu(most)
    elif short == "LReLU":
        activation = steps.leaky_relu(settings.number("alpha", 0.01))
    elif short == "ReLU6":
        activation = steps.bounded_relu(6)
    elif short == "ThresholdedReLU":
        activation = steps.thresholded_relu(settings.number("theta", 1))
    elif kind in (_ACTIVATIONS + "HardSigmoid", _OWN + "HardSigmoid"):
        activation = steps.hard_sigmoid(settings.number("alpha", 0.2))
    elif kind == _OWN + "HardSwish":
        activation = steps.hard_swish
    elif kind in (_ACTIVATIONS + "ELU", _OWN + "Elu"):
        activation = steps.elu(settings.number("alpha", 1))
    elif short in known:
        activation = known[short]
    elif kind == _OWN + "Gelu":
        approximate = settings.text("approximate")
        if approximate not in ("none", "tanh"):
            raise UnsupportedModelError(f"approximation {approximate} of {settings.owner}")
        activation = steps.gelu if approximate == "none" else steps.gelu_tanh
    else:
        raise UnsupportedModelError(f"activation {kind} of {layer.owner}")
    settings.check_all_known()
    return activation, short != "Softmax"


def _reshaped(settings: Settings, rows: _Rows) -> _Rows:
    sizes = settings.integers("newShape")
    settings.check_null("maskShape")
    settings.check_text("reshapeOrder", "c")
    positive = all(size > 0 for size in sizes[1:])
    fits = positive and math.prod(sizes[1:]) == rows.width
    if not 2 <= len(sizes) <= 4 or sizes[0] != -1 or not fits:
        raise malformed(f"{settings.owner} makes {sizes} of rows of {rows.width} numbers")
    if len(sizes) == 2:
        return rows.as_shape(Flat(sizes[1]))
    if len(sizes) == 3:
        return rows.as_shape(Series(sizes[1], sizes[2]))
    return rows.as_shape(Image(sizes[1], sizes[2], sizes[3]))


def _prepared(layer: str, preprocessor: Any, rows: _Rows) -> _Rows:
    """The rows after a preprocessor, which keeps the numbers and their order."""
    if preprocessor is None:
        return rows
    settings = Settings(f"the preprocessor of {layer}", preprocessor)
    kind = settings.text("@class")
    if kind == _PREPROCESSORS + "FeedForwardToCnnPreProcessor":
        rows = rows.as_shape(_image_of(settings, rows))
    elif kind == _PREPROCESSORS + "CnnToFeedForwardPreProcessor":
        settings.check_text("format", "NCHW")
        rows = rows.as_shape(Flat(_image_of(settings, rows).numbers))
    elif kind == _PREPROCESSORS + "RnnToFeedForwardPreProcessor":
        # Deeplearning4j puts one behind the pooling of a series, where it does nothing.
        _check_flat(settings.owner, rows)
        settings.pass_over("rnnDataFormat")
    else:
        raise UnsupportedModelError(f"preprocessor {kind} of {layer}")
    settings.check_all_known()
    return rows


def _image_of(settings: Settings, rows: _Rows) -> Image:
    channels = settings.integer("numChannels")
    height, width = settings.integer("inputHeight"), settings.integer("inputWidth")
    positive = channels > 0 and height > 0 and width > 0
    if not positive or channels * height * width != rows.width:
        raise malformed(
            f"{settings.owner} is for images of {channels} x {height} x {width}, and gets"
            f" {rows.shape}"
        )
    image = Image(channels, height, width)
    shape: Optional[Shape] = rows.shape
    if isinstance(shape, Series) or (isinstance(shape, Image) and shape != image):
        raise malformed(f"{settings.owner} is for {image}, and gets {shape}")
    return image
