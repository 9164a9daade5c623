"""A subscriber of models that the Java library published in an object store."""

from __future__ import annotations

import json
import logging
import os
import unittest
from pathlib import Path
from unittest import mock

import cases
import publisher

from idlalayer import Credentials, ModelError, S3Source, Subscriber

_LAST = 6


@cases.needs_cases
class ObjectStoreTest(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)
        store = json.loads((cases.folder() / "objects.json").read_text())
        self.address, self.endpoint = store["address"], store["endpoint"]
        self.partition, self.breaks = Path(store["folder"]), Path(store["breaks"])
        environment = {
            "AWS_ACCESS_KEY_ID": "AKIDTEST",
            "AWS_SECRET_ACCESS_KEY": "a-secret",
            "AWS_ENDPOINT_URL_S3": self.endpoint,
        }
        changed = mock.patch.dict(os.environ, environment)
        changed.start()
        self.addCleanup(changed.stop)

    def assert_predicts(self, subscriber: Subscriber, version: int) -> None:
        model = subscriber.model()
        self.assertEqual(model.version, version)
        rows = cases.expected("objects", version)
        answer = model.predict([row["event"] for row in rows])
        for row, values in zip(rows, answer.values):
            for value, right in zip(values, row["values"]):
                self.assertLessEqual(abs(value - right), row["tolerance"])

    def change(self, file: Path, content: bytes) -> None:
        """Another content of an object, until the test ends."""
        if file.exists():
            self.addCleanup(file.write_bytes, file.read_bytes())
        else:
            self.addCleanup(file.unlink)
        publisher.replace(file, content)

    def test_newest_version_with_its_chain_of_rows_serves(self) -> None:
        with Subscriber(self.address, "app") as subscriber:
            subscriber.wait_for(timeout_seconds=10)
            self.assert_predicts(subscriber, _LAST)
            self.assertFalse(subscriber.refresh())
            self.assertEqual(subscriber.failure, "")

    def test_files_whose_connection_breaks_are_continued(self) -> None:
        self.breaks.touch()
        self.addCleanup(self.breaks.unlink)
        subscriber = Subscriber(self.address, "app")
        self.assertTrue(subscriber.refresh())
        self.assert_predicts(subscriber, _LAST)

    def test_source_lists_what_was_published(self) -> None:
        source = S3Source(self.address, Credentials("AKID", "s"), endpoint=self.endpoint)
        of = Subscriber(source, "app")._of
        self.assertEqual(source.versions(of), list(range(1, _LAST + 1)))
        folder = self.partition / "v0000000003"
        files = {each.name: each.stat().st_size for each in folder.iterdir()}
        self.assertEqual(source.files(of, 3), files)

    def test_pin_and_alias_are_followed(self) -> None:
        subscriber = Subscriber(self.address, "app")
        subscriber.refresh()
        digest = publisher.sha256((self.partition / "v0000000003" / "manifest.json").read_bytes())
        pin = {"formatVersion": 1, "version": 3, "digest": digest, "until": 0}
        pin.update(reason="worse", by="test", atMillis=5)
        self.change(self.partition / "pin.json", json.dumps(pin).encode())
        self.assertTrue(subscriber.refresh())
        self.assert_predicts(subscriber, 3)

    def test_damaged_version_does_not_serve(self) -> None:
        subscriber = Subscriber(self.address, "app")
        manifest = self.partition / f"v{_LAST:010d}" / "manifest.json"
        self.change(manifest, manifest.read_bytes().replace(b'"app"', b'"abb"'))
        with self.assertRaises(ModelError):
            subscriber.refresh()
        self.assertIsNone(subscriber.current)

    def test_damaged_file_does_not_serve(self) -> None:
        network = next(
            each
            for each in (self.partition / f"v{_LAST:010d}").iterdir()
            if each.suffix != ".json"
        )
        content = bytearray(network.read_bytes())
        content[len(content) // 2] ^= 1
        self.change(network, bytes(content))
        subscriber = Subscriber(self.address, "app")
        with self.assertRaisesRegex(ModelError, "does not have the SHA-256"):
            subscriber.refresh()
        self.assertEqual(subscriber.model().version, _LAST - 1, "the newest one that loads")

    def test_another_bucket_or_application(self) -> None:
        with self.assertRaisesRegex(ModelError, "no such bucket"):
            Subscriber("s3://others/team", "app").refresh()
        self.assertFalse(Subscriber(self.address, "none").refresh())
