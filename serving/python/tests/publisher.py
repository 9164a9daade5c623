"""Publishes changed copies of versions, so that tests can say what a store holds."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def publish(
    partition: Path,
    parent: int,
    files: dict[str, bytes] | None = None,
    changed: Callable[[dict[str, Any]], None] = lambda manifest: None,
) -> int:
    """Publishes the next version: a copy of its parent with other files and another manifest."""
    before = partition / f"v{parent:010d}"
    newest = max(int(each.name[1:]) for each in partition.glob("v*"))
    number = newest + 1
    folder = partition / f"v{number:010d}"
    staging = partition / ".staging-test"
    shutil.copytree(before, staging)
    for name, content in (files or {}).items():
        (staging / name).write_bytes(content)
    text = (before / "manifest.json").read_bytes()
    manifest = json.loads(text)
    manifest["version"] = number
    manifest["parentVersion"] = parent
    manifest["parentDigest"] = sha256(text)
    manifest["files"] = [
        {"name": each.name, "bytes": each.stat().st_size, "sha256": sha256(each.read_bytes())}
        for each in sorted(staging.iterdir())
        if each.name != "manifest.json"
    ]
    changed(manifest)
    content = json.dumps(manifest).encode("utf-8")
    (staging / "manifest.json").write_bytes(content)
    staging.rename(folder)
    point(partition, number, sha256(content))
    return number


def point(partition: Path, number: int, digest: str) -> None:
    """Makes the pointer name a version."""
    pointer = sorted(partition.glob("publisher-*"))[-1] / "current.json"
    fields = json.loads(pointer.read_text(encoding="utf-8"))
    fields.update(version=number, digest=digest)
    replace(pointer, json.dumps(fields).encode("utf-8"))


def replace(path: Path, content: bytes) -> None:
    """Replaces a file in one step, as a publisher does."""
    new = path.with_name(path.name + ".new")
    new.write_bytes(content)
    new.replace(path)


def rezipped(content: bytes, changed: Callable[[str, bytes], bytes]) -> bytes:
    """A zip whose entries are changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, changed(name, old.read(name)))
    return out.getvalue()
