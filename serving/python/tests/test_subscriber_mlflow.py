"""A version in the layout of MLflow predicts what the version in the store predicts."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Optional

import cases
import numpy as np

from idlalayer import FolderSource, ModelError, mlflow
from idlalayer.store import Place


class _Frame:
    """Stands for a data frame, of which only the records are asked for."""

    def __init__(self, records: list[dict]) -> None:
        self._records = records

    def to_dict(self, orient: str) -> list[dict]:
        assert orient == "records"
        return self._records


@cases.needs_cases
class MlflowTest(cases.CopiedStore):
    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.temporary.name) / "saved"

    def assert_predicts(self, found: np.ndarray, rows: list[dict]) -> None:
        self.assertEqual(len(found), len(rows))
        for values, row in zip(found, rows):
            self.assertLessEqual(np.abs(values - row["values"]).max(), row["tolerance"])

    def test_saved_version_with_its_rows_predicts_the_same(self) -> None:
        last = mlflow.save(str(self.store), "app", self.folder)
        text = (self.folder / "MLmodel").read_text(encoding="utf-8")
        self.assertIn("loader_module: idlalayer.mlflow\n    data: models\n", text)
        self.assertIn(f"version: {last}\n", text)
        lines = (self.folder / "requirements.txt").read_text().splitlines()
        self.assertEqual([each for each in lines if not each.startswith("#")], ["numpy"])
        rows = cases.expected("tables", last)
        function = mlflow._load_pyfunc(str(self.folder / "models"))
        self.assert_predicts(function.predict([row["event"] for row in rows]), rows)
        events = [json.loads(row["event"]) for row in rows]
        self.assert_predicts(function.predict(_Frame(events)), rows)
        columns = {name: [event.get(name) for event in events] for name in events[0]}
        self.assert_predicts(function.predict(columns), rows)
        frame = _Frame([{**event, "kind": float("nan")} for event in events])
        missing = function.predict([{**event, "kind": None} for event in events])
        self.assertTrue(np.array_equal(function.predict(frame), missing))
        whole = [{**event, "place": place} for event, place in zip(events, (3, None, 7))]
        places = np.array([3, np.nan, 7])
        columns = {name: [event.get(name) for event in whole] for name in whole[0]}
        floats = function.predict({**columns, "place": places})
        self.assertTrue(np.array_equal(floats, function.predict(whole)))
        with self.assertRaisesRegex(ValueError, "takes no parameters"):
            function.predict(events, {"x": 1})
        with self.assertRaisesRegex(ValueError, "columns of .1, 2. values"):
            function.predict({"price": [1, 2], "user": ["a"]})
        with self.assertRaisesRegex(FileExistsError, "name a new folder"):
            mlflow.save(str(self.store), "app", self.folder)

    def test_manifest_that_changes_while_it_is_copied_is_refused(self) -> None:
        class Changed(FolderSource):
            def __init__(self, folder: str) -> None:
                super().__init__(folder)
                self.read = 0

            def manifest(self, of: Place, version: int, digest: Optional[str]) -> bytes:
                content = super().manifest(of, version, digest)
                self.read += version == 5
                return content + b" " if version == 5 and self.read > 1 else content

        with self.assertRaisesRegex(ModelError, "manifest.json has changed while it was copied"):
            mlflow.save(Changed(str(self.store)), "app", self.folder)
        self.assertFalse(self.folder.exists())

    def test_damaged_version_leaves_no_folder(self) -> None:
        path = self.version(6) / "rows.bin"
        path.write_bytes(path.read_bytes()[:-1] + b"x")
        with self.assertRaisesRegex(ModelError, "rows.bin does not have the SHA-256"):
            mlflow.save(str(self.store), "app", self.folder)
        left = sorted(each.name for each in Path(self.temporary.name).iterdir())
        self.assertEqual(left, ["models"])

    def test_command_says_what_it_wrote_or_why_not(self) -> None:
        command = [sys.executable, "-B", "-m", "idlalayer.mlflow", str(self.store)]
        done = subprocess.run(
            [*command, "app", str(self.folder)], capture_output=True, text=True, timeout=60
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("app v6, verified, in", done.stdout)
        done = subprocess.run(
            [*command, "none", str(self.folder) + "2"], capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: none/0 has published no model", done.stderr)


if __name__ == "__main__":
    unittest.main()
