"""Models of the Java library and what it predicts with them, as PythonServingTest writes them."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

_FOLDER = os.environ.get("IDLA_CASES")

needs_cases = unittest.skipUnless(
    _FOLDER, "needs models of the Java library; PythonServingTest writes them and starts this test"
)


def folder() -> Path:
    assert _FOLDER is not None
    return Path(_FOLDER)


def names(prefix: str) -> list[str]:
    """The cases whose names begin so."""
    return sorted(each.name for each in folder().glob(prefix + "*") if each.is_dir())


def models(name: str) -> str:
    """The folder of a case's store."""
    return str(folder() / name / "models")


def expected(name: str, version: int) -> list[dict[str, Any]]:
    """The events of a version, each with what is predicted or why it is refused."""
    path = folder() / name / f"expected-{version}.json"
    return json.loads(path.read_text(encoding="utf-8"))


class CopiedStore(unittest.TestCase):
    """A test with a copy of a store, which it may damage."""

    case = "tables"

    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.store = Path(self.temporary.name) / "models"
        shutil.copytree(models(self.case), self.store)
        self.partition = self.store / "app" / "0"

    def version(self, number: int) -> Path:
        return self.partition / f"v{number:010d}"

    def pointer(self) -> Path:
        return sorted(self.partition.glob("publisher-*"))[-1] / "current.json"
