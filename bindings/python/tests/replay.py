"""A server that replays answers of model providers, and those answers."""

from __future__ import annotations

import contextlib
import gzip
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
TEXT = "<think>The user\nasks.</think>Let me see: 5 < 6. " + CALL
THOUGHT, CONTENT, ARGUMENTS = "The user\nasks.", "Let me see: 5 < 6.", {"city": "Paris"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def sse(frames: list[dict[str, Any]], *, named: bool = False, done: bool = False) -> bytes:
    lines = [(f"event: {frame['type']}\n" if named else "") + f"data: {json.dumps(frame)}\n\n" for frame in frames]
    return "".join([*lines, *(["data: [DONE]\n\n"] if done else [])]).encode()


def pieces(text: str = TEXT, size: int = 5) -> list[str]:
    return [text[k : k + size] for k in range(0, len(text), size)]


def openai(is_stream: bool) -> bytes:
    base: dict[str, Any] = {"id": "c1", "created": 1, "model": "m"}
    if not is_stream:
        message = {"role": "assistant", "content": TEXT}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": usage}).encode()
    deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
    deltas += [({"content": piece}, None) for piece in pieces()]
    deltas.append(({}, "stop"))
    return sse(
        [
            {**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": d, "finish_reason": f}]}
            for d, f in deltas
        ],
        done=True,
    )


def responses(is_stream: bool) -> bytes:
    base: dict[str, Any] = {
        "id": "r1", "object": "response", "created_at": 1, "model": "m", "tools": [], "tool_choice": "auto",
        "parallel_tool_calls": True, "error": None, "incomplete_details": None, "instructions": None, "metadata": {},
    }  # fmt: skip

    def item(text: str, status: str = "completed") -> dict[str, Any]:
        content = [{"type": "output_text", "text": text, "annotations": []}] if text else []
        return {"id": "i1", "type": "message", "role": "assistant", "status": status, "content": content}

    whole = {**base, "status": "completed", "output": [item(TEXT)]}
    if not is_stream:
        return json.dumps(whole).encode()
    place = {"item_id": "i1", "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": "", "annotations": []}
    frames: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**base, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item("", "in_progress")},
        {"type": "response.content_part.added", **place, "part": part},
        *({"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []} for piece in pieces()),
        {"type": "response.output_text.done", **place, "text": TEXT, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": {**part, "text": TEXT}},
        {"type": "response.output_item.done", "output_index": 0, "item": item(TEXT)},
        {"type": "response.completed", "response": whole},
    ]
    return sse([{**frame, "sequence_number": number} for number, frame in enumerate(frames)], named=True)


def anthropic(is_stream: bool) -> bytes:
    message: dict[str, Any] = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    if not is_stream:
        content = [{"type": "text", "text": TEXT}]
        return json.dumps({**message, "content": content, "stop_reason": "end_turn", "usage": usage}).encode()
    frames: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    ]
    for piece in pieces():
        delta = {"type": "text_delta", "text": piece}
        frames.append({"type": "content_block_delta", "index": 0, "delta": delta})
    frames.append({"type": "content_block_stop", "index": 0})
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    frames.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}})
    return sse([*frames, {"type": "message_stop"}], named=True)


def gemini(is_stream: bool) -> bytes:
    def frame(text: str, **more: str) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0, **more}]}

    if not is_stream:
        return json.dumps(frame(TEXT, finishReason="STOP")).encode()
    *first, last = pieces()
    return sse([*map(frame, first), frame(last, finishReason="STOP")])


def ollama(is_stream: bool) -> bytes:
    def line(text: str, **more: Any) -> bytes:
        message = {"role": "assistant", "content": text}
        whole = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": False, **more}
        return json.dumps(whole).encode() + b"\n"

    if not is_stream:
        return line(TEXT, done=True, done_reason="stop")
    return b"".join(map(line, pieces())) + line("", done=True, done_reason="stop")


@dataclass
class Server:
    url: str
    seen: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    compresses: bool = False
    status: int = 200
    breaks_at: int | None = None
    """Only so many bytes are sent, of the number that is announced."""

    def answer(self, path: str, body: dict[str, Any]) -> tuple[bytes, str]:
        streams = bool(body.get("stream")) or ":stream" in path
        if path.endswith("/responses"):
            return responses(streams), "text/event-stream" if streams else "application/json"
        if path.endswith("/messages"):
            return anthropic(streams), "text/event-stream" if streams else "application/json"
        if "enerateContent" in path:
            return gemini(streams), "text/event-stream" if streams else "application/json"
        if path.endswith("/api/chat"):
            return ollama(body.get("stream", True)), "application/x-ndjson"
        return openai(streams), "text/event-stream" if streams else "application/json"


@contextlib.contextmanager
def serve() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            path = self.path.split("?")[0]
            state.seen.append((path, body))
            answer, kind = state.answer(path, body)
            if state.compresses:
                answer = gzip.compress(answer)
            self.send_response(state.status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(answer)))
            if state.compresses:
                self.send_header("content-encoding", "gzip")
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # a client may have read enough
                sent = answer[: state.breaks_at]
                for start in range(0, len(sent), 61):
                    self.wfile.write(sent[start : start + 61])
                    self.wfile.flush()

        def log_message(self, format: str, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    state = Server(f"http://127.0.0.1:{http.server_address[1]}")
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        http.shutdown()
        http.server_close()
        thread.join(10)
