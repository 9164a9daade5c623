"""Signatures of requests to AWS and to stores that take the same (Signature Version 4).

https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Optional

_ALGORITHM = "AWS4-HMAC-SHA256"
_SERVICE = "s3"
_END = "aws4_request"
#: SHA-256 of the body of a request without one.
_NO_BODY = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True)
class Credentials:
    """Who asks a store. Messages and `repr` do not have the secrets.

    session_token: of temporary credentials, else None.
    """

    access_key_id: str
    secret_access_key: str = field(repr=False)
    session_token: Optional[str] = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for each in (self.access_key_id, self.secret_access_key, self.session_token):
            if each is not None and re.fullmatch(r"[\x21-\x7e]+", each) is None:
                raise ValueError("credentials have visible ASCII characters only, and no spaces")

    @staticmethod
    def of_environment(environment: Mapping[str, str] = os.environ) -> Credentials:
        """Those in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if it is set, AWS_SESSION_TOKEN.

        Raises ValueError if one of the first two is missing.
        """
        names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
        missing = [name for name in names if not environment.get(name, "").strip()]
        if missing:
            raise ValueError(
                f"the environment lacks {' and '.join(missing)}; set them, or pass credentials to"
                " S3Source"
            )
        return Credentials(
            environment[names[0]].strip(),
            environment[names[1]].strip(),
            environment.get("AWS_SESSION_TOKEN", "").strip() or None,
        )


def encoded(text: str, but: str = "") -> str:
    """A text with all characters encoded that a signature wants so.

    but: characters that stay as they are, besides letters, digits, `-`, `_`, `.` and `~`.
    """
    return urllib.parse.quote(text, safe="-_.~" + but)


def query(parameters: Mapping[str, str]) -> str:
    """The query of a URL, in the order and encoding of signatures."""
    return "&".join(
        f"{encoded(name)}={encoded(value)}" for name, value in sorted(parameters.items())
    )


def signed(
    url: str, headers: Mapping[str, str], by: Credentials, region: str, at_millis: int
) -> dict[str, str]:
    """The headers of a GET without a body, with a signature over all of them.

    url: with path and query in the encoding of this module.
    at_millis: epoch milliseconds; stores refuse a time that differs from theirs by 15 minutes.
    """
    parts = urllib.parse.urlsplit(url)
    at = datetime.fromtimestamp(at_millis // 1000, timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    complete = {**headers, "X-Amz-Content-Sha256": _NO_BODY, "X-Amz-Date": at}
    if by.session_token is not None:
        complete["X-Amz-Security-Token"] = by.session_token
    lines = {name.lower(): value.strip() for name, value in complete.items()}
    lines["host"] = parts.netloc
    names = ";".join(sorted(lines))
    request = "\n".join(
        [
            "GET",
            parts.path or "/",
            parts.query,
            *(f"{name}:{lines[name]}" for name in sorted(lines)),
            "",
            names,
            _NO_BODY,
        ]
    )
    scope = f"{at[:8]}/{region}/{_SERVICE}/{_END}"
    digest = hashlib.sha256(request.encode("utf-8")).hexdigest()
    key = f"AWS4{by.secret_access_key}".encode("utf-8")
    for each in scope.split("/"):
        key = hmac.digest(key, each.encode("utf-8"), "sha256")
    text = "\n".join([_ALGORITHM, at, scope, digest])
    signature = hmac.digest(key, text.encode("utf-8"), "sha256").hex()
    complete["Authorization"] = (
        f"{_ALGORITHM} Credential={by.access_key_id}/{scope},SignedHeaders={names}"
        f",Signature={signature}"
    )
    return complete
