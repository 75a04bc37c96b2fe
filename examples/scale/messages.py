"""Messages for tests and benchmarks, the same for the same seed: answers of the kinds that logs have."""

from __future__ import annotations

import json
import random

WORDS = """the model reads a request and returns text with code lists numbers and names such as vector index batch
token cache server client memory thread queue frame chunk parser buffer when each of them is less than what was
expected so that first second and last values are equal or not in this case of course we can use it again""".split()


def prose(rng: random.Random, words: int) -> str:
    sentences = []
    while words > 0:
        count = rng.randint(6, 18)
        sentences.append(" ".join(rng.choices(WORDS, k=count)).capitalize() + rng.choice([".", ".", "?", ":"]))
        words -= count
    return " ".join(sentences)


def call(rng: random.Random) -> str:
    arguments = {"path": f"src/{rng.choice(WORDS)}.rs", "limit": rng.randint(1, 500)}
    return "<tool_call>\n" + json.dumps({"name": "read", "arguments": arguments}) + "\n</tool_call>"


def clean(rng: random.Random, words: int) -> str:
    return "\n\n".join(prose(rng, words // 4) for _ in range(4))


def thinking(rng: random.Random, words: int) -> str:
    return f"<think>\n{prose(rng, words // 2)}\n</think>\n\n{prose(rng, words // 2)}"


def calling(rng: random.Random, words: int) -> str:
    return thinking(rng, words) + "\n" + call(rng)


def quoted(rng: random.Random, words: int) -> str:
    code = f"```xml\n<think>{prose(rng, 5)}</think>\n{call(rng)}\n```"
    return f"{prose(rng, words // 2)} Write `<think>` first, like this:\n\n{code}\n\n{prose(rng, words // 2)}"


def comparing(rng: random.Random, words: int) -> str:
    return f"{thinking(rng, words)} If a < b and `Vec<T>` is empty, then 5 < 6."


def cut(rng: random.Random, words: int) -> str:
    return f"<think>\n{prose(rng, words)}"


def broken(rng: random.Random, words: int) -> str:
    return f"{prose(rng, words)}\n<tool_call>\n" + '{"name": "read", "arguments": {"path": "src/</tool_call>'


KINDS = [clean, clean, clean, thinking, thinking, thinking, calling, quoted, comparing, cut, broken]


def answer(number: int, words: int = 300) -> str | None:
    """An answer; about 2 KB with 300 words. Some are null."""
    rng = random.Random(number)
    if number % 97 == 96:
        return None
    return KINDS[number % len(KINDS)](rng, words)
