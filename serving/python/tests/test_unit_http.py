"""Servers that answer half, slowly, or not at all."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
import unittest

from scripted import Answer, Server

from idlalayer import HttpSource, StoreError, Subscriber
from idlalayer.store import Place

_OF = Place("app", 0)
_TEXT = b"x" * 100
_NONE = b"HTTP/1.1 404 Not Found\r\nIdla-Models-Format: 1\r\nContent-Length: 0\r\n\r\n"
_TAGGED = b'HTTP/1.1 200 OK\r\nETag: "t"\r\n'
_LENGTH = _TAGGED + b"Content-Length: 100\r\n\r\n"
_CHUNKED = _TAGGED + b"Transfer-Encoding: chunked\r\n\r\n"


class HttpTest(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)

    def server(self, answer: Answer, pause_seconds: float = 0) -> Server:
        server = Server(answer, pause_seconds)
        self.addCleanup(server.close)
        return server

    def test_text_whose_connection_breaks_is_neither_used_nor_remembered(self) -> None:
        for cut, whole in (
            (_LENGTH + _TEXT[:40], _LENGTH + _TEXT),
            (_CHUNKED + b"64\r\n" + _TEXT[:40], _CHUNKED + b"64\r\n" + _TEXT + b"\r\n0\r\n\r\n"),
            (_CHUNKED + b"64\r\n" + _TEXT + b"\r\n", _LENGTH + _TEXT),
        ):
            answers = [cut, whole]

            def answer(request: str) -> list[bytes]:
                if "If-None-Match" in request:
                    return [b'HTTP/1.1 304 Not Modified\r\nETag: "t"\r\n\r\n']
                return [answers.pop(0)]

            source = HttpSource(self.server(answer).address)
            with self.assertRaisesRegex(StoreError, "current.json cannot be read"):
                source.pointer(_OF)
            for _ in range(2):
                found = source.pointer(_OF)
                assert found is not None
                self.assertEqual(found.content, _TEXT)

    def test_text_without_a_length_is_not_remembered(self) -> None:
        server = self.server(lambda request: [_TAGGED + b"\r\n" + _TEXT])
        source = HttpSource(server.address)
        for _ in range(2):
            found = source.pointer(_OF)
            assert found is not None
            self.assertEqual(found.content, _TEXT)
        self.assertNotIn("If-None-Match", "".join(server.requests))

    def test_manifest_whose_connection_breaks_is_refused(self) -> None:
        source = HttpSource(self.server(lambda request: [_LENGTH + _TEXT[:40]]).address)
        with self.assertRaisesRegex(StoreError, "it ended after 40 of 100 bytes"):
            source.manifest(_OF, 1, hashlib.sha256(_TEXT[:40]).hexdigest())

    def test_server_that_sends_a_byte_now_and_then_is_too_slow(self) -> None:
        def dripped(content: bytes) -> list[bytes]:
            return [bytes([each]) for each in content]

        header = _TAGGED + b"X: " + b"x" * 300
        for answer in (
            [_LENGTH, *dripped(_TEXT)],
            [_CHUNKED, *[b"1\r\nx\r\n"] * 100],
            dripped(header),
        ):
            server = self.server(lambda request, parts=answer: parts, 0.05)  # type: ignore[misc]
            source = HttpSource(server.address, timeout_seconds=0.4, resumes=0)
            start = time.monotonic()
            with self.assertRaisesRegex(StoreError, "cannot be read: (the server is|timed out)"):
                source.pointer(_OF)
            with self.assertRaisesRegex(StoreError, "cannot be read: (the server is|timed out)"):
                source.open(_OF, 1, "rows.bin").read()
            self.assertLess(time.monotonic() - start, 4)

    def test_large_file_may_take_longer_than_the_timeout(self) -> None:
        parts = [b"y" * 4096] * 12
        head = _TAGGED + b"Content-Length: %d\r\n\r\n" % (4096 * 12)
        server = self.server(lambda request: [head, *parts], 0.05)
        source = HttpSource(server.address, timeout_seconds=0.3, resumes=0)
        with source.open(_OF, 1, "rows.bin") as stream:
            self.assertEqual(stream.read(), b"".join(parts))

    def test_close_ends_a_read_that_is_under_way(self) -> None:
        asked = threading.Event()
        drip = [_LENGTH, *[b"x"] * 99]

        def answer(request: str) -> list[bytes]:
            if len(server.requests) < 3:
                return [_NONE]
            asked.set()
            return drip

        for pause_seconds in (0.2, 30):
            asked.clear()
            server = self.server(answer, pause_seconds)
            source = HttpSource(server.address, timeout_seconds=60)
            subscriber = Subscriber(source, "app", poll_seconds=0.01).start()
            self.assertTrue(asked.wait(10))
            start = time.monotonic()
            subscriber.close()
            self.assertLess(time.monotonic() - start, 3)
            thread = subscriber._thread
            assert thread is not None
            self.assertFalse(thread.is_alive())


if __name__ == "__main__":
    unittest.main()
