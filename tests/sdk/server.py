"""A server that answers every request with a stream from a table, named by the path."""

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TYPES = {"sse": "text/event-stream", "json": "application/json", "ndjson": "application/x-ndjson"}


class Server:
    """Answers for /NAME/… with the bytes of NAME."""

    def __init__(self):
        self.answers = {}
        # How many bytes are written at once.
        self.cut = 701
        server = self
        answers = self.answers

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                body, kind = answers[self.path.split("/")[1]]
                self.send_response(200)
                self.send_header("content-type", TYPES[kind])
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                # Small pieces: a client must not depend on where its reads end.
                with contextlib.suppress(ConnectionError):  # A client may have read enough.
                    for start in range(0, len(body), server.cut):
                        self.wfile.write(body[start : start + server.cut])
                        self.wfile.flush()

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def add(self, name, body, kind):
        self.answers[name] = (body, kind)
