"""Parts of the package that need no models: texts, times, hashes, bounds, and the packaging."""

from __future__ import annotations

import importlib.util
import io
import json
import locale
import re
import struct
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree
from collections.abc import Callable
from pathlib import Path

import numpy as np
from specs import empty_spec

import idlalayer
from idlalayer import (
    CorruptModelError,
    Limits,
    MalformedModelError,
    UnsupportedModelError,
    archive,
    configuration,
    hashes,
    manifest,
    network,
    paths,
    rows,
    timestamps,
)
from idlalayer.events import Sample
from idlalayer.history import Histories
from idlalayer.numbers import is_space, java_strip, read_number, shown, text_of, truth
from idlalayer.spec import DenseFeature, History, Table, Use

_ROOT = Path(__file__).resolve().parents[3]


class HashesTest(unittest.TestCase):
    def test_known_values(self) -> None:
        self.assertEqual(hashes.murmur128(b"17")[0] % 1000, 33)
        self.assertEqual(hashes.murmur128(b"user-1")[0] % 1000, 158)
        self.assertEqual(hashes.murmur32(b""), 0)
        self.assertEqual(hashes.murmur32(b"hello"), 0x248BFA47)
        self.assertEqual(hashes.murmur32(b"Hello, world!", 0x9747B28C), 0x24884CBA)
        key = bytes(range(16))
        low, high = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
        # Vectors of the authors' reference implementation.
        self.assertEqual(hashes.siphash(b"", low, high), 0x726FDB47DD0E0E31)
        self.assertEqual(hashes.siphash(bytes(range(15)), low, high), 0xA129CA6149BE45E5)


class NumbersTest(unittest.TestCase):
    def test_texts_of_numbers_are_those_of_java(self) -> None:
        for number, text in (
            (1.0, "1.0"),
            (1e7, "1.0E7"),
            (123456789.0, "1.23456789E8"),
            (0.001, "0.001"),
            (9.99e-4, "9.99E-4"),
            (-0.0, "-0.0"),
            (5e-324, "4.9E-324"),
            (1e22, "1.0E22"),
            (2.0**70, "1.1805916207174113E21"),
        ):
            if number != 5e-324:  # Java writes two digits of the least number; no id is one.
                self.assertEqual(text_of(number), text)
            self.assertEqual(float(text_of(number)), number)

    def test_numbers_do_not_depend_on_the_locale(self) -> None:
        before = locale.setlocale(locale.LC_ALL)
        try:
            for name in ("de_DE.UTF-8", "tr_TR.UTF-8", "C"):
                try:
                    locale.setlocale(locale.LC_ALL, name)
                except locale.Error:
                    continue
                self.assertEqual(read_number(" 1.5 "), 1.5)
                self.assertNotEqual(read_number("1,5"), 1.5)
                self.assertEqual(text_of(1234567.5), "1234567.5")
        finally:
            locale.setlocale(locale.LC_ALL, before)

    def test_what_is_no_number(self) -> None:
        for text in ("", "1_000", "0x1p3", "1d", "NaN", "Infinity", "١", "--1", "1.2.3", "e5"):
            self.assertNotEqual(read_number(text), read_number(text), text)
        for text in ("1.", ".5", "+1", "1e3", "\u00a01\u00a0"):
            self.assertEqual(read_number(text), float(text.strip()))

    def test_white_space_is_that_of_java(self) -> None:
        white = [0x1680, *range(0x2000, 0x2007), 0x2008, 0x2009, 0x200A, 0x2028, 0x2029]
        white += [*range(0x09, 0x0E), *range(0x1C, 0x21), 0x205F, 0x3000]
        spaces = [*range(0x01, 0x21), 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029]
        spaces += [0x202F, 0x205F, 0x3000]
        characters = [chr(code) for code in range(sys.maxunicode + 1)]
        self.assertEqual({ord(each) for each in characters if not java_strip(each)}, set(white))
        self.assertEqual({ord(each) for each in characters if is_space(each)}, set(spaces))
        self.assertEqual(truth("\u2003true\u3000"), 1)
        for each in "\u00a0\u2007\u202f\u0085":
            self.assertNotEqual(truth(each + "true"), truth(each + "true"))
            with self.assertRaises(timestamps.TimestampError):
                timestamps.read(each + "2024-03-05")
        self.assertEqual(timestamps.read("\u00a01709629200").epoch_seconds, 1709629200)

    def test_shown_texts_are_short_and_printable(self) -> None:
        self.assertEqual(shown("\u00a0\u0085\t\U000e0001"), "'\\u00a0\\u0085\\t\\udb40\\udc01'")
        self.assertEqual(shown("a\nb"), "'a\\nb'")
        self.assertEqual(shown("x" * 30), "'" + "x" * 24 + "...'")


class TimestampsTest(unittest.TestCase):
    def test_dates_of_four_centuries_are_those_of_python(self) -> None:
        import datetime

        day = datetime.date(1677, 1, 1)
        while day.year < 2263:
            found = timestamps.read(day.isoformat())
            self.assertEqual(found.date, (day.year, day.month, day.day))
            self.assertEqual(found.weekday, day.isoweekday())
            self.assertEqual(found.day, (day - datetime.date(1970, 1, 1)).days)
            day += datetime.timedelta(days=97)

    def test_reasons_of_refusals(self) -> None:
        for text, reason in (
            ("03/05/2024", "day and month cannot be told apart"),
            ("2024-02-30", "day 30 is not 1 to 29, the days of 2024-02"),
            ("12024-01-01", "a year has four digits"),
            ("10:00", "a time of day without a date"),
            ("x" * 101, "it has 101 characters, and at most 100 are read"),
            ("1e30", "not in the years 1677 to 2262"),
        ):
            with self.assertRaisesRegex(timestamps.TimestampError, reason):
                timestamps.read(text)


class PathsTest(unittest.TestCase):
    def test_paths_and_plain_names(self) -> None:
        self.assertEqual(paths.parse('items[0].price["a.\\"b"]'), ("items", 0, "price", 'a."b'))
        for name in ("x", "a..b", "[0]", "No. of rooms ", "a[x]", "a.", 'a["b'):
            found = paths.parse(name)
            self.assertTrue(found is None or name == "No. of rooms ", name)
        self.assertEqual(paths.beginning(("a", 0, "b.c")), 'a[0]["b.c"]')


class BoundsTest(unittest.TestCase):
    def test_manifests_that_are_none(self) -> None:
        for content in (b"", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"formatVersion": NaN}'):
            with self.assertRaises(CorruptModelError):
                manifest.decode_manifest(content, "here")
        with self.assertRaisesRegex(CorruptModelError, "here is not a complete manifest"):
            manifest.decode_manifest(b'{"formatVersion": 1}', "here")

    def test_arrays_that_lie_about_their_sizes(self) -> None:
        def text(value: str) -> bytes:
            return len(value).to_bytes(2, "big") + value.encode()

        def longs(*values: int) -> bytes:
            return b"".join(value.to_bytes(8, "big", signed=True) for value in values)

        mode = text("MIXED_DATA_TYPES")
        for shape, length in (((1 << 30,), 1 << 30), ((1 << 40,), 1 << 40), ((-1,), -1), ((2,), 3)):
            head = mode + longs(6) + text("LONG") + longs(1, *shape, 1, 0, 1, ord("c"))
            with self.assertRaises(MalformedModelError):
                archive.parameters(head + mode + longs(length) + text("FLOAT") + bytes(8))
        with self.assertRaisesRegex(MalformedModelError, "is cut off"):
            archive.parameters(mode)

    def test_networks_too_large_for_a_row(self) -> None:
        layer = {"@class": "org.deeplearning4j.nn.conf.layers.OutputLayer", "weightNoise": None}
        layer.update(nin=1 << 21, nout=1 << 22, hasBias=True)  # type: ignore[arg-type]
        layer["activationFn"] = {  # type: ignore[assignment]
            "@class": "org.nd4j.linalg.activations.impl.ActivationSoftmax"
        }
        content = json.dumps({"confs": [{"layer": layer}]}).encode()
        with self.assertRaisesRegex(MalformedModelError, "parameters, but the file has only 1 left"):
            configuration.read(content, np.zeros(1, np.float32), 1 << 21, 0)
        with self.assertRaisesRegex(MalformedModelError, "numbers between its layers"):
            configuration.read(content, np.zeros(1, np.float32), (1 << 22) + 1, 0)

    def test_limits_below_one_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "rows_bytes must be above 0, not 0"):
            Limits(rows_bytes=0)

    def test_unsupported_part_has_a_hint(self) -> None:
        self.assertIn("over HTTP", str(UnsupportedModelError("vertex 'a', a Thing,")))


class StepsTest(unittest.TestCase):
    def test_columns_of_the_input_are_those_of_a_dense_matrix(self) -> None:
        random = np.random.default_rng(3)
        numbers = random.normal(size=(6, 5))
        ones = np.stack([random.integers(3, 7, 6), random.integers(7, 10, 6)], axis=1)
        given = network.InputRows(numbers, ones, 3, 10)
        whole = np.zeros((6, 12))
        whole[:, :3], whole[:, 10:] = numbers[:, :3], numbers[:, 3:]
        for row, columns in enumerate(ones):
            whole[row, columns] = 1
        for start in range(12):
            for stop in range(start + 1, 13):
                part = given.columns(start, stop)
                self.assertTrue(np.array_equal(part.dense(), whole[:, start:stop]))
                weights = random.normal(size=(stop - start, 4))
                wanted = whole[:, start:stop] @ weights
                self.assertTrue(np.allclose(part.times(weights), wanted, atol=1e-12))

    def test_convolution_in_parts_is_that_of_the_whole(self) -> None:
        random = np.random.default_rng(4)
        image = network.Image(2, 9, 11)
        window = network.Window(image, 3, 2, 2, 1, 1, 0, 5, 10)
        step = network.Convolution(
            window, random.normal(size=(3, 12)), random.normal(size=3), network.relu
        )
        given = random.normal(size=(2, image.numbers))
        whole = step.run([given])
        before = network._TAPS_AT_ONCE
        try:
            for most in (1, 12, 50, 130):
                network._TAPS_AT_ONCE = most
                self.assertTrue(np.allclose(step.run([given]), whole, atol=1e-6))
        finally:
            network._TAPS_AT_ONCE = before


class RowsTest(unittest.TestCase):
    def test_changed_rows_against_a_dict(self) -> None:
        random = np.random.default_rng(5)
        known: dict[int, tuple[float, bool]] = {}
        entries = rows.Entries.empty(1)
        for _ in range(40):
            keys = np.unique(random.integers(0, 60, random.integers(1, 12))).astype(np.uint64)
            weights = random.normal(size=(len(keys), 1)).astype(np.float32)
            deleted = random.random(len(keys)) < 0.3
            entries = entries.changed(rows.Entries(keys, weights, deleted))
            for key, weight, gone in zip(keys, weights, deleted):
                known[int(key)] = (float(weight[0]), bool(gone))
            self.assertEqual([int(key) for key in entries.keys], sorted(known))
            for at, key in enumerate(entries.keys):
                self.assertEqual(
                    (float(entries.weights[at, 0]), bool(entries.deleted[at])), known[int(key)]
                )
        left = entries.without_deleted()
        self.assertEqual(len(left.keys), sum(not gone for _, gone in known.values()))
        for key in range(60):
            self.assertEqual(left.find(key) >= 0, key in known and not known[key][1])

    def test_row_files_that_are_none(self) -> None:
        class Bytes:
            def __init__(self, content: bytes) -> None:
                self.content = content

            def read(self, most: int) -> bytes:
                part, self.content = self.content[:most], self.content[most:]
                return part

        plan = (rows.TablePlan("t", 1, 1),)
        head = b"IDLR\x01\x00\x00\x01\x00\x01t\x00\x00\x00\x01\x00\x00\x00\x01"
        row = b"\x01" + (5).to_bytes(8, "big") + b"\x3f\x80\x00\x00"
        end = b"\x00" + (1).to_bytes(8, "big")
        for content, words in (
            (b"IDLX", "it is not a row file"),
            (b"IDLR\x02\x00\x00\x01", "version 2 of the format, this program reads 1"),
            (b"IDLR\x01\x07\x00\x01", "unknown kind 7"),
            (b"IDLR\x01\x00\x00\x02", "2 tables instead of 1"),
            (head[:12], "cut off"),
            (head, "cut off"),
            (head + row[:7], "cut off"),
            (head + row + end[:-1] + b"\x02", "a table has 1 entries instead of 2"),
            (head + row + row + end, "not in order"),
            (head + b"\x02" + bytes(8) + end, "unknown tag 2"),
            (head + b"\x09" + bytes(8) + end, "unknown tag 9"),
        ):
            with self.assertRaisesRegex(CorruptModelError, words):
                reader = rows._Reader(Bytes(content), plan, rows.Budget(1 << 20))
                reader.table(plan[0])
        reader = rows._Reader(Bytes(head + row + end), plan, rows.Budget(1 << 20))
        self.assertEqual(len(reader.table(plan[0]).keys), 1)
        with self.assertRaisesRegex(CorruptModelError, "take more than 9 bytes of memory"):
            reader = rows._Reader(Bytes(head + row + end), plan, rows.Budget(9))
            reader.table(plan[0])

    def test_rows_for_a_model_that_uses_them_otherwise(self) -> None:
        sums = empty_spec(tables=(Table("t", 1),))
        means = empty_spec(tables=(Table("t", 1),), uses=(Use(0, "MEAN"), Use(0, "SUM")))
        salt = np.uint64(rows.plans_of(sums)[0].salt)
        keys = np.arange(5, 9, dtype=np.uint64)
        keys = keys[np.argsort(rows._mixed(keys ^ salt))]

        def file(kind: int, changed: np.ndarray, weight: float) -> bytes:
            head = b"IDLR\x01" + bytes([kind]) + b"\x00\x01\x00\x01t" + struct.pack(">ii", 1, 1)
            body = b"".join(b"\x01" + struct.pack(">Qf", int(key), weight) for key in changed)
            return head + body + b"\x00" + struct.pack(">q", len(changed))

        chain = [file(0, keys, 2.0), file(1, keys[:1], 3.0)]
        before = rows.read(sums, [io.BytesIO(chain[0])], 1 << 20)
        ids = (tuple(int(key) for key in keys), (int(keys[0]),))
        caught_up = before.used_by(means).next([io.BytesIO(chain[1])], 1 << 20)
        anew = rows.read(means, [io.BytesIO(each) for each in chain], 1 << 20)
        self.assertEqual(caught_up.vectors([ids]).tolist(), [[9 / 4, 3.0]])
        self.assertEqual(anew.vectors([ids]).tolist(), caught_up.vectors([ids]).tolist())
        self.assertEqual(before.vectors([ids[:1]]).tolist(), [[8.0]])

    def test_chain_read_at_once_takes_what_it_takes_link_by_link(self) -> None:
        random = np.random.default_rng(6)
        spec = empty_spec(tables=(Table("t", 4),))
        record = np.dtype([("tag", "u1"), ("key", ">u8"), ("weights", ">f4", (4,))])
        salt = np.uint64(rows.plans_of(spec)[0].salt)
        keys = np.arange(10, 4010, dtype=np.uint64)
        keys = keys[np.argsort(rows._mixed(keys ^ salt))]

        def file(kind: int, changed: np.ndarray) -> bytes:
            entries = np.zeros(len(changed), record)
            entries["tag"], entries["key"] = 1, changed
            entries["weights"] = random.normal(size=(len(changed), 4))
            head = b"IDLR\x01" + bytes([kind]) + b"\x00\x01\x00\x01t" + struct.pack(">ii", 4, 4)
            return head + entries.tobytes() + b"\x00" + struct.pack(">q", len(changed))

        chain = [file(0, keys)]
        for _ in range(60):
            chain.append(file(1, keys[np.sort(random.permutation(len(keys))[:300])]))
        size = rows.read(spec, [io.BytesIO(chain[0])], 1 << 30).bytes

        def outcome(read: Callable[[int], rows.ServedRows], most: int) -> str:
            try:
                served = read(most)
            except CorruptModelError as refused:
                return str(refused)
            values = [served.vectors([((int(key),),)]).tolist() for key in keys[:50]]
            return f"{served.sizes} {values}"

        def at_once(most: int) -> rows.ServedRows:
            return rows.read(spec, [io.BytesIO(each) for each in chain], most)

        def caught_up(most: int) -> rows.ServedRows:
            first = rows.read(spec, [io.BytesIO(chain[0])], most)
            return first.next([io.BytesIO(each) for each in chain[1:]], most)

        def by_link(most: int) -> rows.ServedRows:
            served = rows.read(spec, [io.BytesIO(chain[0])], most)
            for each in chain[1:]:
                served = served.next([io.BytesIO(each)], most)
            return served

        for share in (0.9, 1.0, 1.2, 2.0, 8.0):
            most = int(size * share)
            wanted = outcome(by_link, most)
            self.assertEqual(wanted.startswith("{'t': 4000}"), share >= 2, f"{share}: {wanted}")
            self.assertEqual(outcome(at_once, most), wanted, share)
            self.assertEqual(outcome(caught_up, most), wanted, share)


class HistoriesTest(unittest.TestCase):
    def test_arrival_while_the_specification_changes_is_of_one_of_them(self) -> None:
        history = History(None, 1, True, 10, 0, 0)
        feature = DenseFeature("a", 1, 1.0)
        before = empty_spec(dense=(feature,), history=history)
        after = empty_spec(dense=(feature, DenseFeature("b", 1, 1.0)), history=history)
        histories = Histories(before)
        decoder = histories._decoder
        changing = threading.Thread(target=histories.changed, args=(after,))

        class Slow:
            """Another thread changes the specification while this decodes."""

            def decode(self, row: dict) -> Sample:
                sample = decoder.decode(row)
                changing.start()
                changing.join(0.2)
                return sample

        histories._decoder = Slow()  # type: ignore[assignment]
        arrived = histories.arrived({"a": 1, "b": 2})
        changing.join(10)
        assert arrived.context is not None
        self.assertEqual((len(arrived.dense), len(arrived.context)), (1, before.context_width))
        arrived = histories.arrived({"a": 1, "b": 2})
        assert arrived.context is not None
        self.assertEqual((len(arrived.dense), len(arrived.context)), (2, after.context_width))


class PackageTest(unittest.TestCase):
    def test_version_is_that_of_the_maven_build(self) -> None:
        root = xml.etree.ElementTree.parse(_ROOT / "pom.xml").getroot()
        space = {"m": "http://maven.apache.org/POM/4.0.0"}
        maven = root.findtext("m:version", namespaces=space)
        assert maven is not None
        wanted = re.sub(r"-SNAPSHOT$", ".dev0", maven).replace("-rc.", "rc")
        self.assertEqual(idlalayer.__version__, wanted)

    def test_every_name_that_is_offered_exists(self) -> None:
        for name in idlalayer.__all__:
            self.assertTrue(hasattr(idlalayer, name), name)

    def test_lines_and_hints_of_the_sources(self) -> None:
        folder = Path(idlalayer.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        for path in sorted(folder.glob("*.py")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                self.assertLessEqual(len(line), 100, f"{path.name}:{number}")
                self.assertEqual(line, line.rstrip(), f"{path.name}:{number}")

    def test_wheel_is_built_without_a_network(self) -> None:
        import shutil
        import subprocess
        import sys

        for needed in ("setuptools", "wheel"):
            if importlib.util.find_spec(needed) is None:
                self.skipTest(f"needs {needed}, with which wheels are built")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "python"
            ignored = shutil.ignore_patterns("tests", "build", "*.egg-info", "__pycache__")
            shutil.copytree(_ROOT / "serving" / "python", copy, ignore=ignored)
            command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
            built = subprocess.run(
                [*command, "--no-index", "--wheel-dir", folder, str(copy)],
                capture_output=True,
                text=True,
                timeout=120,
            )
            self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            wheels = [each.name for each in Path(folder).glob("*.whl")]
            self.assertEqual(wheels, [f"idlalayer-{idlalayer.__version__}-py3-none-any.whl"])


if __name__ == "__main__":
    unittest.main()
