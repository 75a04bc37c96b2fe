"""A model server that plays streams from a table, at a chosen cut and with a chosen fault."""

import contextlib
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TYPES = {"sse": "text/event-stream", "json": "application/json", "ndjson": "application/x-ndjson"}

# Faults that lose nothing, and those that lose the rest of an answer.
HARMLESS = ("stalls", "wrong content type", "trailing garbage", "HTTP/2")
HARMFUL = ("killed in a frame", "half-closed", "reset", "stalls for ever", "error status")
ERROR = b'{"error":{"message":"the model is on fire","type":"server_error"}}'


class Upstream:
    """Answers for /NAME/… with the bytes of NAME."""

    def __init__(self):
        self.answers = {}
        self.cut = 701
        self.fault = "none"
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                with contextlib.suppress(ConnectionError):  # A client may have read enough.
                    upstream.play(self, *upstream.answers[self.path.split("/")[1]])

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def add(self, name, body, kind):
        self.answers[name] = (body, kind)

    def play(self, handler, body, kind):
        if self.fault == "error status":
            return whole(handler, 503, "application/json", ERROR)
        # A harmful fault comes when the middle of the answer is out.
        is_harmful = self.fault in HARMFUL
        shown = body[: len(body) // 2] if is_harmful else body
        # Between lines of JSON, a client takes garbage for an answer, with the proxy or without it.
        if self.fault == "trailing garbage" and kind == "sse":
            shown += b"\n\x00 garbage {"
        handler.send_response(200)
        # Some clients read JSON of another type as text, with the proxy or without it.
        wrong = self.fault == "wrong content type" and kind != "json"
        handler.send_header("content-type", "text/plain" if wrong else TYPES[kind])
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for start in range(0, len(shown), self.cut):
            piece = shown[start : start + self.cut]
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            if self.fault == "stalls" and start == 0:
                time.sleep(0.05)
        if is_harmful:
            return self.break_off(handler)
        handler.wfile.write(b"0\r\n\r\n")

    def break_off(self, handler):
        connection = handler.connection
        handler.close_connection = True
        if self.fault == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif self.fault == "half-closed":
            connection.shutdown(socket.SHUT_WR)
        if self.fault in ("half-closed", "stalls for ever"):
            connection.recv(1)  # Until the other side gives up.
        connection.close()


def whole(handler, status, kind, body):
    handler.send_response(status)
    handler.send_header("content-type", kind)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)
