"""The messages that every contender reads: made from a seed, so that they are the same everywhere."""

import json
import random
import re

WORDS = (
    "the model reads a stream of tokens and emits text while it thinks about what comes next, so a parser "
    "must not wait for more than it needs; in Rust, Vec<T> is a type and a < b is a comparison"
).split()


def prose(size: int, seed: int) -> str:
    """Prose of this many characters, with a line break now and then."""
    choose = random.Random(seed)
    words: list[str] = []
    length = 0
    while length <= size:
        words.append(choose.choice(WORDS) + ("\n" if choose.random() < 0.06 else " "))
        length += len(words[-1])
    return "".join(words)[:size]


def thinking(size: int) -> str:
    """A message of which half is a thought."""
    return f"<think>{prose(size // 2, 1)}</think>{prose(size // 2, 2)}"


def call(size: int) -> str:
    """One call with an argument of this many characters."""
    arguments = {"path": "a.txt", "content": prose(size, 3)}
    return "<tool_call>\n" + json.dumps({"name": "write_file", "arguments": arguments}) + "\n</tool_call>"


TEXT = {"type": "string"}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "parameters": {"type": "object", "properties": {"path": TEXT, "content": TEXT}, "required": ["path"]},
        },
    }
]


TAG = re.compile(r"(</?(?:think|tool_call)>)")


def chunks(text: str, size: int = 4) -> list[str]:
    """Chunks of this many characters. A tag is a chunk of its own, as it is one token of a model:
    some contenders know it by its number alone."""
    out: list[str] = []
    for part in TAG.split(text):
        step = len(part) if TAG.fullmatch(part) else size
        out += [part[k : k + step] for k in range(0, len(part), step or 1)]
    return out
