"""Missing values and whole numbers in the frames and columns that MLflow gives a model."""

from __future__ import annotations

import unittest
from typing import Any

import numpy as np
from specs import empty_spec

from idlalayer import MalformedEventError, mlflow
from idlalayer.spec import CategoricalFeature, IdFeature, RowIndex

_SPEC = empty_spec(
    categorical=(CategoricalFeature("shop", 11),),
    ids=(IdFeature("user", 1, RowIndex("OPEN", 0, 0, 0)),),
)


class _NA:
    """Stands for pandas.NA, whose comparisons are itself and neither true nor false."""

    def __ne__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")


class _Frame:
    """Stands for a data frame, of which only the records and the types are asked for."""

    def __init__(self, records: list[dict], dtypes: dict[str, Any]) -> None:
        self._records = records
        self.dtypes = dtypes

    def to_dict(self, orient: str) -> list[dict]:
        assert orient == "records"
        return self._records


class FramesTest(unittest.TestCase):
    def values(self, given: list) -> list:
        rows = mlflow._rows(_Frame([{"x": each} for each in given], {}), _SPEC)
        return [row["x"] for row in rows]

    def test_every_kind_of_missing_value_is_none(self) -> None:
        missing = [None, float("nan"), np.float32("nan"), np.float64("nan"), np.float16("nan")]
        missing += [np.datetime64("NaT"), np.timedelta64("NaT"), _NA()]
        self.assertEqual(self.values(missing), [None] * len(missing))
        columns = mlflow._rows({"x": np.array([1, np.nan], np.float32)}, _SPEC)
        self.assertEqual([row["x"] for row in columns], [1, None])

    def test_other_values_stay(self) -> None:
        there = [0, False, True, np.bool_(False), "", "nan", b"", 0.0, float("inf"), [], [1.0], {}]
        for before, after in zip(there, self.values(there)):
            self.assertIs(after, before)
        array = np.array([1, np.nan])
        self.assertIs(self.values([array])[0], array)

    def test_ids_and_categories_in_columns_of_floats_are_whole(self) -> None:
        nan = float("nan")
        records = [
            {"user": 12345.0, "shop": -0.0, "x": 7.0, "user.x": 1.0},
            {"user": nan, "shop": 2.5, "x": nan, "user.x": 2.0},
        ]
        dtypes = {name: np.dtype(np.float64) for name in records[0]}
        rows = mlflow._rows(_Frame(records, dtypes), _SPEC)
        wanted = [
            {"user": 12345, "shop": 0, "x": 7.0, "user.x": 1.0},
            {"user": None, "shop": 2.5, "x": None, "user.x": 2.0},
        ]
        self.assertEqual(repr(rows), repr(wanted))
        other = mlflow._rows(_Frame(records[:1], {"user": np.dtype(object)}), _SPEC)
        self.assertEqual(repr(other), repr(records[:1]), "an object column has what it was given")
        columns = mlflow._rows({"user": np.array([1.0, nan], np.float32), "shop": [7.0, 7]}, _SPEC)
        self.assertEqual(repr(columns), "[{'user': 1, 'shop': 7.0}, {'user': None, 'shop': 7}]")

    def test_ids_that_a_float_cannot_tell_apart_are_refused(self) -> None:
        for kind, first in ((np.float64, 1 << 53), (np.float32, 1 << 24)):
            rows = mlflow._rows({"user": np.array([first - 1], kind)}, _SPEC)
            self.assertEqual(rows, [{"user": first - 1}])
            with self.assertRaisesRegex(MalformedEventError, "row 1: user: .* as texts"):
                mlflow._rows({"user": np.array([1, first], kind)}, _SPEC)


if __name__ == "__main__":
    unittest.main()
