"""A server whose answers a test decides, and their pace."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Callable

#: Gives the parts of the answer to a request; then the connection ends.
Answer = Callable[[str], "list[bytes]"]


class Server:
    """A server on this machine; it has one answer to each connection."""

    def __init__(self, answer: Answer, pause_seconds: float = 0) -> None:
        ended = self.ended = threading.Event()
        self.requests: list[str] = []
        requests = self.requests

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                lines = []
                for line in self.rfile:
                    if not line.strip():
                        break
                    lines.append(line.decode("ascii"))
                requests.append("".join(lines))
                try:
                    for part in answer(requests[-1]):
                        self.wfile.write(part)
                        if ended.wait(pause_seconds):
                            return
                except OSError:
                    return

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/models/"

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
