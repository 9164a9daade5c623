"""Rows that are events, in the forms in which programs have them."""

from __future__ import annotations

import unittest
from typing import Any

from specs import empty_spec

from idlalayer import MalformedEventError
from idlalayer.events import Decoder
from idlalayer.spec import CategoricalFeature, DenseFeature, IdFeature, RowIndex

_SHOP = CategoricalFeature("shop", 101)
_DECODER = Decoder(
    empty_spec(
        dense=(DenseFeature("x", 1, 1.0), DenseFeature("place.lat", 1, 1.0)),
        categorical=(_SHOP,),
        ids=(IdFeature("user", 1, RowIndex("OPEN", 0, 0, 0)),),
    )
)


class DuplicatesTest(unittest.TestCase):
    def decoded(self, text: str) -> Any:
        return _DECODER.decode(text).dense.tolist()

    def refused(self, field: str, text: str) -> None:
        with self.assertRaisesRegex(MalformedEventError, f"{field}.*named twice"):
            _DECODER.decode(text)

    def test_undeclared_field_named_twice_is_passed_over(self) -> None:
        self.assertEqual(
            self.decoded('{"z": 1, "x": 2, "place": {"lat": 3, "z": 4, "z": 5}, "z": 6}'), [2, 3]
        )
        self.assertEqual(
            self.decoded('{"x": 2, "place": {"lat": 3}, "log": [{"a": 1, "a": 2}]}'), [2, 3]
        )

    def test_declared_field_named_twice_is_refused(self) -> None:
        self.refused("x", '{"x": 1, "x": 1, "place": {"lat": 3}}')
        self.refused("lat", '{"x": 1, "place": {"lat": 3, "lat": 3}}')
        self.refused("place", '{"x": 1, "place": {"lat": 3}, "place": {"lon": 3}}')
        self.refused("shop", '{"x": 1, "place": {"lat": 3}, "shop": "a", "shop": "a"}')
        self.refused("user", '{"x": 1, "place": {"lat": 3}, "user": 7, "user": null}')
