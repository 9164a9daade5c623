"""The experts whose weighted mean a version predicts, `mixture.json`. Immutable."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .errors import MalformedModelError
from .scaler import TargetScaling
from .spec import ModelSpec

_FORMAT_VERSION = 2
_ROUNDING = 1e-6

NETWORK = "network"
WITHOUT_CONTEXT = "members-without-context"
IN_CONTEXT = "members-in-context"
PRIOR = "prior"
NO_CHANGE = "no-change"
_KINDS = (NETWORK, PRIOR)
_KINDS_IN_CONTEXT = (NETWORK, WITHOUT_CONTEXT, IN_CONTEXT, PRIOR, NO_CHANGE)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Expert:
    """An expert and its weight, 0 to 1.

    values: what a prior predicts. repeats: for each class the probability that it follows itself.
    """

    kind: str
    weight: float
    values: Optional[Floats]
    repeats: Optional[Floats]


class Mixture:
    """Turns the prediction of a network into the weighted mean of the experts."""

    def __init__(
        self,
        experts: tuple[Expert, ...],
        in_context: tuple[Expert, ...],
        spec: ModelSpec,
        target: TargetScaling,
    ) -> None:
        self._experts = experts
        self._in_context = in_context
        self._spec = spec
        self._target = target
        prior = next(each.values for each in experts if each.kind == PRIOR)
        assert prior is not None
        self._prior: Floats = prior
        weights = {each.kind: each.weight for each in in_context}
        without, inside = weights.get(WITHOUT_CONTEXT, 0.0), weights.get(IN_CONTEXT, 0.0)
        self._context_share = inside / (without + inside) if without + inside > 0 else 0.5

    def mean(self, network: Floats) -> Floats:
        """The mean for rows without context; shape [rows, outputs], as the network's."""
        out = np.zeros_like(network)
        for expert in self._experts:
            out += expert.weight * (network if expert.kind == NETWORK else self._prior)
        return out

    def mean_in_context(self, without: Floats, inside: Floats, last: float) -> Floats:
        """The mean for a row in context.

        without, inside: means of the members by whether they take it; shape [outputs].
        last: the last label of its key; NaN if none is known.
        """
        out = np.zeros_like(without)
        share = self._context_share
        for expert in self._in_context:
            if expert.kind == NETWORK:
                predicted = (1 - share) * without + share * inside
            elif expert.kind == WITHOUT_CONTEXT:
                predicted = without
            elif expert.kind == IN_CONTEXT:
                predicted = inside
            elif expert.kind == PRIOR:
                predicted = self._prior
            else:
                predicted = self._no_change(expert, last)
            out += expert.weight * predicted
        return out

    def _no_change(self, expert: Expert, last: float) -> Floats:
        if math.isnan(last):
            return self._prior
        if expert.repeats is None:
            return np.array([self._target.counted(last)])
        repeated = int(last)
        prior = self._prior
        others = 1 - prior[repeated]
        if others > 0:
            shares = prior / others
        else:
            shares = np.full(len(prior), 1 / max(1, len(prior) - 1))
        predicted: Floats = (1 - expert.repeats[repeated]) * shares
        predicted[repeated] = 1 if len(prior) == 1 else expert.repeats[repeated]
        return predicted


def decode(content: bytes, spec: ModelSpec, target: TargetScaling) -> Mixture:
    """Decodes `mixture.json`; raises MalformedModelError if it is none of such a model."""
    try:
        wire = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as broken:
        raise MalformedModelError(f"mixture.json cannot be read: {broken}") from broken
    experts = wire.get("experts") if isinstance(wire, dict) else None
    if (
        not isinstance(wire, dict)
        or wire.get("formatVersion") != _FORMAT_VERSION
        or not isinstance(experts, list)
    ):
        raise MalformedModelError(f"mixture.json is not in format {_FORMAT_VERSION}")
    in_context = wire.get("inContext")
    kinds = _KINDS_IN_CONTEXT if spec.context_members else ()
    return Mixture(
        _experts("experts", experts, _KINDS, spec, target),
        _experts("inContext", [] if in_context is None else in_context, kinds, spec, target),
        spec,
        target,
    )


def _experts(
    name: str, entries: Any, kinds: tuple[str, ...], spec: ModelSpec, target: TargetScaling
) -> tuple[Expert, ...]:
    if not isinstance(entries, list) or len(entries) != len(kinds):
        count = len(entries) if isinstance(entries, list) else 0
        raise MalformedModelError(
            f"{name} of mixture.json has {count} experts, and the model has {len(kinds)}"
        )
    experts = []
    for i, (entry, kind) in enumerate(zip(entries, kinds)):
        expert = _expert(entry, kind, spec, target)
        if expert is None:
            raise MalformedModelError(f"{name}[{i}] of mixture.json does not fit the model")
        experts.append(expert)
    total = sum(expert.weight for expert in experts)
    if experts and not abs(total - 1) <= _ROUNDING:
        raise MalformedModelError(
            f"the weights of {name} in mixture.json add up to {total}, not to 1"
        )
    return tuple(experts)


def _expert(entry: Any, kind: str, spec: ModelSpec, target: TargetScaling) -> Optional[Expert]:
    if not isinstance(entry, dict) or entry.get("kind") != kind:
        return None
    weight: Any = entry.get("weight")
    values: Any = entry.get("values")
    repeats: Any = entry.get("repeats")
    classes = not spec.label.regression
    wants_repeats = kind == NO_CHANGE and classes
    if (
        not _is_number(weight)
        or not weight >= 0
        or (values is not None) != (kind == PRIOR)
        or (repeats is not None) != wants_repeats
    ):
        return None
    prior = None if values is None else _numbers(values, spec.output_width)
    repeated = None if repeats is None else _numbers(repeats, spec.output_width)
    if (values is not None and prior is None) or (repeats is not None and repeated is None):
        return None
    if repeated is not None and not np.all((repeated >= 0) & (repeated <= 1)):
        return None
    if prior is not None and classes:
        if not np.all(prior >= 0) or not abs(float(prior.sum()) - 1) <= _ROUNDING:
            return None
    if prior is not None and not classes:
        prior = np.array([target.usual(float(each)) for each in prior])
    return Expert(kind, float(weight), prior, repeated)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _numbers(values: Any, count: int) -> Optional[Floats]:
    if not isinstance(values, list) or len(values) != count:
        return None
    return np.array(values, np.float64) if all(_is_number(each) for each in values) else None
