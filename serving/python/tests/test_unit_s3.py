"""Signatures, and object stores that answer half, wrongly, or not at all."""

from __future__ import annotations

import hashlib
import logging
import unittest

from scripted import Server

from idlalayer import Credentials, S3Source, StoreError, Subscriber
from idlalayer.errors import CorruptModelError
from idlalayer.signature import query, signed
from idlalayer.store import NotFoundError, Place

_OF = Place("app", 0)
_ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "AKIDTEST", "AWS_SECRET_ACCESS_KEY": "a-secret"}
_TEXT = b"x" * 100
_TAG = hashlib.md5(_TEXT, usedforsecurity=False).hexdigest()


def _answer(status: str, content: bytes = b"", *headers: str, claimed: int | None = None) -> bytes:
    length = len(content) if claimed is None else claimed
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {length}", "", ""]
    return "\r\n".join(lines).encode("ascii") + content


def _error(status: str, code: str) -> bytes:
    text = f"<Error><Code>{code}</Code><Message>told by the test</Message></Error>"
    return _answer(status, text.encode("ascii"))


def _page(entries: dict[str, int], token: str = "") -> bytes:
    more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    contents = "".join(
        f"<Contents><Key>{key}</Key><Size>{size}</Size></Contents>" for key, size in entries.items()
    )
    text = (
        '<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        f"<IsTruncated>{str(bool(token)).lower()}</IsTruncated>{more}{contents}</ListBucketResult>"
    )
    return _answer("200 OK", text.encode("ascii"))


class SignatureTest(unittest.TestCase):
    """The examples of AWS's documentation."""

    def signature(self, path: str, headers: dict[str, str]) -> str:
        by = Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        url = "https://examplebucket.s3.amazonaws.com" + path
        complete = signed(url, headers, by, "us-east-1", 1_369_353_600_000)
        return complete["Authorization"].rpartition("=")[2]

    def test_object(self) -> None:
        self.assertEqual(
            self.signature("/test.txt", {"Range": "bytes=0-9"}),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        )

    def test_parameter_without_a_value(self) -> None:
        self.assertEqual(
            self.signature("/?" + query({"lifecycle": ""}), {}),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        )

    def test_list(self) -> None:
        self.assertEqual(
            self.signature("/?" + query({"prefix": "J", "max-keys": "2"}), {}),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        )

    def test_token_of_temporary_credentials_is_signed(self) -> None:
        by = Credentials("AKID", "secret", "token")
        headers = signed("https://b.s3.amazonaws.com/k", {}, by, "us-east-1", 0)
        self.assertEqual(headers["X-Amz-Security-Token"], "token")
        self.assertIn("x-amz-security-token", headers["Authorization"])

    def test_secrets_are_in_no_text(self) -> None:
        self.assertNotIn("ecret", repr(Credentials("AKID", "secret", "secret-token")))
        with self.assertRaisesRegex(ValueError, "^credentials have visible") as failure:
            Credentials("AKID", "a secret")
        self.assertNotIn("a secret", str(failure.exception))


class SettingsTest(unittest.TestCase):
    def url(self, address: str, **more: object) -> str:
        environment = {**_ENVIRONMENT, "AWS_REGION": "eu-west-1"}
        environment.update(more.pop("environment", {}))  # type: ignore[call-overload]
        source = S3Source(address, environment=environment, **more)  # type: ignore[arg-type]
        return source._url("app/0/current.json")

    def test_bucket_is_in_the_host_of_aws_and_in_the_path_elsewhere(self) -> None:
        local = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9000/"}
        other = {**local, "AWS_ENDPOINT_URL_S3": "https://store:443"}
        key = "app/0/current.json"
        aws = "s3.eu-west-1.amazonaws.com"
        china = self.url("s3://ab1", region="cn-north-1")
        inner = self.url("s3://models", endpoint="http://[::1]:9/s3")
        in_host = self.url("s3://models", endpoint="https://e:8", path_style=False)
        for found, wanted in (
            (self.url("s3://models"), f"https://models.{aws}/{key}"),
            (self.url("S3://models/a/b=1/"), f"https://models.{aws}/a/b%3D1/{key}"),
            (self.url("s3://a.b"), f"https://{aws}/a.b/{key}"),
            (china, f"https://ab1.s3.cn-north-1.amazonaws.com.cn/{key}"),
            (self.url("s3://models/t", environment=local), f"http://127.0.0.1:9000/models/t/{key}"),
            (self.url("s3://models", environment=other), f"https://store/models/{key}"),
            (inner, f"http://[::1]:9/s3/models/{key}"),
            (in_host, f"https://models.e:8/{key}"),
        ):
            self.assertEqual(found, wanted)

    def test_what_is_missing_or_wrong_is_named(self) -> None:
        for environment, words in (
            ({}, "lacks AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
            ({**_ENVIRONMENT, "AWS_SECRET_ACCESS_KEY": " "}, "lacks AWS_SECRET_ACCESS_KEY"),
            (_ENVIRONMENT, "set AWS_REGION"),
            ({**_ENVIRONMENT, "AWS_REGION": "a/b"}, "no region of AWS"),
            ({**_ENVIRONMENT, "AWS_ENDPOINT_URL": "ftp://h"}, "must be a URL"),
            ({**_ENVIRONMENT, "AWS_ENDPOINT_URL": "http://u:pass@h"}, "without user and password"),
            ({**_ENVIRONMENT, "AWS_ENDPOINT_URL": "http://h:port"}, "is not a URL"),
        ):
            with self.assertRaisesRegex(ValueError, words) as failure:
                S3Source("s3://models", environment=environment)
            self.assertNotIn("pass@", str(failure.exception))
        for rest in ("", "ab", "models/../x", "u:p@models", "models//x"):
            with self.assertRaisesRegex(ValueError, "s3://BUCKET/PREFIX"):
                S3Source("s3://" + rest, environment=_ENVIRONMENT)
        with self.assertRaisesRegex(ValueError, "a token is for a server"):
            Subscriber("s3://models", "app", token="t")


class StoreTest(unittest.TestCase):
    def setUp(self) -> None:
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)

    def source(self, *answers: bytes, resumes: int = 5) -> S3Source:
        left = list(answers)
        self.server = Server(lambda request: [left.pop(0)])
        self.addCleanup(self.server.close)
        endpoint = self.server.address.rpartition("/models/")[0]
        return S3Source(
            "s3://models/team", endpoint=endpoint, resumes=resumes, environment=_ENVIRONMENT
        )

    def test_lists_are_read_page_by_page(self) -> None:
        folder = "team/app/0/v0000000002/"
        source = self.source(
            _page({folder + "manifest.json": 900, folder + ".deleted.json": 900}, "a+b/="),
            _page({folder + "spec.json": 7, "other/app/0/v0000000002/x": 1}),
        )
        self.assertEqual(source.files(_OF, 2), {"manifest.json": 900, "spec.json": 7})
        first, second = self.server.requests
        self.assertIn("GET /models/?list-type=2&prefix=team%2Fapp%2F0%2Fv0000000002%2F ", first)
        self.assertIn("continuation-token=a%2Bb%2F%3D&list-type=2", second)
        for request in self.server.requests:
            self.assertIn("AWS4-HMAC-SHA256 Credential=AKIDTEST/", request)
            self.assertNotIn("a-secret", request)

    def test_versions_have_a_manifest_and_no_reservation(self) -> None:
        folder = "team/app/0/"
        source = self.source(
            _page(
                {
                    folder + "v0000000003/manifest.json": 900,
                    folder + "v0000000004/manifest.json": 42,
                    folder + "v0000000005/spec.json": 900,
                    folder + "v12/manifest.json": 900,
                    folder + "v0000000012/sub/manifest.json": 900,
                    folder + "v0000000001/manifest.json": 65,
                }
            )
        )
        self.assertEqual(source.versions(_OF), [1, 3])

    def test_answers_that_are_no_list_are_refused(self) -> None:
        for content, words in (
            (b"<html/>", "but a html"),
            (b"<ListBucketResult>", "no element found"),
            (b"<!DOCTYPE x [<!ENTITY a 'b'>]><ListBucketResult/>", "a type of its own"),
            (
                b"<ListBucketResult><Contents><Key>team/app/0/v1</Key></Contents>"
                b"</ListBucketResult>",
                "without a size",
            ),
            (
                b"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
                "without the way to the next part",
            ),
            ('<?xml version="1.0"?><a/>'.encode("utf-16"), "not in UTF-8"),
        ):
            with self.assertRaisesRegex(StoreError, words):
                self.source(_answer("200 OK", content)).versions(_OF)

    def test_reservation_is_no_manifest(self) -> None:
        source = self.source(
            _answer("200 OK", b"begun 3b1c"), _answer("200 OK"), _answer("200 OK", b"{}")
        )
        for _ in range(2):
            with self.assertRaises(NotFoundError):
                source.manifest(_OF, 1, None)
        self.assertEqual(source.manifest(_OF, 1, None), b"{}")

    def test_text_that_did_not_change_has_no_body(self) -> None:
        source = self.source(
            _answer("200 OK", _TEXT, f'ETag: "{_TAG}"'), _answer("304 Not Modified")
        )
        for _ in range(2):
            found = source.pointer(_OF)
            assert found is not None
            self.assertEqual(found.content, _TEXT)
            self.assertEqual(found.address, "s3://models/team/app/0/current.json")
        self.assertIn(f'If-None-Match: "{_TAG}"', self.server.requests[1])

    def test_text_that_was_damaged_on_its_way_is_not_confirmed(self) -> None:
        source = self.source(
            _answer("200 OK", b"y" + _TEXT[1:], f'ETag: "{_TAG}"'),
            _answer("200 OK", _TEXT, f'ETag: "{_TAG}"'),
        )
        source.pointer(_OF)
        found = source.pointer(_OF)
        assert found is not None
        self.assertEqual(found.content, _TEXT)

    def test_file_whose_connection_breaks_is_continued(self) -> None:
        tag = 'ETag: "t"'
        whole = _answer("200 OK", _TEXT[:40], tag, claimed=100)
        rest = _answer("206 Partial Content", _TEXT[40:], tag, "Content-Range: bytes 40-99/100")
        source = self.source(whole, rest)
        with source.open(_OF, 1, "network.bin") as stream:
            self.assertEqual(stream.read(), _TEXT)
        self.assertIn("Range: bytes=40-", self.server.requests[1])
        self.assertIn('If-Match: "t"', self.server.requests[1])
        source = self.source(whole, _error("412 Precondition Failed", "PreconditionFailed"))
        with source.open(_OF, 1, "network.bin") as stream:
            with self.assertRaisesRegex(StoreError, "has changed while it was read"):
                stream.read()
        source = self.source(whole, _answer("200 OK", _TEXT, tag))
        with source.open(_OF, 1, "network.bin") as stream:
            with self.assertRaisesRegex(StoreError, "has changed while it was read"):
                stream.read()

    def test_refusals_say_what_to_do(self) -> None:
        for answer, words in (
            (
                _error("403 Forbidden", "AccessDenied"),
                "answered 403 AccessDenied .told by the test.; the cred",
            ),
            (_error("404 Not Found", "NoSuchBucket"), "there is no such bucket"),
            (_answer("404 Not Found", b"<html>no page</html>"), "this is not an object store"),
            (_error("301 Moved Permanently", "PermanentRedirect"), "set AWS_REGION"),
            (_error("400 Bad Request", "AuthorizationHeaderMalformed"), "set AWS_REGION"),
            (_error("503 Slow Down", "SlowDown"), "it is busy"),
            (_answer("500 Internal Server Error", b"\x00\xff"), "the store answered 500$"),
            (b"", "cannot be read"),
        ):
            with self.assertRaisesRegex(StoreError, words) as failure:
                self.source(answer).pointer(_OF)
            self.assertNotIn("a-secret", str(failure.exception))
        self.assertIsNone(self.source(_error("404 Not Found", "NoSuchKey")).pointer(_OF))
        self.assertIsNone(self.source(_error("404 Not Found", "NoSuchKey")).pin(_OF))
        with self.assertRaises(NotFoundError):
            self.source(_error("404 Not Found", "NoSuchKey")).open(_OF, 1, "spec.json")

    def test_text_that_is_too_large_is_damaged(self) -> None:
        with self.assertRaises(CorruptModelError):
            self.source(_answer("200 OK", b"x" * ((16 << 20) + 1))).pointer(_OF)

    def test_nothing_listens(self) -> None:
        source = S3Source(
            "s3://models", endpoint="http://127.0.0.1:1", environment=_ENVIRONMENT
        )
        with self.assertRaisesRegex(StoreError, "AWS_ENDPOINT_URL_S3"):
            source.pointer(_OF)

    def test_credentials_that_expire_are_asked_for_each_time(self) -> None:
        given = [Credentials("FIRST", "s"), Credentials("SECOND", "s", "token")]
        self.source(*[_error("404 Not Found", "NoSuchKey")] * 2)
        endpoint = self.server.address.rpartition("/models/")[0]
        source = S3Source(
            "s3://models", credentials=lambda: given.pop(0), endpoint=endpoint, environment={}
        )
        source.pointer(_OF)
        source.pointer(_OF)
        first, second = self.server.requests
        self.assertIn("Credential=FIRST/", first)
        self.assertIn("Credential=SECOND/", second)
        self.assertIn("X-Amz-Security-Token: token", second)
