"""Reads a message in chunks, as a chat window would: thoughts apart, calls once they are complete."""

import sys
from collections.abc import Iterable

import tagstream
from tagstream import Text, Thought, ToolCall, ToolCallError

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "wait",
            "parameters": {"type": "object", "properties": {"seconds": {"type": "integer"}}, "required": ["seconds"]},
        },
    }
]
CHUNKS = [
    "<thi",
    "nk>He wants a pause.</think>One mom",
    "ent. <tool_call>\n<function=wait>\n<parameter=sec",
    "onds>\n5\n</parameter>\n</function>\n</tool_call>",
]


def show(chunks: Iterable[str]) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for event in tagstream.events(chunks, preset="qwen3-coder", tools=TOOLS):
        match event:
            case Text(text):
                print(text, end="")
            case Thought(text):
                print(text, file=sys.stderr)
            case ToolCall():
                calls.append(event)
            case ToolCallError(message=message):
                print(f"refused: {message}", file=sys.stderr)
            case _:
                pass
    return calls


if __name__ == "__main__":
    for call in show(CHUNKS):
        print(f"\n{call.name}({call.arguments})")
