"""Requests with time limits, and answers that are read whole or not at all; no protocol."""

from __future__ import annotations

import http.client
import io
import re
import ssl
import threading
import urllib.error
import urllib.request
import weakref
from collections.abc import Callable
from typing import Any, Optional

from .clock import Clock
from .connection import CutError, Exchange, TimedHandler, TimedRequest, TimedTlsHandler
from .errors import CorruptModelError, StoreError
from .manifest import LARGEST_TEXT_BYTES
from .store import too_large

_PART_BYTES = 1 << 16
_MOST_REASON_BYTES = 500
#: A file may take the timeout, and one second more for each of these.
_LEAST_BYTES_PER_SECOND = 1024


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: one could lead a secret to another host."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


class Transport:
    """Sends requests, and ends those that are under way. Any thread may use one; it keeps no
    connection open, uses no proxy and follows no redirect.

    timeout_seconds: how long connecting may take, and then all waits for a small text together.
    tls: trusts a server's certificate; None for the authorities of this Python.
    refused: the error for an answer with a status that is no success.
    alone: what an error says if no server listens.
    """

    def __init__(
        self,
        timeout_seconds: float,
        tls: Optional[ssl.SSLContext],
        clock: Clock,
        refused: Callable[[str, urllib.error.HTTPError], StoreError],
        alone: str,
    ) -> None:
        self._timeout_seconds = timeout_seconds
        self._clock = clock
        self._refused = refused
        self._alone = alone
        self._opener = urllib.request.build_opener(
            _NoRedirects(),
            urllib.request.ProxyHandler({}),
            TimedHandler(),
            TimedTlsHandler(tls),
        )
        self._lock = threading.Lock()
        self._exchanges: weakref.WeakSet[Exchange] = weakref.WeakSet()

    def send(self, url: str, where: str, headers: dict[str, str], *, file: bool = False) -> Any:
        """The answer to a GET, with status 200, 206 or 304.

        where: what messages call the URL.
        file: whether the answer may take longer, the longer it is.
        """
        rate = _LEAST_BYTES_PER_SECOND if file else None
        exchange = Exchange(self._clock, self._timeout_seconds, rate)
        with self._lock:
            self._exchanges.add(exchange)
        request = TimedRequest(url, {}, exchange)
        for name, value in headers.items():
            request.add_unredirected_header(name, value)
        try:
            return self._opener.open(request, timeout=self._timeout_seconds)
        except urllib.error.HTTPError as refused:
            if refused.code == 304:
                return refused
            with refused:
                raise self._refused(where, refused) from refused
        except (OSError, http.client.HTTPException) as failed:
            reason = told(failed)
            if isinstance(getattr(failed, "reason", failed), ConnectionRefusedError):
                reason = self._alone
            raise StoreError(f"{where} cannot be read: {reason}") from failed

    def close(self) -> None:
        """Ends the reads that are under way; they fail."""
        with self._lock:
            exchanges = list(self._exchanges)
        for each in exchanges:
            each.cut()


class ResumedStream(io.RawIOBase):
    """The body of an answer, which is asked for again from where its connection broke.

    ask: sends a request for the file with these headers more.
    where: what messages call the file.
    resumes: how often it is asked for again.
    condition: the header that asks for the rest of the same file only.
    """

    def __init__(
        self, ask: Callable[[dict[str, str]], Any], where: str, resumes: int, condition: str
    ) -> None:
        super().__init__()
        self._ask = ask
        self._where = where
        self._left = resumes
        self._condition = condition
        self._at = 0
        self._answer = ask({})
        self._tag = self._answer.headers.get("ETag")
        length = self._answer.headers.get("Content-Length")
        self._length = int(length) if length and length.isdigit() else None

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        while True:
            try:
                count: int = self._answer.readinto(into)
                cut = count == 0 and self._length is not None and self._at < self._length
                if not cut:
                    self._at += count
                    return count
                reason = "the connection ended early"
            except CutError as cut:
                raise StoreError(f"{self._where} cannot be read: {cut}") from cut
            except (OSError, http.client.HTTPException) as failed:
                reason = told(failed)
            self._resume(reason)

    def _resume(self, reason: str) -> None:
        if self._left == 0 or self._tag is None:
            raise StoreError(f"{self._where} cannot be read: {reason}, after {self._at} bytes")
        self._left -= 1
        self._answer.close()
        self._answer = self._ask({"Range": f"bytes={self._at}-", self._condition: self._tag})
        range_of = self._answer.headers.get("Content-Range", "")
        if self._answer.status != 206 or not range_of.startswith(f"bytes {self._at}-"):
            raise StoreError(f"{self._where} has changed while it was read")

    def close(self) -> None:
        if not self.closed:
            self._answer.close()
        super().close()


def body(answer: Any, where: str) -> bytes:
    """A small text, whole."""
    if answer.status != 200:
        raise StoreError(f"{where}: the server answered {answer.status} where 200 was expected")
    # The length that the server said; None if it said none, or sends chunks, which say their end.
    length: Optional[int] = answer.length
    parts: list[bytes] = []
    count = 0
    try:
        while length is None or count < length:
            part = answer.read1(_PART_BYTES if length is None else min(_PART_BYTES, length - count))
            if not part:
                break
            parts.append(part)
            count += len(part)
            if count > LARGEST_TEXT_BYTES:
                raise too_large(where)
    except CorruptModelError:
        raise
    except (OSError, http.client.HTTPException) as failed:
        raise StoreError(f"{where} cannot be read: {told(failed)}") from failed
    if length is not None and count < length:
        raise StoreError(f"{where} cannot be read: it ended after {count} of {length} bytes")
    return b"".join(parts)


def told(failed: BaseException) -> str:
    """Why there was no answer."""
    reason = getattr(failed, "reason", failed)
    return str(reason) or repr(reason)


def plain(text: str) -> str:
    """The beginning of a server's text, with printable ASCII characters only."""
    return re.sub(r"[^\x20-\x7E]", "?", text[:_MOST_REASON_BYTES])


def beginning(refused: urllib.error.HTTPError) -> str:
    """The beginning of the text of a refusal; "" if there is none."""
    try:
        return refused.read(_MOST_REASON_BYTES).decode("utf-8", "replace").strip()
    except (OSError, http.client.HTTPException) as unread:
        return f"and no reason: {unread}"
