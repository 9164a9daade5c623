"""Turns rows, which are events as JSON has them, into samples as a network takes them.

The rules are those of the learner and of the prediction servers, and so are the words of refusals.
A decoder is immutable; any thread may use one.
"""

from __future__ import annotations

import decimal
import json
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import paths, timestamps
from .errors import MalformedEventError
from .hashes import murmur32
from .numbers import finite32, java_strip, plain, read_number, shown, text_of, truth
from .spec import MISSING_ID, CategoricalFeature, DenseFeature, IdFeature, ModelSpec

#: A row: an event as a dict, or as JSON text, in which numbers keep the digits they are written in.
Row = Union[Mapping[str, Any], str, bytes]

_MOST_ID_CHARACTERS = 4096
_ASCII_DIGITS_CHECKED = 64


@dataclass(frozen=True)
class Sample:
    """A decoded row.

    dense: the dense values, in 64 bits; NaN stands for the mean. Shape [dense width].
    buckets: the bucket of each categorical feature.
    ids: for each id feature the keys of rows, unsigned; at least one.
    context: what was known of the event's key when it arrived; None if nothing was looked up.
    key: hash of the key of its history; 0 without one. order: its place among all events, from 1.
    """

    dense: NDArray[np.float64]
    buckets: tuple[int, ...]
    ids: tuple[tuple[int, ...], ...]
    context: Optional[NDArray[np.float64]] = None
    key: int = MISSING_ID
    order: int = 0


class _NumberText(str):
    """A number of a JSON text, in the digits it was written in."""


class _DenseField:
    """Converts the field of a dense feature to its values in a sample."""

    def __init__(self, feature: DenseFeature, at: int) -> None:
        self.feature = feature
        self.at = at
        self.each = feature.element_values
        self.refuses_missing = feature.missing == "REFUSE"
        self._divisor = _divisor(feature.scale)
        self._texts = frozenset(feature.missing_values)
        numbers = (read_number(each) for each in feature.missing_values)
        self._numbers = frozenset(each for each in numbers if math.isfinite(each))

    def _scaled(self, number: float) -> float:
        return number / self._divisor if self._divisor else number * self.feature.scale

    def _finite(self, value: float) -> float:
        if finite32(value):
            return value
        what = (
            "is not a finite number of 32 bits, at most 3.4e38"
            if math.isfinite(value)
            else "is not a finite number"
        )
        raise MalformedEventError(self.feature.name, f"{text_of(value)} {what}")

    def check_width(self, found: int) -> None:
        if found != self.feature.width:
            raise MalformedEventError(
                self.feature.name, f"{found} values where {self.feature.width} are expected"
            )

    def text(self, text: str, element: int, into: NDArray[np.float64]) -> None:
        """Sets the values of an element from its text."""
        word = java_strip(text)
        if not word or (not self.feature.plain and word in self._texts):
            self.missing(element, into)
            return
        if self.feature.time:
            self._time(text, element, into)
            return
        number = read_number(text)
        if math.isnan(number):
            number = truth(text)
        if math.isnan(number):
            raise _no_number(self.feature.name, text)
        self.number(number, element, into)

    def number(self, number: float, element: int, into: NDArray[np.float64]) -> None:
        """Sets the values of an element from a number; NaN is a missing one."""
        at = self.at + element * self.each
        if self.feature.plain:
            into[at] = self._finite(self._scaled(number))
            return
        if (math.isnan(number) and not self.refuses_missing) or number in self._numbers:
            self.missing(element, into)
            return
        if self.feature.time:
            self._finite(number)
            self._time(format(decimal.Decimal(number), "f"), element, into)
            return
        into[at] = self._finite(self._scaled(number))
        if self.feature.indicator:
            into[at + 1] = 0

    def _time(self, text: str, element: int, into: NDArray[np.float64]) -> None:
        try:
            time = timestamps.read(text)
        except timestamps.TimestampError as no_time:
            raise MalformedEventError(
                self.feature.name, f"{shown(text)} is not a time stamp: {no_time}"
            ) from no_time
        at = self.at + element * self.each
        for part in self.feature.time:
            for value in time.part(part):
                # Parts of a day or year are near 0, where 32 bits tell all of them apart.
                rounded = self._scaled(value) if part == "SECONDS" else float(np.float32(value))
                into[at] = self._finite(rounded)
                at += 1
        if self.feature.indicator:
            into[at] = 0

    def absent(self, into: NDArray[np.float64], reason: str = "missing") -> None:
        """Sets the values of all elements of a field that an event does not have."""
        if self.refuses_missing:
            raise MalformedEventError(self.feature.name, reason)
        for element in range(self.feature.width):
            self.missing(element, into)

    def missing(self, element: int, into: NDArray[np.float64]) -> None:
        """Sets the values of an element that is missing."""
        if self.refuses_missing:
            raise MalformedEventError(self.feature.name, "missing")
        at = self.at + element * self.each
        end = at + self.each - self.feature.indicator
        into[at:end] = math.nan if self.feature.missing == "MEAN" else 0
        if self.feature.indicator:
            into[end] = 1


def _divisor(scale: float) -> float:
    """n if a scale is 1/n, so that 7/10 is rounded once; else 0."""
    if scale == 1 or scale == 0 or not math.isfinite(scale):
        return 0
    whole = float(np.rint(1 / scale))
    if whole == 0 or not math.isfinite(whole):
        return 0
    return whole if np.float32(scale) == np.float32(1 / whole) else 0


def _no_number(field: str, text: str) -> MalformedEventError:
    word = java_strip(text)
    if word in ("NaN", "Infinity", "+Infinity", "-Infinity"):
        return MalformedEventError(field, f"{word} is not a finite number")
    hint = ""
    if text.count(",") == 1 and plain(text.replace(",", ".")) is not None and "." not in text:
        hint = "; a number is written with a decimal point here, whatever the language"
    else:
        hint = _other_character(text)
    return MalformedEventError(field, f"{shown(text)} is not a number{hint}")


def _other_character(text: str) -> str:
    """A hint if a text would be a number with the digits and signs of ASCII; else ""."""
    first = None
    ascii_text = []
    for each in text[:_ASCII_DIGITS_CHECKED]:
        replaced = _ascii(each)
        if first is None and replaced != each:
            first = (each, replaced)
        ascii_text.append(replaced)
    if first is None or plain("".join(ascii_text)) is None:
        return ""
    return f"; it has U+{ord(first[0]):04X} where '{first[1]}' is expected"


def _ascii(character: str) -> str:
    if character <= "\x7f":
        return character
    if character.isdecimal():
        return str(int(character))
    if character == "\u2212" or unicodedata.category(character) == "Pd":
        return "-"
    return {"\uff0b": "+", "\uff0e": "."}.get(character, character)


def _check_characters(field: str, text: str) -> None:
    for each in text:
        if "\ud800" <= each <= "\udfff":
            raise MalformedEventError(
                field, f"{shown(each)} is half of a character (a surrogate without its other half)"
            )


def bucket(feature: CategoricalFeature, text: str) -> int:
    """The bucket of a categorical value: 0 if it is missing, else 1 to buckets - 1, by Murmur3."""
    if not text:
        return 0
    return 1 + murmur32(text.encode("utf-8")) % max(1, feature.buckets - 1)


def _scalar(value: Any) -> Any:
    """A value of numpy as one of Python; every other value unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def _text(field: str, value: Any) -> str:
    """The text of a single value, as a JSON event has it."""
    if isinstance(value, str):
        _check_characters(field, value)
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return text_of(value)
    raise MalformedEventError(field, f"a {type(value).__name__} where a value is expected")


class Decoder:
    """Decodes rows of one model."""

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec
        self._width = spec.dense_width
        self._dense: list[_DenseField] = []
        at = 0
        for feature in spec.dense:
            self._dense.append(_DenseField(feature, at))
            at += feature.values
        names = [each.name for each in spec.dense]
        names += [each.name for each in spec.categorical]
        names += [each.name for each in spec.ids]
        self._paths = {name: paths.parse(name) for name in names}
        self._all_plain = all(each.feature.plain for each in self._dense)

    def decode(self, row: Row) -> Sample:
        """The sample of a row.

        Fields that the model does not name are passed over, and so are label, weight and id.
        Raises MalformedEventError with the field and the reason if the row is not one that the
        model takes.
        """
        event = _parsed(row) if isinstance(row, (str, bytes)) else row
        if not isinstance(event, Mapping):
            raise MalformedEventError(
                "event", f"not a JSON object but a {type(event).__name__}; a row is a dict"
            )
        dense = np.zeros(self._width)
        for field in self._dense:
            self._fill(field, self._value(event, field.feature.name), dense)
        buckets = tuple(
            self._bucket(feature, self._value(event, feature.name))
            for feature in self._spec.categorical
        )
        ids = tuple(
            self._ids(feature, self._value(event, feature.name)) for feature in self._spec.ids
        )
        return Sample(dense, buckets, ids)

    def _value(self, event: Mapping[str, Any], name: str) -> Any:
        if name in event:
            return _scalar(paths.once(name, event[name]))
        steps = self._paths[name]
        if steps is None:
            return paths.Absent("missing")
        return _scalar(paths.find(event, name, steps))

    def _fill(self, field: _DenseField, value: Any, into: NDArray[np.float64]) -> None:
        if value is None:
            field.absent(into)
        elif isinstance(value, paths.Absent):
            field.absent(into, value.reason)
        elif isinstance(value, np.ndarray):
            self._elements(field, value.tolist(), into)
        elif isinstance(value, (list, tuple)):
            self._elements(field, value, into)
        else:
            field.check_width(1)
            self._element(field, value, 0, into)

    def _elements(self, field: _DenseField, values: Any, into: NDArray[np.float64]) -> None:
        found = values if isinstance(values, (list, tuple)) else [values]
        for element, each in enumerate(found):
            value = _scalar(each)
            refused = value is None and field.refuses_missing
            if refused or isinstance(value, (list, tuple, Mapping)):
                raise MalformedEventError(field.feature.name, f"element {element} is not a number")
            if element < field.feature.width:
                if value is None:
                    field.missing(element, into)
                else:
                    self._element(field, value, element, into)
        field.check_width(len(found))

    @staticmethod
    def _element(field: _DenseField, value: Any, element: int, into: NDArray[np.float64]) -> None:
        if isinstance(value, _NumberText):
            field.number(float(value), element, into)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            field.number(_double(value), element, into)
        elif isinstance(value, Mapping):
            raise MalformedEventError(field.feature.name, "an object where a value is expected")
        else:
            field.text(_text(field.feature.name, value), element, into)

    @staticmethod
    def _single(name: str, value: Any) -> str:
        if value is None or isinstance(value, paths.Absent):
            return ""
        if isinstance(value, Mapping):
            raise MalformedEventError(name, "an object where a value is expected")
        if isinstance(value, (list, tuple, np.ndarray)):
            raise MalformedEventError(name, "an array where a value is expected")
        return _text(name, value)

    def _bucket(self, feature: CategoricalFeature, value: Any) -> int:
        return bucket(feature, self._single(feature.name, value))

    def _ids(self, feature: IdFeature, value: Any) -> tuple[int, ...]:
        several: Iterable[Any]
        if isinstance(value, np.ndarray):
            several = np.atleast_1d(value).tolist()
        else:
            several = value if isinstance(value, (list, tuple)) else (value,)
        keys = []
        for count, each in enumerate(several):
            if isinstance(each, (list, tuple, Mapping)):
                if several is value:
                    raise MalformedEventError(feature.name, f"element {count} is not an id")
            text = self._single(feature.name, _scalar(each))
            if not text:
                continue
            if len(text) > _MOST_ID_CHARACTERS:
                raise MalformedEventError(
                    feature.name,
                    f"an id of {len(text)} characters; at most {_MOST_ID_CHARACTERS}",
                )
            keys.append(feature.index.key_of(text))
        if len(keys) > feature.most_ids:
            raise MalformedEventError(
                feature.name, f"{len(keys)} ids where at most {feature.most_ids} are expected"
            )
        return tuple(keys) or (MISSING_ID,)

    def matrix(self, numbers: NDArray[Any]) -> NDArray[np.float64]:
        """The dense values of rows of numbers, those of all dense fields in their order.

        Shape [rows, field width] becomes [rows, dense width]. NaN is a missing number; a time stamp
        is given as epoch seconds or parts of them.
        """
        spec = self._spec
        if numbers.ndim != 2 or numbers.shape[1] != spec.field_width:
            raise ValueError(
                f"a matrix of shape {list(numbers.shape)}; the model takes [rows,"
                f" {spec.field_width}]: {', '.join(each.name for each in spec.dense)}"
            )
        if numbers.dtype.kind not in "fiub":
            raise ValueError(f"a matrix of {numbers.dtype}; the model takes numbers")
        values = numbers.astype(np.float64)
        if not self._all_plain:
            return self._matrix_by_element(values)
        scaled = np.empty_like(values)
        column = 0
        for field in self._dense:
            end = column + field.feature.width
            divisor = _divisor(field.feature.scale)
            part = values[:, column:end]
            scaled[:, column:end] = part / divisor if divisor else part * field.feature.scale
            column = end
        self._check_finite(scaled)
        return scaled

    def _check_finite(self, scaled: NDArray[np.float64]) -> None:
        with np.errstate(over="ignore"):
            bad = np.argwhere(~np.isfinite(scaled.astype(np.float32)))
        if len(bad):
            row, column = (int(each) for each in bad[0])
            field = next(each for each in reversed(self._dense) if each.at <= column)
            try:
                field._finite(float(scaled[row, column]))
            except MalformedEventError as refused:
                raise refused.at(row) from None

    def _matrix_by_element(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        out = np.zeros((len(values), self._width))
        for row, given in enumerate(values):
            column = 0
            for field in self._dense:
                for element in range(field.feature.width):
                    try:
                        field.number(float(given[column]), element, out[row])
                    except MalformedEventError as refused:
                        raise refused.at(row) from None
                    column += 1
        return out

    def key_of(self, row: Row) -> str:
        """The text of the field that names the key of a row's history; "" if there is none."""
        history = self._spec.history
        if history is None or history.key is None:
            return ""
        event = _parsed(row) if isinstance(row, (str, bytes)) else row
        name = history.key
        if name in event:
            value = _scalar(paths.once(name, event[name]))
        else:
            steps = paths.parse(name)
            value = None if steps is None else _scalar(paths.find(event, name, steps))
        return self._single(name, value)


def _double(value: Union[int, float]) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _pairs(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    event: dict[str, Any] = {}
    for name, value in pairs:
        # Refused where the model takes the field; every other one is passed over.
        event[name] = paths.TWICE if name in event else value
    return event


def _constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _parsed(text: Union[str, bytes]) -> Mapping[str, Any]:
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        event = json.loads(
            decoded[1:] if decoded.startswith("\ufeff") else decoded,
            parse_int=_NumberText,
            parse_float=_NumberText,
            parse_constant=_constant,
            object_pairs_hook=_pairs,
        )
    except (ValueError, RecursionError) as broken:
        raise MalformedEventError("event", f"it is not JSON: {broken}") from broken
    if not isinstance(event, dict):
        kind = "an array" if isinstance(event, list) else "a single value"
        raise MalformedEventError("event", f"not a JSON object but {kind}")
    return event
