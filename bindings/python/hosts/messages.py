"""Messages, and what a server should make of them."""

from __future__ import annotations

from dataclasses import dataclass

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "write",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "size": {"type": "integer"}},
                "required": ["path"],
            },
        },
    }
]
CALL = '<tool_call>\n{"name": "write", "arguments": {"path": "<think>a</think>", "size": 5}}\n</tool_call>'
CALLED = ("write", '{"path":"<think>a</think>","size":5}')


@dataclass
class Case:
    name: str
    text: str
    reasoning: str = ""
    content: str = ""
    calls: tuple[tuple[str, str], ...] = ()


CASES = [
    Case("plain text", "5 < 6, and `<think>` is quoted", content="5 < 6, and `<think>` is quoted"),
    Case("a thought", "<think>plan</think>Hi", "plan", "Hi"),
    Case("only a thought", "<think>plan", "plan"),
    Case("a call", f"Look: {CALL}", "", "Look:", (CALLED,)),
    Case("a thought and two calls", f"<think>plan</think>{CALL}\n{CALL}", "plan", "", (CALLED, CALLED)),
    Case("text before the thought", f"Well, <think>plan</think>so: {CALL}", "plan", "Well, so:", (CALLED,)),
    Case("a call in a fence", f"```\n{CALL}\n```", "", f"```\n{CALL}\n```"),
    Case("a call that was cut off", f"Hm. {CALL[:60]}", "", "Hm."),
    Case("characters of several bytes", "<think>é😀</think>日本 " + CALL, "é😀", "日本", (CALLED,)),
]
REFUSED = '<tool_call>{"name": "erase", "arguments": {}}</tool_call>'


def cuts(text: str) -> list[list[str]]:
    """The text whole, by the character, and in pieces of other sizes."""
    return [[text[k : k + size] for k in range(0, len(text), size)] for size in (1, 3, 7, len(text))]
