"""A model that predicts: a version's files, decoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import archive, configuration, mixture, network, scaler, spec
from .errors import (
    MalformedEventError,
    MalformedModelError,
    ModelError,
    UnsupportedModelError,
)
from .events import Decoder, Row, Sample
from .history import Histories, last_label
from .limits import Limits
from .manifest import Manifest
from .network import InputRows, Network
from .rows import ServedRows
from .scaler import FeatureScaler
from .spec import ModelSpec

_COLUMN_BYTES = 512
_FLOAT_BYTES = 4

Floats = NDArray[np.float64]
Rows = Union[Row, Sample, Sequence[Union[Row, Sample]], NDArray[Any]]


@dataclass(frozen=True)
class Predictions:
    """What a version predicts for some rows, in their order.

    version: the version that predicted.
    classes: names of the classes; empty for a target.
    values: probabilities of the classes, or the target in its own units; shape [rows, outputs].
    """

    version: int
    classes: tuple[str, ...]
    values: Floats

    def __len__(self) -> int:
        return len(self.values)

    @property
    def labels(self) -> list[str]:
        """The most probable class of each row; raises ValueError for a target."""
        if not self.classes:
            raise ValueError("the model predicts a target, which has no classes")
        return [self.classes[best] for best in self.values.argmax(axis=1)]

    @property
    def targets(self) -> Floats:
        """The target of each row; shape [rows]. Raises ValueError for classes."""
        if self.classes:
            raise ValueError("the model predicts classes and no target")
        return self.values[:, 0]


class Model:
    """One version of a model. Immutable; any number of threads may use one, without locks.

    A call takes memory for the numbers between the layers of some thousand rows at most.
    """

    def __init__(
        self,
        manifest: Manifest,
        digest: str,
        specification: ModelSpec,
        scaling: FeatureScaler,
        net: Network,
        experts: Optional[mixture.Mixture],
        rows: Optional[ServedRows] = None,
    ) -> None:
        self._manifest = manifest
        self._digest = digest
        self._spec = specification
        self._scaler = scaling
        self._network = net
        self._experts = experts
        self._rows = rows
        self._decoder = Decoder(specification)

    @property
    def version(self) -> int:
        """The number of the version, from 1."""
        return self._manifest.version

    @property
    def manifest(self) -> Manifest:
        """Where the version comes from: parent, offsets, counts, metrics, attributes."""
        return self._manifest

    @property
    def digest(self) -> str:
        """The SHA-256 of the manifest, in lower-case hexadecimal."""
        return self._digest

    @property
    def spec(self) -> ModelSpec:
        """The meaning of the inputs and of the label."""
        return self._spec

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, in the order of the probabilities; empty for a target."""
        return () if self._spec.label.regression else self._spec.label.classes

    @property
    def features(self) -> tuple[str, ...]:
        """Names of all fields that the model takes: dense, categorical, ids."""
        of = self._spec
        names = [each.name for each in of.dense]
        names += [each.name for each in of.categorical]
        names += [each.name for each in of.ids]
        return tuple(names)

    @property
    def rows(self) -> Optional[ServedRows]:
        """The rows of its tables; None if it has none."""
        return self._rows

    def with_rows(self, rows: ServedRows) -> Model:
        """The model with the rows of its tables."""
        return Model(
            self._manifest,
            self._digest,
            self._spec,
            self._scaler,
            self._network,
            self._experts,
            rows,
        )

    def histories(self) -> Histories:
        """Remembers the labels of keys, for predictions in context; for all versions of a model."""
        return Histories(self._spec)

    def decode(self, row: Row) -> Sample:
        """The sample of a row; raises MalformedEventError if the model does not take it."""
        return self._decoder.decode(row)

    def predict(self, rows: Rows) -> Predictions:
        """Predicts for rows.

        rows: an event, as a dict, as JSON text, or as a sample (Histories.arrived); a sequence of
        these; or a matrix of numbers, one column for each number of the dense features in the order
        of the model, in which NaN is a missing number. Categories and ids are missing in a matrix.
        Features that the model does not know are passed over.

        Raises MalformedEventError that names the row, the field and the reason, before anything is
        predicted. A prediction may not be finite if a number overflows on the way; see
        numpy.isfinite.
        """
        if isinstance(rows, np.ndarray):
            return self._predictions(self._of_matrix(rows))
        if isinstance(rows, (Mapping, str, bytes, Sample)):
            return self._predictions(self._of_samples([self._sample(rows)]))
        samples = []
        for i, row in enumerate(rows):
            try:
                samples.append(self._sample(row))
            except MalformedEventError as refused:
                raise refused.at(i) from None
        return self._predictions(self._of_samples(samples))

    def _sample(self, row: Union[Row, Sample]) -> Sample:
        if not isinstance(row, Sample):
            return self._decoder.decode(row)
        of = self._spec
        if (
            len(row.dense) != of.dense_width
            or len(row.buckets) != len(of.categorical)
            or len(row.ids) != len(of.ids)
        ):
            raise MalformedEventError(
                "event",
                f"the sample has {len(row.dense)} dense and {len(row.buckets)} categorical values"
                f" and ids of {len(row.ids)} features, the model takes {of.dense_width},"
                f" {len(of.categorical)} and {len(of.ids)}",
            )
        if row.context is not None and len(row.context) != of.context_width:
            raise MalformedEventError(
                "event",
                f"the sample has a context of {len(row.context)} values, the model takes"
                f" {of.context_width}",
            )
        return row

    def _predictions(self, values: Floats) -> Predictions:
        values.flags.writeable = False
        return Predictions(self.version, self.classes, values)

    def _of_matrix(self, numbers: NDArray[Any]) -> Floats:
        dense = self._decoder.matrix(numbers)
        of = self._spec
        out = np.empty((len(dense), of.output_width))
        step = self._network.rows_at_once
        for start in range(0, len(dense), step):
            part = dense[start : start + step]
            buckets = np.zeros((len(part), len(of.categorical)), np.int64)
            ids = [((0,),) * len(of.ids)] * len(part)
            out[start : start + step] = self._without_context(self._output(part, buckets, ids))
        return out

    def _of_samples(self, samples: Sequence[Sample]) -> Floats:
        of = self._spec
        out = np.empty((len(samples), of.output_width))
        step = self._network.rows_at_once
        for start in range(0, len(samples), step):
            part = samples[start : start + step]
            dense = np.array([each.dense for each in part]).reshape(len(part), of.dense_width)
            buckets = np.array([each.buckets for each in part], np.int64)
            output = self._output(
                dense,
                buckets.reshape(len(part), len(of.categorical)),
                [each.ids for each in part],
                [each.context for each in part],
            )
            out[start : start + step] = self._without_context(output)
            for i, sample in enumerate(part):
                if sample.context is not None and of.context_members:
                    out[start + i] = self._in_context(output[i], sample.context)
        return out

    def _output(
        self,
        dense: Floats,
        buckets: NDArray[np.int64],
        ids: Sequence[tuple[tuple[int, ...], ...]],
        contexts: Optional[Sequence[Optional[Floats]]] = None,
    ) -> Floats:
        """What the network gives for some rows; shape [rows, its outputs]."""
        of = self._spec
        numbers = [self._scaler.dense(dense)]
        if of.context_width and self._scaler.context is not None:
            context = np.zeros((len(dense), of.context_width))
            for i, values in enumerate(contexts or ()):
                if values is not None:
                    context[i] = self._scaler.context.dense(values[np.newaxis])[0]
            numbers.insert(0, context)
        if of.bins:
            numbers.append(self._scaler.encoded(dense))
        elif of.row_columns:
            # Before it has its rows, a model is tried with vectors of zeros.
            vectors = (
                np.zeros((len(dense), of.row_columns))
                if self._rows is None
                else self._rows.vectors(ids)
            )
            numbers.append(vectors)
        first = of.context_width + of.dense_width
        starts = first + np.cumsum([0] + [each.buckets for each in of.categorical])
        return self._network.output(
            InputRows(
                np.concatenate(numbers, axis=1),
                buckets + starts[:-1],
                first,
                first + of.one_hot_columns,
            )
        )

    def _unscaled(self, means: Floats) -> Floats:
        return self._scaler.target.unscaled(means) if self._spec.label.regression else means

    def _without_context(self, output: Floats) -> Floats:
        mean = self._unscaled(output[:, : self._spec.output_width])
        return mean if self._experts is None else self._experts.mean(mean)

    def _in_context(self, output: Floats, context: Floats) -> Floats:
        width = self._spec.output_width
        without, every, inside = (
            self._unscaled(output[i * width : (i + 1) * width]) for i in range(3)
        )
        if self._experts is None:
            return every
        return self._experts.mean_in_context(without, inside, last_label(self._spec, context))


def load(manifest: Manifest, digest: str, files: Mapping[str, bytes], limits: Limits) -> Model:
    """Decodes the verified files of a version, without its rows, and predicts once as a test.

    Raises MalformedModelError if a file is missing or malformed, or the files do not belong
    together; UnsupportedModelError if the network has a part that is not computed here.
    """
    try:
        return _load(manifest, digest, files, limits)
    except ModelError:
        raise
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as broken:
        raise MalformedModelError(f"the model cannot be loaded: {broken!r}") from broken


def _load(manifest: Manifest, digest: str, files: Mapping[str, bytes], limits: Limits) -> Model:
    for name in ("spec.json", "scaler.json", "model.zip"):
        if name not in files:
            raise MalformedModelError(f"the model has no {name}")
    of = spec.decode(files["spec.json"])
    _check_widths(of, limits)
    scaling = scaler.decode(files["scaler.json"])
    _check_scaler(of, scaling)
    experts = None
    if "mixture.json" in files:
        experts = mixture.decode(files["mixture.json"], of, scaling.target)
    model = Model(manifest, digest, of, scaling, _network(of, files["model.zip"], limits), experts)
    _try_once(model)
    return model


def _try_once(model: Model) -> None:
    of = model.spec
    sample = Sample(np.zeros(of.dense_width), (0,) * len(of.categorical), ((0,),) * len(of.ids))
    model.predict([sample])


def _network(of: ModelSpec, content: bytes, limits: Limits) -> Network:
    if of.network == "samediff":
        raise UnsupportedModelError("a SameDiff graph")
    entries = archive.read(content, limits.network_bytes)
    net = configuration.read(
        entries[archive.CONFIGURATION],
        archive.parameters(entries[archive.COEFFICIENTS]),
        of.input_width,
        len(of.categorical),
    )
    if net.outputs != of.network_outputs:
        raise MalformedModelError(
            f"the network gives {net.outputs} values, and its specification says"
            f" {of.network_outputs}"
        )
    if of.log_link:
        net = net.followed_by(network.Activated(net.outputs, network.exponential))
    if of.members == 1:
        return net
    return net.followed_by(
        network.MemberMean(of.output_width, of.members, of.plain_members, not of.label.regression)
    )


def _check_widths(of: ModelSpec, limits: Limits) -> None:
    """Refuses columns that would take more memory than a model may: JSON can name any width."""
    columns = of.dense_width + of.context_width
    most = limits.network_bytes
    if columns > most // _COLUMN_BYTES or of.input_width > most // _FLOAT_BYTES:
        raise MalformedModelError(
            f"spec.json has {columns} numbers and {of.input_width} columns, more than a model of"
            f" {most} bytes can have"
        )


def _check_scaler(of: ModelSpec, scaling: FeatureScaler) -> None:
    if scaling.dense_width != of.dense_width:
        raise MalformedModelError(
            f"scaler.json scales {scaling.dense_width} values, and spec.json names {of.dense_width}"
        )
    if scaling.context_width != of.context_width:
        raise MalformedModelError(
            f"scaler.json scales contexts of {scaling.context_width} values, and spec.json asks for"
            f" {of.context_width}"
        )
    if scaling.bins != of.bins:
        raise MalformedModelError(
            f"scaler.json has {scaling.bins} bins for each value, and spec.json asks for {of.bins}"
        )
    if scaling.target.log_link != of.log_link:
        takes = "takes logarithms" if scaling.target.log_link else "takes no logarithms"
        raise MalformedModelError(
            f"scaler.json {takes} of the target, and spec.json has the loss {of.loss}"
        )
