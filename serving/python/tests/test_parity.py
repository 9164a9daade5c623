"""The package predicts what plain Java predicts."""

from __future__ import annotations

import json
import unittest

import cases
import numpy as np

from idlalayer import MalformedEventError, Model, Subscriber

#: Refusals whose words differ on purpose: the first is what Java says.
_OTHER_WORDS = {
    "input.decimal says which decimal separator numbers have": (
        "a number is written with a decimal point here, whatever the language"
    )
}


def _words(text: str) -> str:
    for java, python in _OTHER_WORDS.items():
        text = text.replace(java, python)
    return text


@cases.needs_cases
class ParityTest(unittest.TestCase):
    def assert_close(self, found: np.ndarray, row: dict, what: str) -> None:
        wanted = np.array(row["values"])
        self.assertEqual(found.shape, wanted.shape, what)
        difference = float(np.abs(found - wanted).max())
        self.assertLessEqual(difference, row["tolerance"], f"{what}: {found} and {wanted}")

    def model(self, name: str) -> Model:
        with Subscriber(cases.models(name), "app") as subscriber:
            return subscriber.model()

    def test_random_models(self) -> None:
        names = [each for each in cases.names("random-") if "history" not in each]
        self.assertGreaterEqual(len(names), 24)
        for name in names:
            model = self.model(name)
            rows = cases.expected(name, 1)
            together = model.predict([row["event"] for row in rows]).values
            for row, values in zip(rows, together):
                self.assert_close(values, row, f"{name}: {row['event']}")
                alone = model.predict(json.loads(row["event"])).values[0]
                self.assert_close(alone, row, f"{name}: {row['event']}")

    def test_matrix_of_numbers(self) -> None:
        checked = 0
        for name in cases.names("random-"):
            model = self.model(name)
            rows = cases.expected(name, 1)
            if model.spec.categorical or model.spec.ids or model.spec.history:
                continue
            checked += 1
            matrix = np.array(
                [
                    np.concatenate([np.atleast_1d(event[each.name]) for each in model.spec.dense])
                    for event in (json.loads(row["event"]) for row in rows)
                ]
            )
            for row, values in zip(rows, model.predict(matrix).values):
                self.assert_close(values, row, name)
        self.assertGreater(checked, 6)

    def test_histories(self) -> None:
        names = cases.names("random-history")
        self.assertGreaterEqual(len(names), 3)
        for name in names:
            model = self.model(name)
            histories = model.histories()
            for i, row in enumerate(cases.expected(name, 1)):
                what = f"{name}, event {i}"
                self.assert_close(model.predict(row["event"]).values[0], row["without"], what)
                arrived = histories.arrived(row["event"])
                self.assertEqual(arrived.key, histories._history.hash_of(row["key"]))
                self.assert_close(model.predict([arrived]).values[0], row, what)
                if "label" in row:
                    histories.label(arrived, row["label"])
                if "taken" in row:
                    histories.label_taken(arrived)

    def test_readings_and_the_words_of_refusals(self) -> None:
        model = self.model("readings")
        refused = 0
        for row in cases.expected("readings", 1):
            with self.subTest(event=row["event"]):
                if "refused" in row:
                    refused += 1
                    with self.assertRaises(MalformedEventError) as failure:
                        model.predict(row["event"])
                    self.assertEqual(str(failure.exception), _words(row["refused"]))
                else:
                    self.assert_close(model.predict(row["event"]).values[0], row, row["event"])
        self.assertGreater(refused, 30)

    def test_tables_version_by_version(self) -> None:
        last = len(list(cases.folder().glob("tables/expected-*.json")))
        self.assertEqual(self.model("tables").version, last)
        for row in cases.expected("tables", last):
            model = self.model("tables")
            self.assert_close(model.predict(row["event"]).values[0], row, row["event"])


if __name__ == "__main__":
    unittest.main()
