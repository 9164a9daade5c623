"""Models of a server, `idla models serve`, read with Python's standard library."""

from __future__ import annotations

import hashlib
import http.client
import io
import json
import re
import ssl
import threading
import urllib.error
import urllib.parse
import urllib.request
import weakref
from collections.abc import Callable
from typing import Any, BinaryIO, Optional

from .clock import Clock, SystemClock
from .connection import CutError, Exchange, TimedHandler, TimedRequest, TimedTlsHandler
from .errors import CorruptModelError, StoreError
from .manifest import ALIASES, LARGEST_TEXT_BYTES, MANIFEST, PIN, POINTER, checked_name
from .store import NotFoundError, Place, StoredText, too_large, version_folder

_FORMAT_HEADER = "Idla-Models-Format"
_PIN_HEADER = "Idla-Pin"
_NO_PIN = "none"
_LIST_FORMAT = 1
_MOST_REASON_BYTES = 500
_MOST_KEPT_MANIFESTS = 128
_LARGEST_KEPT_BYTES = 128 << 10
_PART_BYTES = 1 << 16
#: A file may take the timeout, and one second more for each of these.
_LEAST_BYTES_PER_SECOND = 1024


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: one could lead the token to another host."""

    def redirect_request(self, *arguments: Any) -> None:
        return None


class HttpSource:
    """Models of a server. Any thread may use one; it keeps no connection open.

    token: the secret that the server wants, or None.
    timeout_seconds: how long connecting may take, and then all waits for a small text together. A
        file may take that and a second more for each KiB that has come, and one wait that long.
    resumes: how often a file whose connection breaks or is too slow is continued.
    tls: trusts the server's certificate; None for the authorities of this Python.
    clock: a clock for tests.

    No proxy is used, and no redirect is followed.
    """

    def __init__(
        self,
        address: str,
        token: Optional[str] = None,
        timeout_seconds: float = 10,
        resumes: int = 5,
        tls: Optional[ssl.SSLContext] = None,
        clock: Optional[Clock] = None,
    ) -> None:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(
                f"{address} is not an address of models; one looks like http://HOST:PORT/models/"
            )
        if token is not None and re.fullmatch(r"[\x21-\x7e]+", token) is None:
            raise ValueError("a token has visible ASCII characters only, and no spaces")
        self._address = address.rstrip("/")
        self._token = token
        self._timeout_seconds = timeout_seconds
        self._resumes = resumes
        self._clock = clock or SystemClock()
        self._opener = urllib.request.build_opener(
            _NoRedirects(),
            urllib.request.ProxyHandler({}),
            TimedHandler(),
            TimedTlsHandler(tls),
        )
        self._lock = threading.Lock()
        # All are bounded: one entry for each place and small file, and the newest manifests.
        self._kept: dict[str, tuple[str, StoredText]] = {}
        self._pin_tags: dict[Place, str] = {}
        self._manifests: dict[str, bytes] = {}
        self._exchanges: weakref.WeakSet[Exchange] = weakref.WeakSet()

    def address(self, of: Optional[Place] = None, version: Optional[int] = None) -> str:
        url = self._address
        if of is not None:
            url += f"/{of.application}/{of.partition}"
            if version is not None:
                url += "/" + version_folder(version)
        return url

    def _send(
        self,
        url: str,
        headers: Optional[dict[str, str]] = None,
        least_bytes_per_second: Optional[int] = None,
    ) -> Any:
        exchange = Exchange(self._clock, self._timeout_seconds, least_bytes_per_second)
        with self._lock:
            self._exchanges.add(exchange)
        request = TimedRequest(url, headers or {}, exchange)
        if self._token is not None:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            return self._opener.open(request, timeout=self._timeout_seconds)
        except urllib.error.HTTPError as refused:
            if refused.code == 304:
                return refused
            with refused:
                raise _refusal(url, refused) from refused
        except (OSError, http.client.HTTPException) as failed:
            raise StoreError(f"{url} cannot be read: {_told(failed)}") from failed

    def _text(self, url: str) -> bytes:
        with self._send(url) as answer:
            return _body(answer, url)

    def versions(self, of: Place) -> list[int]:
        url = self.address(of) + "/"
        try:
            listed = _list(self._text(url), "versions", url)
        except NotFoundError:
            return []
        if not all(isinstance(each, int) for each in listed):
            raise _no_list(url, "an entry that is no version")
        return sorted(listed)

    def files(self, of: Place, version: int) -> dict[str, int]:
        url = self.address(of, version) + "/"
        try:
            listed = _list(self._text(url), "files", url)
        except NotFoundError:
            return {}
        lengths = {}
        for each in listed:
            if (
                not isinstance(each, dict)
                or not isinstance(each.get("name"), str)
                or not isinstance(each.get("bytes"), int)
            ):
                raise _no_list(url, "an entry without a name")
            lengths[each["name"]] = each["bytes"]
        return lengths

    def pointer(self, of: Place) -> Optional[StoredText]:
        def keep_tag(answer: Any) -> None:
            with self._lock:
                self._pin_tags[of] = answer.headers.get(_PIN_HEADER, _NO_PIN)

        return self._if_changed(f"{self.address(of)}/{POINTER}", keep_tag)

    def aliases(self, of: Place) -> Optional[StoredText]:
        return self._if_changed(f"{self.address(of)}/{ALIASES}")

    def pin(self, of: Place) -> Optional[StoredText]:
        url = f"{self.address(of)}/{PIN}"
        with self._lock:
            tag = self._pin_tags.get(of, _NO_PIN)
            kept = self._kept.get(url)
        if tag == _NO_PIN:
            return None
        return kept[1] if kept is not None and kept[0] == tag else self._if_changed(url)

    def _if_changed(
        self, url: str, answered: Callable[[Any], None] = lambda answer: None
    ) -> Optional[StoredText]:
        with self._lock:
            kept = self._kept.get(url)
        try:
            answer = self._send(url, {"If-None-Match": kept[0]} if kept else None)
        except NotFoundError:
            return None
        with answer:
            answered(answer)
            if answer.status == 304:
                if kept is None:
                    raise StoreError(f"{url}: the server answered 304 where 200 was expected")
                return kept[1]
            # Without a length the end of a cut text looks like the end of a whole one.
            whole = answer.chunked or answer.length is not None
            text = StoredText(url, _body(answer, url))
            tag = answer.headers.get("ETag") if whole else None
        with self._lock:
            if tag is not None and len(text.content) <= _LARGEST_KEPT_BYTES:
                self._kept[url] = (tag, text)
            else:
                self._kept.pop(url, None)
        return text

    def manifest(self, of: Place, version: int, digest: Optional[str]) -> bytes:
        with self._lock:
            kept = self._manifests.get(digest) if digest is not None else None
        if kept is not None:
            return kept
        content = self._text(f"{self.address(of, version)}/{MANIFEST}")
        right = digest is not None and hashlib.sha256(content).hexdigest() == digest
        if digest is not None and right and len(content) <= _LARGEST_KEPT_BYTES:
            with self._lock:
                self._manifests[digest] = content
                while len(self._manifests) > _MOST_KEPT_MANIFESTS:
                    del self._manifests[next(iter(self._manifests))]
        return content

    def open(self, of: Place, version: int, name: str) -> BinaryIO:
        url = f"{self.address(of, version)}/{checked_name(name)}"
        return io.BufferedReader(_ResumedStream(self, url, self._resumes), 1 << 16)

    def close(self) -> None:
        """Ends the reads that are under way; they fail. No connection is kept."""
        with self._lock:
            exchanges = list(self._exchanges)
        for each in exchanges:
            each.cut()


class _ResumedStream(io.RawIOBase):
    """The body of an answer, which is asked for again from where its connection broke."""

    def __init__(self, source: HttpSource, url: str, resumes: int) -> None:
        super().__init__()
        self._source = source
        self._url = url
        self._left = resumes
        self._at = 0
        self._answer = source._send(url, None, _LEAST_BYTES_PER_SECOND)
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
                raise StoreError(f"{self._url} cannot be read: {cut}") from cut
            except (OSError, http.client.HTTPException) as failed:
                reason = _told(failed)
            self._resume(reason)

    def _resume(self, reason: str) -> None:
        if self._left == 0 or self._tag is None:
            raise StoreError(f"{self._url} cannot be read: {reason}, after {self._at} bytes")
        self._left -= 1
        self._answer.close()
        headers = {"Range": f"bytes={self._at}-", "If-Range": self._tag}
        self._answer = self._source._send(self._url, headers, _LEAST_BYTES_PER_SECOND)
        range_of = self._answer.headers.get("Content-Range", "")
        if self._answer.status != 206 or not range_of.startswith(f"bytes {self._at}-"):
            raise StoreError(f"{self._url} has changed while it was read")

    def close(self) -> None:
        if not self.closed:
            self._answer.close()
        super().close()


def _body(answer: Any, url: str) -> bytes:
    """A small text, whole."""
    if answer.status != 200:
        raise StoreError(f"{url}: the server answered {answer.status} where 200 was expected")
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
                raise too_large(url)
    except CorruptModelError:
        raise
    except (OSError, http.client.HTTPException) as failed:
        raise StoreError(f"{url} cannot be read: {_told(failed)}") from failed
    if length is not None and count < length:
        raise StoreError(f"{url} cannot be read: it ended after {count} of {length} bytes")
    return b"".join(parts)


def _told(failed: BaseException) -> str:
    reason = getattr(failed, "reason", failed)
    if isinstance(reason, ConnectionRefusedError):
        return "no server listens there; is `idla models serve` running?"
    return str(reason) or repr(reason)


def _plain(text: str) -> str:
    return re.sub(r"[^\x20-\x7E]", "?", text[:_MOST_REASON_BYTES])


def _refusal(url: str, refused: urllib.error.HTTPError) -> StoreError:
    """The error for an answer with a status that is no success."""
    headers = refused.headers
    if refused.code == 404 and headers.get(_FORMAT_HEADER) is not None:
        return NotFoundError(url)
    reason = ""
    if headers.get("Content-Type", "").startswith("text/plain"):
        try:
            reason = _plain(refused.read(_MOST_REASON_BYTES).decode("utf-8", "replace").strip())
        except (OSError, http.client.HTTPException) as unread:
            reason = f"and no reason: {unread}"
    advice = ""
    if refused.code in (401, 403):
        advice = "; it wants a token, or another one"
    elif refused.code in (301, 302, 303, 307, 308):
        address = _plain(headers.get("Location", ""))
        advice = f"; redirects are not followed: give the address itself, {address}"
    elif refused.code == 404:
        advice = "; this is not a server of models, or its models have another path"
    elif refused.code == 503:
        seconds = headers.get("Retry-After")
        advice = "; it is busy, try again" + (f" in {_plain(seconds)} s" if seconds else "")
    told = f" ({reason})" if reason else ""
    return StoreError(f"{url}: the server answered {refused.code}{told}{advice}")


def _list(content: bytes, name: str, url: str) -> list[Any]:
    try:
        fields = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as broken:
        raise _no_list(url, str(broken)) from broken
    if not isinstance(fields, dict):
        raise _no_list(url, "nothing")
    found = fields.get(name)
    if fields.get("formatVersion") != _LIST_FORMAT or not isinstance(found, list):
        version = fields.get("formatVersion")
        raise _no_list(url, f"format {version}; this program reads {_LIST_FORMAT}")
    return found


def _no_list(url: str, found: str) -> StoreError:
    return StoreError(
        f"{url} is not a list of models, but {found}; is it the address that `idla models serve`"
        " printed?"
    )
