"""Models of a server, `idla models serve`, read with Python's standard library."""

from __future__ import annotations

import hashlib
import io
import json
import re
import ssl
import threading
import urllib.error
import urllib.parse
from collections.abc import Callable
from typing import Any, BinaryIO, Optional

from .clock import Clock, SystemClock
from .errors import StoreError
from .manifest import ALIASES, MANIFEST, PIN, POINTER, checked_name
from .store import NotFoundError, Place, StoredText, version_folder
from .transport import ResumedStream, Transport, beginning, body, plain

_FORMAT_HEADER = "Idla-Models-Format"
_PIN_HEADER = "Idla-Pin"
_NO_PIN = "none"
_LIST_FORMAT = 1
_MOST_KEPT_MANIFESTS = 128
_LARGEST_KEPT_BYTES = 128 << 10


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
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._resumes = resumes
        alone = "no server listens there; is `idla models serve` running?"
        self._transport = Transport(timeout_seconds, tls, clock or SystemClock(), _refusal, alone)
        self._lock = threading.Lock()
        # All are bounded: one entry for each place and small file, and the newest manifests.
        self._kept: dict[str, tuple[str, StoredText]] = {}
        self._pin_tags: dict[Place, str] = {}
        self._manifests: dict[str, bytes] = {}

    def address(self, of: Optional[Place] = None, version: Optional[int] = None) -> str:
        url = self._address
        if of is not None:
            url += f"/{of.application}/{of.partition}"
            if version is not None:
                url += "/" + version_folder(version)
        return url

    def _send(self, url: str, headers: dict[str, str], *, file: bool = False) -> Any:
        return self._transport.send(url, url, {**headers, **self._headers}, file=file)

    def _text(self, url: str) -> bytes:
        with self._send(url, {}) as answer:
            return body(answer, url)

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
            answer = self._send(url, {"If-None-Match": kept[0]} if kept else {})
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
            text = StoredText(url, body(answer, url))
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

        def ask(headers: dict[str, str]) -> Any:
            return self._send(url, headers, file=True)

        return io.BufferedReader(ResumedStream(ask, url, self._resumes, "If-Range"), 1 << 16)

    def close(self) -> None:
        """Ends the reads that are under way; they fail. No connection is kept."""
        self._transport.close()


def _refusal(url: str, refused: urllib.error.HTTPError) -> StoreError:
    """The error for an answer with a status that is no success."""
    headers = refused.headers
    if refused.code == 404 and headers.get(_FORMAT_HEADER) is not None:
        return NotFoundError(url)
    text = headers.get("Content-Type", "").startswith("text/plain")
    reason = plain(beginning(refused)) if text else ""
    advice = ""
    if refused.code in (401, 403):
        advice = "; it wants a token, or another token than the given one"
    elif refused.code in (301, 302, 303, 307, 308):
        address = plain(headers.get("Location", ""))
        advice = f"; redirects are not followed: give the address itself, {address}"
    elif refused.code == 404:
        advice = "; this is not a server of models, or its models have another path"
    elif refused.code == 503:
        seconds = headers.get("Retry-After")
        advice = "; it is busy, try again" + (f" in {plain(seconds)} s" if seconds else "")
    why = f" ({reason})" if reason else ""
    return StoreError(f"{url}: the server answered {refused.code}{why}{advice}")


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
