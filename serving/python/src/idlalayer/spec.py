"""The specification of a model, `spec.json`: what its inputs and its label mean. Immutable."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Optional

from .errors import MalformedModelError
from .hashes import murmur128, siphash
from .timestamps import PART_WIDTHS

_FORMAT_VERSION = 2
_LARGEST_INT = (1 << 31) - 1
_MOST_MEMBERS = 16
_MOST_LABELS = 16
_MOST_BINS = 8
_FEWEST_BINS = 2
_MOST_ENCODED_COLUMNS = 512
_MOST_ROWS = 500_000_000

#: Key of a missing id, which has a row of its own.
MISSING_ID = 0
#: Key of the row that stands for all ids without a row.
UNKNOWN_ID = 1
_FIRST_KEY = 2

NETWORKS = ("mlp", "cnn", "dlrm", "wide-and-deep", "dl4j-json", "samediff")


def _is_long(value: int) -> bool:
    return -(1 << 63) <= value < 1 << 63


class _Fields:
    """The fields of a JSON object, with errors that name it."""

    def __init__(self, value: Any, what: str) -> None:
        if not isinstance(value, dict):
            raise MalformedModelError(f"spec.json cannot be read: {what} is not an object")
        self._value = value
        self._what = what

    def _wrong(self, name: str, kind: str) -> MalformedModelError:
        return MalformedModelError(
            f"spec.json cannot be read: '{name}' of {self._what} is not {kind}"
        )

    def get(self, name: str) -> Any:
        return self._value.get(name)

    def text(self, name: str) -> str:
        value = self._value.get(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        value = self.text(name)
        if value not in choices:
            raise self._wrong(name, f"one of {', '.join(choices)}")
        return value

    def integer(self, name: str) -> int:
        value = self._value.get(name)
        if not isinstance(value, int) or isinstance(value, bool) or not _is_long(value):
            raise self._wrong(name, "a whole number")
        return value

    def number(self, name: str) -> float:
        value = self._value.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise self._wrong(name, "a number")
        return float(value)

    def flag(self, name: str) -> bool:
        value = self._value.get(name)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def items(self, name: str) -> list[Any]:
        value = self._value.get(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.items(name)
        if not all(isinstance(each, str) for each in values):
            raise self._wrong(name, "a list of texts")
        return tuple(values)


def id_key(text: str, low: int, high: int) -> int:
    """The 64-bit key of an id, from its text: SipHash with a secret key, else Murmur3. Unsigned."""
    if not text:
        return MISSING_ID
    data = text.encode("utf-8")
    key = siphash(data, low, high) if low or high else murmur128(data)[0]
    return key ^ 0xFFFFFFFFFFFFFFFF if key in (MISSING_ID, UNKNOWN_ID) else key


@dataclass(frozen=True)
class DenseFeature:
    """A field with one number, or an array of `width` numbers; each is multiplied by `scale`.

    missing: "REFUSE", "ZERO" or "MEAN".
    indicator: whether one more value is 1 where the element is missing.
    missing_values: texts and numbers that stand for a missing one.
    time: parts of a time stamp, in order; empty for a number.
    """

    name: str
    width: int
    scale: float
    missing: str = "REFUSE"
    indicator: bool = False
    missing_values: tuple[str, ...] = ()
    time: tuple[str, ...] = ()

    @property
    def element_values(self) -> int:
        """How many values each element of the field becomes."""
        parts = sum(PART_WIDTHS[part] for part in self.time) if self.time else 1
        return parts + self.indicator

    @property
    def values(self) -> int:
        """How many values of a sample the field becomes."""
        return self.width * self.element_values

    @property
    def plain(self) -> bool:
        """Whether its elements are numbers that are never missing, and nothing else."""
        return (
            self.missing == "REFUSE"
            and not self.indicator
            and not self.missing_values
            and not self.time
        )


@dataclass(frozen=True)
class CategoricalFeature:
    """A field whose text is hashed into one of `buckets` buckets; bucket 0 is a missing value."""

    name: str
    buckets: int


@dataclass(frozen=True)
class RowIndex:
    """Maps ids to keys of rows: "OPEN", "HASH" or "NUMBER"; the last two have a fixed size."""

    kind: str
    rows: int
    low: int
    high: int

    def key_of(self, text: str) -> int:
        """The key of the row of an id, unsigned; MISSING_ID for an empty text."""
        if self.kind == "NUMBER" and text:
            number = (
                int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else self.rows
            )
            leading_zero = len(text) > 1 and text[0] == "0"
            return UNKNOWN_ID if leading_zero or number >= self.rows else _FIRST_KEY + number
        key = id_key(text, self.low, self.high)
        if key == MISSING_ID or self.kind == "OPEN":
            return key
        return _FIRST_KEY + key % self.rows


@dataclass(frozen=True)
class IdFeature:
    """A field whose values are ids with rows in a table, `most_ids` of them at most."""

    name: str
    most_ids: int
    index: RowIndex


@dataclass(frozen=True)
class History:
    """What is known of earlier events of a key, as context of later ones.

    key: the field with the key; None if all events are of one.
    labels: number of last labels. changes: whether numbers are compared with the last event's.
    keys: most keys of which something is remembered.
    """

    key: Optional[str]
    labels: int
    changes: bool
    keys: int
    low: int
    high: int

    def hash_of(self, text: str) -> int:
        """What histories are kept by."""
        return id_key(text, self.low, self.high)


@dataclass(frozen=True)
class Label:
    """The label: its field, and the names of its classes; none for a target."""

    name: str
    regression: bool
    classes: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """An embedding table; `dim` is the length of a row's vector."""

    name: str
    dim: int


@dataclass(frozen=True)
class Use:
    """The use of a table by an id feature: index of the table, and "SUM" or "MEAN" of its rows."""

    table: int
    pooling: str


@dataclass(frozen=True)
class ModelSpec:
    """The meaning of a network's inputs and outputs.

    network: one of NETWORKS. plain_members: networks that are averaged, without those in context.
    loss: "SQUARED", "ABSOLUTE", "HUBER", "QUANTILE" or "POISSON".
    """

    dense: tuple[DenseFeature, ...]
    categorical: tuple[CategoricalFeature, ...]
    ids: tuple[IdFeature, ...]
    label: Label
    history: Optional[History]
    network: str
    plain_members: int
    standardize: bool
    tables: tuple[Table, ...]
    uses: tuple[Use, ...]
    loss: str

    @property
    def dense_width(self) -> int:
        """Number of dense values of a sample."""
        return sum(feature.values for feature in self.dense)

    @property
    def field_width(self) -> int:
        """Number of numbers and times in the fields of all dense features."""
        return sum(feature.width for feature in self.dense)

    @property
    def label_width(self) -> int:
        """Number of values that a label has in a context."""
        return 2 if self.label.regression else len(self.label.classes)

    @property
    def context_width(self) -> int:
        """Number of values of a sample's context; 0 without a history."""
        if self.history is None:
            return 0
        changes = self.dense_width if self.history.changes else 0
        return self.history.labels * self.label_width + changes

    @property
    def output_width(self) -> int:
        """Number of classes, or 1 for a target."""
        return 1 if self.label.regression else len(self.label.classes)

    @property
    def log_link(self) -> bool:
        """Whether the network gives the logarithm of the target."""
        return self.label.regression and self.loss == "POISSON"

    @property
    def context_members(self) -> int:
        """Number of members that take an event's context too; the last ones."""
        takes = self.history is not None and self.network == "mlp"
        return max(1, self.plain_members // 2) if takes else 0

    @property
    def members(self) -> int:
        return self.plain_members + self.context_members

    @property
    def bins(self) -> int:
        """Bins of each dense value's piecewise-linear encoding; 0 if no member takes it."""
        values = self.dense_width
        if self.plain_members == 1 or not 0 < values <= _MOST_ENCODED_COLUMNS // _FEWEST_BINS:
            return 0
        return max(_FEWEST_BINS, min(_MOST_BINS, _MOST_ENCODED_COLUMNS // values))

    @property
    def one_hot_columns(self) -> int:
        return sum(feature.buckets for feature in self.categorical)

    @property
    def vector_columns(self) -> int:
        """First column of the network's input that is no scaled number and no one-hot."""
        return self.context_width + self.dense_width + self.one_hot_columns

    @property
    def wide_columns(self) -> int:
        """Columns of the sum of the wide parts of all rows."""
        return self.output_width if self.network == "wide-and-deep" else 0

    @property
    def row_columns(self) -> int:
        """Columns that come from the rows of tables."""
        return sum(self.tables[use.table].dim for use in self.uses) + self.wide_columns

    @property
    def input_width(self) -> int:
        """Columns of the network's input.

        The context, the dense values, the one-hots, then the encoded dense values or the values
        from rows of tables.
        """
        return self.vector_columns + self.dense_width * self.bins + self.row_columns

    @property
    def network_outputs(self) -> int:
        return self.members * self.output_width

    def row_weights(self, table: Table) -> int:
        """Weights of a row: its vector, and after it the wide part."""
        return table.dim + self.wide_columns


def decode(content: bytes) -> ModelSpec:
    """Decodes `spec.json`; raises MalformedModelError if it is none in this format."""
    try:
        value = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as broken:
        raise MalformedModelError(f"spec.json cannot be read: {broken}") from broken
    if not isinstance(value, dict) or value.get("formatVersion") != _FORMAT_VERSION:
        raise MalformedModelError(f"spec.json is not in format {_FORMAT_VERSION}")
    fields = _Fields(value.get("spec"), "the specification")
    schema = fields.get("schema")
    parts = ("network", "fit", "embeddings")
    if not isinstance(schema, dict) or any(fields.get(part) is None for part in parts):
        raise MalformedModelError("spec.json lacks a part that a network needs")
    schema_fields = _Fields(schema, "the schema")
    label = schema.get("label")
    if not isinstance(label, dict) or label.get("task") is None:
        raise MalformedModelError("spec.json lacks a part that a network needs")
    network = _Fields(fields.get("network"), "the network")
    kind = network.choice("type", NETWORKS)
    embeddings = _Fields(fields.get("embeddings"), "the embeddings")
    loss = fields.get("loss")
    losses = ("SQUARED", "ABSOLUTE", "HUBER", "QUANTILE", "POISSON")
    spec = ModelSpec(
        tuple(_dense(each) for each in schema_fields.items("dense")),
        tuple(_categorical(each) for each in schema_fields.items("categorical")),
        tuple(_id_feature(each) for each in schema_fields.items("ids")),
        _label(_Fields(label, "the label")),
        _history(schema_fields.get("history")),
        kind,
        network.integer("members") if kind == "mlp" else 1,
        fields.flag("standardize"),
        tuple(_table(each) for each in embeddings.items("tables")),
        tuple(_use(each) for each in embeddings.items("uses")),
        "SQUARED" if loss is None else _Fields(loss, "the loss").choice("kind", losses),
    )
    _check(spec)
    return spec


def _dense(value: Any) -> DenseFeature:
    fields = _Fields(value, "a feature")
    reading = fields.get("reading")
    if reading is None:
        return DenseFeature(fields.text("name"), fields.integer("width"), fields.number("scale"))
    how = _Fields(reading, "the reading of a feature")
    time = how.texts("time")
    if any(part not in PART_WIDTHS for part in time):
        raise MalformedModelError(f"spec.json cannot be read: {time} are not parts of a time")
    return DenseFeature(
        fields.text("name"),
        fields.integer("width"),
        fields.number("scale"),
        how.choice("missing", ("REFUSE", "ZERO", "MEAN")),
        how.flag("indicator"),
        how.texts("missingValues"),
        time,
    )


def _categorical(value: Any) -> CategoricalFeature:
    fields = _Fields(value, "a categorical feature")
    return CategoricalFeature(fields.text("name"), fields.integer("buckets"))


def _secret(value: Any) -> tuple[int, int]:
    if value is None:
        return 0, 0
    fields = _Fields(value, "a key of hashes")
    return fields.integer("low"), fields.integer("high")


def _id_feature(value: Any) -> IdFeature:
    fields = _Fields(value, "an id feature")
    index = _Fields(fields.get("index"), "the index of an id feature")
    kind = index.choice("kind", ("OPEN", "HASH", "NUMBER"))
    rows = index.integer("rows")
    if rows != 0 if kind == "OPEN" else not 1 <= rows <= _MOST_ROWS:
        raise MalformedModelError(
            f"spec.json cannot be read: a table of kind {kind} cannot have {rows} rows"
        )
    name = fields.text("name")
    most = fields.integer("mostIds")
    if most < 1:
        raise MalformedModelError(f"spec.json has an invalid id feature: {name}")
    return IdFeature(name, most, RowIndex(kind, rows, *_secret(index.get("key"))))


def _label(fields: _Fields) -> Label:
    task = fields.choice("task", ("CLASSIFICATION", "REGRESSION"))
    return Label(fields.text("name"), task == "REGRESSION", fields.texts("classes"))


def _history(value: Any) -> Optional[History]:
    if value is None:
        return None
    fields = _Fields(value, "the history")
    key = fields.get("key")
    return History(
        None if key is None else fields.text("key"),
        fields.integer("labels"),
        fields.flag("changes"),
        fields.integer("keys"),
        *_secret(fields.get("secret")),
    )


def _table(value: Any) -> Table:
    fields = _Fields(value, "a table")
    return Table(fields.text("name"), fields.integer("dim"))


def _use(value: Any) -> Use:
    fields = _Fields(value, "the use of a table")
    return Use(fields.integer("table"), fields.choice("pooling", ("SUM", "MEAN")))


def _check(spec: ModelSpec) -> None:
    most = 1 if spec.uses else _MOST_MEMBERS
    if not 1 <= spec.plain_members <= most:
        raise MalformedModelError(
            f"spec.json has {spec.plain_members} members{' and tables' if spec.uses else ''}; 1 to"
            f" {_MOST_MEMBERS} are averaged, and for tables there is 1"
        )
    _check_history(spec)
    _check_tables(spec)
    for feature in spec.dense:
        if not 1 <= feature.width <= _LARGEST_INT:
            raise MalformedModelError(f"spec.json has an invalid feature: {feature.name}")
    for category in spec.categorical:
        if not 1 <= category.buckets <= _LARGEST_INT:
            raise MalformedModelError(f"spec.json has an invalid feature: {category.name}")
    if not spec.label.regression and not spec.label.classes:
        raise MalformedModelError("spec.json lacks a part that a network needs")
    if spec.input_width > _LARGEST_INT:
        raise MalformedModelError(f"spec.json has {spec.input_width} columns")


def _check_history(spec: ModelSpec) -> None:
    history = spec.history
    if history is None:
        return
    valid = 0 <= history.labels <= _MOST_LABELS and history.keys > 0
    if not valid or spec.network != "mlp" or spec.uses:
        raise MalformedModelError(
            "spec.json has a history of keys that is invalid or that its network does not take"
        )


def _check_tables(spec: ModelSpec) -> None:
    if len(spec.uses) != len(spec.ids):
        raise MalformedModelError(
            f"spec.json names the tables of {len(spec.uses)} id features, and has {len(spec.ids)}"
            " id features"
        )
    names: set[str] = set()
    for table in spec.tables:
        if not 1 <= table.dim <= _LARGEST_INT or table.name in names:
            raise MalformedModelError(f"spec.json has an invalid table: {table.name}")
        names.add(table.name)
    indexes: dict[int, RowIndex] = {}
    for use, feature in zip(spec.uses, spec.ids):
        if not 0 <= use.table < len(spec.tables):
            raise MalformedModelError(
                f"spec.json has {len(spec.tables)} tables, and a use of them is invalid: {use}"
            )
        if indexes.setdefault(use.table, feature.index) != feature.index:
            raise MalformedModelError(
                "spec.json has an id feature whose index differs from that of another one of its"
                f" table: {feature.name}"
            )
