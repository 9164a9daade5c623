"""Models in an object store with the interface of S3, read with Python's standard library."""

from __future__ import annotations

import hashlib
import io
import os
import re
import ssl
import threading
import urllib.error
import urllib.parse
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Optional, Union

from .clock import Clock, SystemClock
from .errors import StoreError
from .manifest import ALIASES, MANIFEST, PIN, POINTER, checked_name
from .signature import Credentials, encoded, query, signed
from .store import NotFoundError, Place, StoredText, number_in, version_folder
from .transport import ResumedStream, Transport, beginning, body, plain

_ADDRESS = re.compile(
    r"[sS]3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9_=-][A-Za-z0-9._=-]*)*)/?"
)
_REGION = re.compile(r"[a-z0-9-]{1,64}")
#: Stands beside the files of a version that is being deleted or was brought back.
_RETIRED_MANIFEST = ".deleted.json"
#: A reservation stands in place of the manifest of a version that is being written.
_MOST_RESERVATION_BYTES = 64
_RESERVATION = b"begun "
_MOST_PAGES = 10_000
_MOST_KEPT_MANIFESTS = 128
_LARGEST_KEPT_BYTES = 128 << 10


@dataclass(frozen=True)
class _Listed:
    key: str
    bytes: int


class S3Source:
    """Models in a part of a bucket. Any thread may use one; it keeps no connection open.

    address: `s3://BUCKET/PREFIX`.
    credentials: what to sign with, or a function that returns it, which is asked for each request
        (any thread may call it; for credentials that expire); None for those of the environment.
    region: None for AWS_REGION or AWS_DEFAULT_REGION; only AWS itself needs the right one.
    endpoint: the address of another store than AWS, `https://HOST:PORT`; None for that in
        AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, or AWS.
    path_style: whether the bucket is in the path of URLs; None for an endpoint, and for names with
        a dot, which no certificate of AWS has. Otherwise it is in the name of the host.
    timeout_seconds, resumes, tls, clock: as for HttpSource.

    No proxy is used, and no redirect is followed. Raises ValueError if something is missing or
    wrong.
    """

    def __init__(
        self,
        address: str,
        credentials: Union[Credentials, Callable[[], Credentials], None] = None,
        region: Optional[str] = None,
        endpoint: Optional[str] = None,
        path_style: Optional[bool] = None,
        timeout_seconds: float = 10,
        resumes: int = 5,
        tls: Optional[ssl.SSLContext] = None,
        clock: Optional[Clock] = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        matched = _ADDRESS.fullmatch(address)
        if matched is None:
            # It is not repeated, because it may have a password.
            raise ValueError(
                "this is not an address of an object store: s3://BUCKET/PREFIX, with letters,"
                " digits, dots, dashes and underscores; credentials and endpoint come from the"
                " environment"
            )
        bucket, prefix = matched[1], matched[2].lstrip("/")
        self._address = f"s3://{bucket}" + (f"/{prefix}" if prefix else "")
        self._prefix = f"{prefix}/" if prefix else ""
        self._credentials = credentials or Credentials.of_environment(environment)
        endpoint = endpoint or _first(environment, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
        region = region or _first(environment, "AWS_REGION", "AWS_DEFAULT_REGION")
        if region is None and endpoint is None:
            raise ValueError(
                "no region of AWS is known: set AWS_REGION, or AWS_ENDPOINT_URL_S3 for another"
                " store"
            )
        self._region = region or "us-east-1"
        if _REGION.fullmatch(self._region) is None:
            raise ValueError(f"{self._region!r} is no region of AWS; one looks like eu-central-1")
        self._bucket = _bucket_url(bucket, self._region, endpoint, path_style)
        self._resumes = resumes
        self._clock = clock or SystemClock()
        self._transport = Transport(
            timeout_seconds,
            tls,
            self._clock,
            _refusal,
            "no server listens there; is the endpoint right (AWS_ENDPOINT_URL_S3)?",
        )
        self._lock = threading.Lock()
        # Both are bounded: one entry for each small file of a place, and the newest manifests.
        self._kept: dict[str, tuple[str, bytes]] = {}
        self._manifests: dict[str, bytes] = {}

    def address(self, of: Optional[Place] = None, version: Optional[int] = None) -> str:
        url = self._address
        if of is not None:
            url += f"/{of.application}/{of.partition}"
            if version is not None:
                url += "/" + version_folder(version)
        return url

    def _send(self, url: str, where: str, headers: dict[str, str], *, file: bool = False) -> Any:
        by = self._credentials
        if not isinstance(by, Credentials):
            by = by()
        complete = signed(url, headers, by, self._region, self._clock.now_millis())
        return self._transport.send(url, where, complete, file=file)

    def _url(self, key: str) -> str:
        return f"{self._bucket}/{encoded(self._prefix + key, '/')}"

    def _list(self, prefix: str) -> Iterator[_Listed]:
        """The objects whose keys begin so; their keys are relative to the models."""
        where = f"{self._address}/{prefix}*"
        parameters = {"list-type": "2", "prefix": self._prefix + prefix}
        for _ in range(_MOST_PAGES):
            with self._send(f"{self._bucket}/?{query(parameters)}", where, {}) as answer:
                page = _page(body(answer, where), where)
            for each in page.findall("Contents"):
                key, length = each.findtext("Key", ""), each.findtext("Size", "")
                if not re.fullmatch(r"[0-9]{1,18}", length):
                    raise _no_list(where, f"an entry {plain(key)!r} without a size")
                if key.startswith(self._prefix + prefix):
                    yield _Listed(key[len(self._prefix) :], int(length))
            if page.findtext("IsTruncated", "").strip() != "true":
                return
            token = page.findtext("NextContinuationToken", "")
            if not token or token == parameters.get("continuation-token"):
                raise _no_list(where, "a part of a list without the way to the next part")
            parameters["continuation-token"] = token
        raise StoreError(f"{where} has more than {_MOST_PAGES} pages of keys")

    def versions(self, of: Place) -> list[int]:
        folder = f"{of.application}/{of.partition}/"
        found = []
        for each in self._list(folder + "v"):
            name, _, file = each.key[len(folder) :].partition("/")
            number = number_in(name, "v")
            if number is not None and file == MANIFEST and each.bytes > _MOST_RESERVATION_BYTES:
                found.append(number)
        return sorted(found)

    def files(self, of: Place, version: int) -> dict[str, int]:
        folder = f"{of.application}/{of.partition}/{version_folder(version)}/"
        lengths = {each.key[len(folder) :]: each.bytes for each in self._list(folder)}
        lengths.pop(_RETIRED_MANIFEST, None)
        return lengths

    def pointer(self, of: Place) -> Optional[StoredText]:
        return self._if_changed(of, POINTER)

    def pin(self, of: Place) -> Optional[StoredText]:
        return self._if_changed(of, PIN)

    def aliases(self, of: Place) -> Optional[StoredText]:
        return self._if_changed(of, ALIASES)

    def _if_changed(self, of: Place, name: str) -> Optional[StoredText]:
        key = f"{of.application}/{of.partition}/{name}"
        where = f"{self._address}/{key}"
        with self._lock:
            kept = self._kept.get(key)
        try:
            answer = self._send(
                self._url(key), where, {"If-None-Match": kept[0]} if kept is not None else {}
            )
        except NotFoundError:
            return None
        with answer:
            if answer.status == 304:
                if kept is None:
                    raise StoreError(f"{where}: the store answered 304 where 200 was expected")
                return StoredText(where, kept[1])
            content = body(answer, where)
            tag = answer.headers.get("ETag", "")
        with self._lock:
            # What was damaged on its way would otherwise be confirmed for ever.
            if len(content) <= _LARGEST_KEPT_BYTES and _md5(content) in tag:
                self._kept[key] = (tag, content)
            else:
                self._kept.pop(key, None)
        return StoredText(where, content)

    def manifest(self, of: Place, version: int, digest: Optional[str]) -> bytes:
        with self._lock:
            kept = self._manifests.get(digest) if digest is not None else None
        if kept is not None:
            return kept
        key = f"{of.application}/{of.partition}/{version_folder(version)}/{MANIFEST}"
        where = f"{self._address}/{key}"
        with self._send(self._url(key), where, {}) as answer:
            content = body(answer, where)
        if not content or (
            len(content) <= _MOST_RESERVATION_BYTES and content.startswith(_RESERVATION)
        ):
            raise NotFoundError(where)
        right = digest is not None and hashlib.sha256(content).hexdigest() == digest
        if digest is not None and right and len(content) <= _LARGEST_KEPT_BYTES:
            with self._lock:
                self._manifests[digest] = content
                while len(self._manifests) > _MOST_KEPT_MANIFESTS:
                    del self._manifests[next(iter(self._manifests))]
        return content

    def open(self, of: Place, version: int, name: str) -> BinaryIO:
        key = f"{of.application}/{of.partition}/{version_folder(version)}/{checked_name(name)}"
        url, where = self._url(key), f"{self._address}/{key}"

        def ask(headers: dict[str, str]) -> Any:
            return self._send(url, where, headers, file=True)

        return io.BufferedReader(ResumedStream(ask, where, self._resumes, "If-Match"), 1 << 16)

    def close(self) -> None:
        """Ends the reads that are under way; they fail. No connection is kept."""
        self._transport.close()


def _first(environment: Mapping[str, str], *names: str) -> Optional[str]:
    for name in names:
        value = environment.get(name, "").strip()
        if value:
            return value
    return None


def _bucket_url(
    bucket: str, region: str, endpoint: Optional[str], path_style: Optional[bool]
) -> str:
    """The URL of a bucket, without a slash at its end."""
    if endpoint is None:
        domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
        scheme, host, path = "https", f"s3.{region}.{domain}", ""
        in_path = "." in bucket if path_style is None else path_style
    else:
        try:
            parts = urllib.parse.urlsplit(endpoint)
            port = parts.port
        except ValueError as wrong:
            raise ValueError(f"the endpoint of the object store is not a URL: {wrong}") from wrong
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or "@" in parts.netloc
            or parts.query
            or parts.fragment
        ):
            # It is not repeated, because it may have a password.
            raise ValueError(
                "the endpoint of the object store must be a URL as https://HOST:PORT, without user"
                " and password"
            )
        # Without the usual port, as the header Host has it, which is signed.
        usual = {"http": 80, "https": 443}[parts.scheme]
        name = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        host = name if port in (None, usual) else f"{name}:{port}"
        scheme, path = parts.scheme, encoded(parts.path.rstrip("/"), "/%")
        in_path = True if path_style is None else path_style
    return f"{scheme}://{host}{path}/{bucket}" if in_path else f"{scheme}://{bucket}.{host}{path}"


def _md5(content: bytes) -> str:
    """The tag of an object that was sent in one part."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _page(content: bytes, where: str) -> ElementTree.Element:
    """The page of a listing, without the namespace that some stores give."""
    # UTF-16 could hide a document type. UTF-8 has no such bytes.
    if b"<!DOCTYPE" in content or b"\0" in content:
        raise _no_list(where, "a document with a type of its own, or not in UTF-8")
    try:
        page = ElementTree.fromstring(content)
    except ElementTree.ParseError as broken:
        raise _no_list(where, str(broken)) from broken
    for each in page.iter():
        each.tag = each.tag.rpartition("}")[2]
    if page.tag != "ListBucketResult":
        raise _no_list(where, f"a {plain(page.tag)}")
    return page


def _no_list(where: str, found: str) -> StoreError:
    return StoreError(f"{where}: the store's answer is not a list of objects, but {found}")


def _field(text: str, name: str) -> str:
    found = re.search(f"<{name}>([^<]*)</{name}>", text)
    return "" if found is None else plain(found[1])


def _refusal(where: str, refused: urllib.error.HTTPError) -> StoreError:
    """The error for an answer with a status that is no success."""
    text = beginning(refused)
    code, message = _field(text, "Code"), _field(text, "Message")
    if refused.code == 404 and code == "NoSuchKey":
        return NotFoundError(where)
    if refused.code == 412:
        return StoreError(f"{where} has changed while it was read")
    advice = ""
    if code in ("PermanentRedirect", "AuthorizationHeaderMalformed") or refused.code in (301, 307):
        advice = "; the bucket is in another region, set AWS_REGION"
    elif refused.code in (401, 403):
        advice = (
            "; the credentials are wrong, or lack the right to read and list (docs/security.md"
            " lists the rights that are needed), or this machine's clock is wrong"
        )
    elif refused.code == 404 and code == "NoSuchBucket":
        advice = "; there is no such bucket"
    elif refused.code == 404:
        advice = "; this is not an object store, or the store has another address"
    elif refused.code in (429, 503):
        advice = "; it is busy, try again"
    told = (f" {code}" if code else "") + (f" ({message})" if message else "")
    return StoreError(f"{where}: the store answered {refused.code}{told}{advice}")
