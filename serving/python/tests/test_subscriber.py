"""A subscriber serves whole versions only, whatever happens to the store."""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
import threading
import time
import unittest
from pathlib import Path

import cases
import publisher

from idlalayer import Limits, ModelError, NoModelError, Subscriber, UnknownAliasError

_LAST = 6


class StoppedClock:
    """A clock whose time stands still unless it is moved, and whose pauses are recorded."""

    def __init__(self) -> None:
        self.millis = 1_700_000_000_000
        self.seconds = 0.0
        self.pauses: list[float] = []
        self.most_pauses = 12

    def now_millis(self) -> int:
        return self.millis

    def monotonic(self) -> float:
        return self.seconds

    def pause(self, until: threading.Event, seconds: float) -> bool:
        self.pauses.append(seconds)
        return until.is_set() or len(self.pauses) >= self.most_pauses


class Quiet(unittest.TestCase):
    """Damage is expected here, so it is not printed."""

    def setUp(self) -> None:
        super().setUp()
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)


@cases.needs_cases
class SubscriberTest(Quiet, cases.CopiedStore):
    def setUp(self) -> None:
        super().setUp()
        self.subscriber = Subscriber("file:" + str(self.store), "app")
        self.addCleanup(self.subscriber.close)

    def refused(self, *words: str) -> str:
        """Looks, which must fail with these words; the model in service stays."""
        before = self.subscriber.current
        with self.assertRaises(ModelError) as failure:
            self.subscriber.refresh()
        self.assertIs(self.subscriber.current, before)
        self.assertEqual(self.subscriber.failure, str(failure.exception))
        for each in words:
            self.assertIn(each, str(failure.exception))
        return str(failure.exception)

    def test_cache_folder_has_copies_of_what_serves(self) -> None:
        folder = Path(self.temporary.name) / "cache"
        for _ in range(2):
            with Subscriber("file:" + str(self.store), "app", cache_folder=folder) as cached:
                self.assertEqual(cached.version, _LAST)
        copies = [each for each in folder.rglob("*") if each.is_file()]
        self.assertTrue(copies)
        self.assertEqual({each.suffix for each in copies}, {".copy"})

    def assert_predicts(self, version: int) -> None:
        model = self.subscriber.model()
        rows = cases.expected("tables", version)
        found = model.predict([row["event"] for row in rows]).values
        for row, values in zip(rows, found):
            for value, wanted in zip(values, row["values"]):
                self.assertLessEqual(abs(value - wanted), row["tolerance"])

    def point(self, number: int) -> None:
        digest = publisher.sha256((self.version(number) / "manifest.json").read_bytes())
        publisher.point(self.partition, number, digest)

    def only(self, *numbers: int) -> None:
        """Leaves these versions in the store, and points to the last of them."""
        for number in range(1, _LAST + 1):
            if number not in numbers:
                shutil.move(self.version(number), Path(self.temporary.name) / str(number))
        self.point(numbers[-1])

    def bring(self, number: int) -> None:
        shutil.move(Path(self.temporary.name) / str(number), self.version(number))
        self.point(number)

    def test_versions_follow_each_other_with_their_rows(self) -> None:
        self.only(1)
        for number in range(1, _LAST + 1):
            if number > 1:
                self.bring(number)
            self.assertTrue(self.subscriber.refresh())
            self.assertEqual(self.subscriber.version, number)
            self.assert_predicts(number)
            self.assertFalse(self.subscriber.refresh())
        self.assertEqual(self.subscriber.status().swaps, _LAST)

    def test_a_chain_is_caught_up_at_once(self) -> None:
        self.only(1, 2)
        self.subscriber.refresh()
        first = self.subscriber.model()
        wanted = first.predict([row["event"] for row in cases.expected("tables", 2)]).values
        for number in (3, 4):
            shutil.move(Path(self.temporary.name) / str(number), self.version(number))
        self.point(4)
        self.subscriber.refresh()
        self.assert_predicts(4)
        again = first.predict([row["event"] for row in cases.expected("tables", 2)]).values
        self.assertEqual(again.tolist(), wanted.tolist(), "an older model does not change")

    def test_every_file_of_a_version_damaged_cut_or_gone(self) -> None:
        self.only(1, 2, 3)
        self.subscriber.refresh()
        self.bring(4)
        for name in ("model.zip", "spec.json", "scaler.json", "rows.bin", "manifest.json"):
            path = self.version(4) / name
            whole = path.read_bytes()
            flipped = bytearray(whole)
            flipped[len(whole) // 2] ^= 1
            for content in (bytes(flipped), whole[:-1], b"", whole + b"x"):
                with self.subTest(file=name, bytes=len(content)):
                    path.write_bytes(content)
                    why = self.refused()
                    self.assertTrue(name in why or "manifest" in why, why)
            path.unlink()
            self.refused("manifest.json" if name == "manifest.json" else f"{name} is missing")
            path.write_bytes(whole)
        (self.version(4) / "more.bin").write_bytes(b"x")
        self.refused("more.bin is not in its manifest")
        (self.version(4) / "more.bin").unlink()
        self.assertTrue(self.subscriber.refresh())
        self.assertEqual(self.subscriber.failure, "")
        self.assert_predicts(4)

    def test_a_broken_chain_is_refused_by_the_version_that_is_missing(self) -> None:
        self.only(1, 2, 3, 4)
        shutil.rmtree(self.version(2))
        self.refused("version 4 needs the rows of versions before it", "version 2 is not there")
        self.assertIsNone(self.subscriber.current)

    def test_a_row_file_of_an_earlier_version_in_the_chain_is_damaged(self) -> None:
        self.only(1, 2, 3, 4)
        path = self.version(2) / "rows.bin"
        content = bytearray(path.read_bytes())
        content[40] ^= 1
        path.write_bytes(bytes(content))
        with self.assertRaisesRegex(ModelError, "v0000000002.rows.bin does not have the SHA-256"):
            self.subscriber.refresh()
        self.assertEqual(self.subscriber.version, 1, "the newest version before it that loads")
        self.assert_predicts(1)

    def test_no_version_yet_serves_an_ancestor_of_a_damaged_one(self) -> None:
        path = self.version(_LAST) / "model.zip"
        path.write_bytes(path.read_bytes()[:-5])
        clock = StoppedClock()
        created = json.loads((self.version(_LAST) / "manifest.json").read_text())
        clock.millis = created["createdAtMillis"] + 7_000
        with Subscriber(str(self.store), "app", clock=clock) as subscriber:
            self.assertEqual(subscriber.version, _LAST - 1)
            self.assertIn("model.zip", subscriber.failure)
            self.assertEqual(subscriber.staleness_seconds, 7)

    def test_pointer_damaged_missing_or_of_a_newer_format(self) -> None:
        self.subscriber.refresh()
        pointer = self.pointer()
        whole = pointer.read_bytes()
        fields = json.loads(whole)
        pointer.write_bytes(whole[:10])
        self.refused("cannot be read")
        publisher.replace(pointer, json.dumps({**fields, "formatVersion": 2}).encode())
        self.refused("is not a pointer this program reads")
        publisher.replace(pointer, json.dumps({**fields, "digest": "0" * 64}).encode())
        self.refused("names digest 000", f"of version {_LAST}, whose manifest has")
        pointer.unlink()
        self.refused("has versions, but no pointer to one of them")
        pointer.write_bytes(b" " * ((16 << 20) + 1))
        self.refused("has more than 16777216 bytes")
        pointer.write_bytes(whole)
        self.assertFalse(self.subscriber.refresh())
        self.assertEqual(self.subscriber.failure, "")

    def test_manifest_of_a_newer_format_is_refused_in_words(self) -> None:
        self.subscriber.refresh()
        publisher.publish(
            self.partition, _LAST, changed=lambda fields: fields.update(formatVersion=2)
        )
        self.refused("has manifest format 2; this program reads 1")

    def test_manifest_of_another_application_is_refused(self) -> None:
        self.subscriber.refresh()
        publisher.publish(
            self.partition, _LAST, changed=lambda fields: fields.update(application="other")
        )
        self.refused("is the manifest of other/0 version 7")

    def test_huge_lengths_are_refused_before_anything_is_allocated(self) -> None:
        def huge(fields: dict) -> None:
            for file in fields["files"]:
                file["bytes"] = (1 << 62) - 1

        self.subscriber.refresh()
        publisher.publish(self.partition, _LAST, changed=huge)
        self.refused("bytes, its manifest says 4611686018427387903")
        small = Subscriber(str(self.store), "app", limits=Limits(files_bytes=1000))
        self.point(1)
        with self.assertRaisesRegex(ModelError, "this process takes versions of 1000 bytes"):
            small.refresh()
        small = Subscriber(str(self.store), "app", limits=Limits(network_bytes=2000))
        with self.assertRaisesRegex(ModelError, "larger than 2000 bytes, the most"):
            small.refresh()
        small = Subscriber(str(self.store), "app", limits=Limits(rows_bytes=1000))
        with self.assertRaisesRegex(ModelError, "take more than 1000 bytes of memory"):
            small.refresh()

    def test_a_small_archive_with_a_huge_content_is_refused(self) -> None:
        import io
        import zipfile

        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("configuration.json", "w") as entry:
                for _ in range(64):
                    entry.write(b" " * (1 << 20))
        self.point(1)
        publisher.publish(self.partition, 1, {"model.zip": out.getvalue()})
        small = Subscriber(str(self.store), "app", limits=Limits(network_bytes=8 << 20))
        with self.assertRaisesRegex(ModelError, "larger than 8388608 bytes, the most"):
            small.refresh()

    def test_unknown_layer_is_refused_by_name_with_a_hint(self) -> None:
        def other(name: str, content: bytes) -> bytes:
            if name != "configuration.json":
                return content
            return content.replace(b"layers.DenseLayer", b"layers.AutoEncoder", 1)

        self.subscriber.refresh()
        content = publisher.rezipped((self.version(1) / "model.zip").read_bytes(), other)
        publisher.publish(self.partition, 5, {"model.zip": content})
        why = self.refused("layers.AutoEncoder", "is not computed in Python", "idla models serve")
        self.assertIn("vertex", why)

    def test_settings_that_are_unknown_are_refused_by_name(self) -> None:
        def other(name: str, content: bytes) -> bytes:
            if name != "configuration.json":
                return content
            return content.replace(b'"hasBias"', b'"hasDoubleBias" : true, "hasBias"', 1)

        self.subscriber.refresh()
        content = publisher.rezipped((self.version(1) / "model.zip").read_bytes(), other)
        publisher.publish(self.partition, 5, {"model.zip": content})
        self.refused("setting 'hasDoubleBias' of")

    def test_spec_of_a_newer_format_is_refused_in_words(self) -> None:
        self.subscriber.refresh()
        spec = json.loads((self.version(5) / "spec.json").read_text(encoding="utf-8"))
        spec["formatVersion"] = 3
        publisher.publish(self.partition, 5, {"spec.json": json.dumps(spec).encode()})
        self.refused("spec.json is not in format 2")

    def test_pin_and_roll_back_serve_an_older_version(self) -> None:
        self.subscriber.refresh()
        digest = publisher.sha256((self.version(2) / "manifest.json").read_bytes())
        pin = {
            "formatVersion": 1,
            "version": 2,
            "digest": digest,
            "until": 0,
            "reason": "worse",
            "by": "test",
            "atMillis": 5,
        }
        path = self.partition / "pin.json"
        path.write_text(json.dumps(pin))
        self.assertTrue(self.subscriber.refresh())
        self.assert_predicts(2)
        path.write_text(json.dumps({**pin, "digest": "1" * 64}))
        self.refused("version 2 is pinned with the digest 111", "pin it again, or unpin it")
        path.write_text("{")
        self.refused("pin a version again, or unpin")
        path.write_text(json.dumps({**pin, "until": _LAST - 1}))
        self.assertTrue(self.subscriber.refresh(), "the pin has ended")
        self.assert_predicts(_LAST)

    def test_alias_is_followed_to_any_version(self) -> None:
        follower = Subscriber(str(self.store), "app", alias="champion")
        with self.assertRaisesRegex(UnknownAliasError, "app/0 has no alias 'champion'; no version"):
            follower.refresh()
        for number in (4, 2):
            digest = publisher.sha256((self.version(number) / "manifest.json").read_bytes())
            alias = {"version": number, "digest": digest, "by": "test", "atMillis": 5}
            aliases = {"formatVersion": 1, "aliases": {"champion": alias}}
            (self.partition / "aliases.json").write_text(json.dumps(aliases))
            self.assertTrue(follower.refresh())
            self.assertEqual(follower.version, number)
        (self.partition / "aliases.json").write_text("[]")
        with self.assertRaisesRegex(ModelError, "delete the file and give the aliases again"):
            follower.refresh()
        self.assertEqual(follower.version, 2)

    def test_pointer_that_goes_back_changes_nothing(self) -> None:
        self.subscriber.refresh()
        self.point(3)
        self.assertFalse(self.subscriber.refresh())
        self.assertEqual(self.subscriber.version, _LAST)
        shutil.rmtree(self.version(_LAST))
        self.refused(f"version {_LAST}, which is served here, is no longer in the store")

    def test_fenced_publisher_is_not_followed(self) -> None:
        self.subscriber.refresh()
        old = self.pointer()
        newer = self.partition / "publisher-0000000099"
        shutil.copytree(old.parent, newer)
        fields = json.loads(old.read_text(encoding="utf-8"))
        fenced = {**fields, "version": 3, "digest": "0" * 64}
        publisher.replace(old, json.dumps(fenced).encode())
        self.assertFalse(self.subscriber.refresh())
        number = publisher.publish(self.partition, _LAST)
        self.assertTrue(self.subscriber.refresh())
        self.assertEqual(self.subscriber.version, number)

    def test_store_that_does_not_exist_yet(self) -> None:
        later = Path(self.temporary.name) / "ümlaut" / "models"
        clock = StoppedClock()
        subscriber = Subscriber(later.as_uri(), "app", clock=clock)
        self.assertFalse(subscriber.refresh())
        self.assertEqual(subscriber.failure, "")
        with self.assertRaisesRegex(NoModelError, "app/0 has no model in service yet"):
            subscriber.model()
        with self.assertRaisesRegex(TimeoutError, "app/0 serves version 0 after 0.01 s"):
            subscriber.wait_for(timeout_seconds=0.01)
        shutil.copytree(self.store, later)
        self.assertTrue(subscriber.refresh())
        self.assertEqual(subscriber.wait_for(timeout_seconds=0).version, _LAST)

    def test_pauses_double_up_to_half_a_minute_and_start_anew(self) -> None:
        clock = StoppedClock()
        whole = self.pointer().read_bytes()
        self.pointer().write_bytes(b"{")
        with Subscriber(str(self.store), "app", clock=clock) as subscriber:
            thread = subscriber._thread
            assert thread is not None
            thread.join(10)
            self.assertIn("cannot be read", subscriber.failure)
        self.assertEqual(clock.pauses[:4], [0.2, 0.4, 0.8, 1.6])
        self.assertEqual(max(clock.pauses), 30)
        clock = StoppedClock()
        self.pointer().write_bytes(whole)
        with Subscriber(str(self.store), "app", clock=clock) as subscriber:
            thread = subscriber._thread
            assert thread is not None
            thread.join(10)
            clock.seconds = 3
            self.assertEqual(subscriber.staleness_seconds, 3)
            clock.millis = subscriber.model().manifest.created_at_millis + 1_500
            self.assertEqual(subscriber.age_seconds, 1.5)
        self.assertEqual(set(clock.pauses), {0.2})

    def test_thread_survives_a_store_that_does_not_answer_as_one(self) -> None:
        class Broken:
            """Fails in a way that no store should."""

            def __init__(self, inner: object) -> None:
                self.inner = inner
                self.fails = False

            def __getattr__(self, name: str) -> object:
                if self.fails and name == "pointer":
                    raise KeyError("something else")
                return getattr(self.inner, name)

        from idlalayer import FolderSource

        source = Broken(FolderSource(str(self.store)))
        with Subscriber(source, "app", poll_seconds=0.01) as subscriber:  # type: ignore[arg-type]
            source.fails = True
            deadline = time.monotonic() + 10
            while not subscriber.failure and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertIn("something else", subscriber.failure)
            source.fails = False
            while subscriber.failure and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertEqual(subscriber.failure, "")

    def test_rows_that_the_model_does_not_take(self) -> None:
        self.subscriber.refresh()
        good = {"price": 1, "user": "u1", "friends": ["u1", 2], "shop": "u3", "place": 3}
        with self.assertRaisesRegex(ValueError, "row 1: price: missing"):
            self.subscriber.predict([good, {"user": "u1"}])
        with self.assertRaisesRegex(ValueError, "price: NaN is not a finite number"):
            self.subscriber.predict({**good, "price": float("nan")})
        with self.assertRaisesRegex(ValueError, "price: Infinity is not a finite number"):
            self.subscriber.predict({**good, "price": float("inf")})
        with self.assertRaisesRegex(ValueError, "friends: 5 ids where at most 4 are expected"):
            self.subscriber.predict({**good, "friends": list("abcde")})
        with self.assertRaisesRegex(ValueError, "price: missing"):
            self.subscriber.predict({"pixel": [1, 2]})
        with self.assertRaisesRegex(ValueError, "the model takes .rows, 1.: price"):
            import numpy

            self.subscriber.predict(numpy.zeros((2, 3)))
        self.assertEqual(self.subscriber.predict([]).values.shape, (0, 2))
        more = self.subscriber.predict({**good, "something": {"else": [1]}})
        self.assertEqual(more.values.tolist(), self.subscriber.predict(good).values.tolist())
        before = self.subscriber.model().rows.unknown_ids
        self.subscriber.predict({**good, "user": "never seen"})
        self.assertEqual(self.subscriber.model().rows.unknown_ids, before + 1)

    def test_predictions_cannot_be_changed(self) -> None:
        self.subscriber.refresh()
        answer = self.subscriber.predict({"price": 1})
        with self.assertRaises(ValueError):
            answer.values[0, 0] = 7
        self.assertIn(answer.labels[0], ("no", "yes"))
        with self.assertRaisesRegex(ValueError, "classes and no target"):
            _ = answer.targets


@cases.needs_cases
class LiveTest(Quiet):
    """A publisher of the Java library publishes and deletes versions while threads predict."""

    def test_threads_predict_while_versions_come_and_go(self) -> None:
        failures: list[str] = []
        seen: set[int] = set()
        expected: dict[int, list] = {}
        lock = threading.Lock()
        done = threading.Event()

        def wanted(version: int) -> list:
            path = cases.folder() / "live" / f"expected-{version}.json"
            with lock:
                deadline = time.monotonic() + 10
                while version not in expected:
                    if path.exists():
                        expected[version] = cases.expected("live", version)
                    elif time.monotonic() > deadline:
                        raise AssertionError(f"version {version} was never published")
                    else:
                        time.sleep(0.005)
                return expected[version]

        def predict() -> None:
            try:
                while not done.is_set():
                    model = subscriber.model()
                    rows = wanted(model.version)
                    answer = model.predict([row["event"] for row in rows])
                    self.assertEqual(answer.version, model.version)
                    for row, values in zip(rows, answer.values):
                        for value, right in zip(values, row["values"]):
                            self.assertLessEqual(abs(value - right), row["tolerance"])
                    seen.add(model.version)
            except BaseException as failed:
                failures.append(repr(failed))

        with Subscriber(cases.models("live"), "app", poll_seconds=0.005) as subscriber:
            first = subscriber.version
            threads = [threading.Thread(target=predict) for _ in range(3)]
            for thread in threads:
                thread.start()
            (cases.folder() / "live" / "go").touch()
            try:
                subscriber.wait_for(first + 10, timeout_seconds=60)
            finally:
                (cases.folder() / "live" / "stop").touch()
                done.set()
                for thread in threads:
                    thread.join(10)
            self.assertEqual(failures, [])
            self.assertGreater(len(seen), 3)
            self.assertEqual(subscriber.failure, "")


@cases.needs_cases
class ServerTest(Quiet):
    """The same models from a server of the Java library."""

    def setUp(self) -> None:
        super().setUp()
        server = json.loads((cases.folder() / "server.json").read_text())
        self.address, self.token = server["address"], server["token"]

    def test_models_of_a_server_are_those_of_its_folder(self) -> None:
        with Subscriber(self.address, "app", token=self.token) as subscriber:
            model = subscriber.wait_for(timeout_seconds=10)
            self.assertEqual(model.version, _LAST)
            rows = cases.expected("tables", _LAST)
            answer = model.predict([row["event"] for row in rows])
            for row, values in zip(rows, answer.values):
                for value, right in zip(values, row["values"]):
                    self.assertLessEqual(abs(value - right), row["tolerance"])
            self.assertFalse(subscriber.refresh(), "unchanged: an answer without a body")
            self.assertEqual(subscriber.failure, "")

    def test_server_that_refuses_or_does_not_listen(self) -> None:
        with self.assertRaisesRegex(ModelError, "the server answered 401.*it wants a token"):
            Subscriber(self.address, "app").refresh()
        none = Subscriber(self.address, "none", token=self.token)
        self.assertFalse(none.refresh())
        with self.assertRaisesRegex(ModelError, "no server listens there"):
            Subscriber("http://127.0.0.1:1/models/", "app").refresh()

    def test_pin_and_alias_of_a_server_are_followed(self) -> None:
        partition = Path(cases.models("tables")) / "app" / "0"
        digest = publisher.sha256((partition / "v0000000003" / "manifest.json").read_bytes())
        pin = {"formatVersion": 1, "version": 3, "digest": digest, "until": 0}
        pin.update(reason="worse", by="test", atMillis=5)
        subscriber = Subscriber(self.address, "app", token=self.token)
        subscriber.refresh()
        try:
            publisher.replace(partition / "pin.json", json.dumps(pin).encode())
            self.assertTrue(subscriber.refresh())
            self.assertEqual(subscriber.version, 3)
            self.assertFalse(subscriber.refresh())
        finally:
            os.unlink(partition / "pin.json")
        self.assertTrue(subscriber.refresh())
        self.assertEqual(subscriber.version, _LAST)

    def test_manifest_that_was_damaged_is_read_again_when_it_is_whole(self) -> None:
        path = Path(cases.models("tables")) / "app" / "0" / f"v{_LAST:010d}" / "manifest.json"
        whole = path.read_bytes()
        subscriber = Subscriber(self.address, "app", token=self.token)
        try:
            publisher.replace(path, whole.replace(b"delta", b"delte"))
            with self.assertRaises(ModelError):
                subscriber.refresh()
        finally:
            publisher.replace(path, whole)
        self.assertTrue(subscriber.refresh())
        self.assertEqual(subscriber.version, _LAST)


class AddressTest(unittest.TestCase):
    def test_addresses_that_are_none(self) -> None:
        for store, words in (
            ("gs://bucket/models", "models cannot be read from gs: here"),
            ("file://elsewhere/models", "names the host elsewhere"),
            ("http:///models", "is not an address of models"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                Subscriber(store, "app")
        with self.assertRaisesRegex(ValueError, "is not a name for a file here"):
            Subscriber("models", "../app")
        with self.assertRaisesRegex(ValueError, "is not an alias"):
            Subscriber("models", "app", alias="7")
        with self.assertRaisesRegex(ValueError, "poll_seconds must be above 0"):
            Subscriber("models", "app", poll_seconds=0)
        with self.assertRaisesRegex(ValueError, "a folder has none"):
            Subscriber("models", "app", token="x")

    def test_file_addresses_of_all_forms(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for store in (folder, "file:" + folder, "file://" + folder, Path(folder).as_uri()):
                subscriber = Subscriber(store, "app")
                self.assertFalse(subscriber.refresh())
                self.assertEqual(subscriber._source.address(), folder)


if __name__ == "__main__":
    unittest.main()
