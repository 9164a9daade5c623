"""Connections whose waits for bytes have a limit all together, and that another thread can cut.

A timeout of a socket limits one wait only: a server that sends a byte now and then is never too
slow for it.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import io
import socket
import ssl
import urllib.request
from typing import Any, Optional

from .clock import Clock


class CutError(OSError):
    """This process has ended the connection itself."""


class Exchange:
    """One request and its answer. One thread reads; any thread may cut it.

    timeout_seconds: how long all waits for bytes may take together, headers included.
    least_bytes_per_second: each of these bytes that comes allows one second more; None for none.
    """

    def __init__(
        self, clock: Clock, timeout_seconds: float, least_bytes_per_second: Optional[int]
    ) -> None:
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._least_bytes_per_second = least_bytes_per_second
        self._waited = 0.0
        self._received = 0
        self._socket: Optional[socket.socket] = None
        self._cut = False

    def connected(self, to: socket.socket) -> None:
        """The socket of the exchange; raises CutError if it was cut meanwhile."""
        self._socket = to
        if self._cut:
            raise _cut()

    def cut(self) -> None:
        """Ends the exchange: a wait for bytes ends at once, and fails."""
        self._cut = True
        connected = self._socket
        if connected is not None:
            # Of the plain socket: that of TLS would wait for its thread.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

    def receive(self, stream: io.RawIOBase, into: Any) -> int:
        """Waits for bytes; 0 at the end."""
        left = self._timeout_seconds - self._waited
        if self._least_bytes_per_second is not None:
            left += self._received / self._least_bytes_per_second
        if self._cut:
            raise _cut()
        if left <= 0:
            raise TimeoutError(
                f"the server is too slow: {self._received} bytes in {self._waited:.1f} s"
            )
        assert self._socket is not None
        self._socket.settimeout(min(left, self._timeout_seconds))
        start = self._clock.monotonic()
        try:
            count = stream.readinto(into) or 0
        except OSError as failed:
            if self._cut:
                raise _cut() from failed
            raise
        finally:
            self._waited += self._clock.monotonic() - start
        if self._cut:
            raise _cut()
        self._received += count
        return count


def _cut() -> CutError:
    return CutError("it was closed while it was read")


class _TimedStream(io.RawIOBase):
    """The bytes of a connection, which an exchange waits for."""

    def __init__(self, stream: Any, exchange: Exchange) -> None:
        super().__init__()
        self._stream = stream
        self._exchange = exchange

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        return self._exchange.receive(self._stream, into)

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *given: Any, exchange: Exchange, **more: Any) -> None:
        super().__init__(sock, *given, **more)
        unlimited: Any = self.fp
        self.fp = io.BufferedReader(_TimedStream(unlimited.detach(), exchange))


class _TimedConnection(http.client.HTTPConnection):
    def __init__(self, host: str, *, exchange: Exchange, **more: Any) -> None:
        super().__init__(host, **more)
        self._exchange = exchange
        self.response_class = functools.partial(  # type: ignore[assignment]
            _TimedResponse, exchange=exchange
        )

    def connect(self) -> None:
        super().connect()
        self._exchange.connected(self.sock)


class _TimedTlsConnection(_TimedConnection, http.client.HTTPSConnection):
    """The same over TLS."""


class TimedRequest(urllib.request.Request):
    """A request and the exchange that it belongs to."""

    def __init__(self, url: str, headers: dict[str, str], exchange: Exchange) -> None:
        super().__init__(url, headers=headers)
        self.exchange = exchange


class TimedHandler(urllib.request.HTTPHandler):
    """Opens `http:` requests."""

    def http_open(self, req: Any) -> http.client.HTTPResponse:
        return self.do_open(_TimedConnection, req, exchange=req.exchange)  # type: ignore[arg-type]


class TimedTlsHandler(urllib.request.HTTPSHandler):
    """Opens `https:` requests; trusts what a context trusts, or the authorities of this Python."""

    def __init__(self, tls: Optional[ssl.SSLContext]) -> None:
        super().__init__(context=tls)
        self._tls = tls

    def https_open(self, req: Any) -> http.client.HTTPResponse:
        return self.do_open(  # type: ignore[arg-type]
            _TimedTlsConnection, req, exchange=req.exchange, context=self._tls
        )
