"""The Arrow kernel beside that of Rust, in MB of text per second of CPU time.

Usage: columns.py make FILE, which writes messages, one in each line; then kernel FILE | columns.py FILE, where
`kernel` is the example of that name in tagstream-batch.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import messages
import pyarrow as pa
import tagstream.arrow

ROUNDS = 7
# A round reads at least this much, as the rounds of the other kernel do.
ROUND_BYTES = 200_000_000
PROFILES = {
    "thinking": tagstream.Profile({"thinking": {"tags": ["think"]}}),
    "preset qwen3": tagstream.Profile(preset="qwen3"),
}


def make(path: Path) -> None:
    """Messages of some kilobytes. Every other one has a thought, every fourth also a call."""
    with path.open("w") as file:
        for number in range(2_000):
            size = 1_000 + number % 7 * 500
            text = messages.thinking(size) if number % 2 else messages.prose(size, number).replace("<", "")
            call = messages.call(size // 4) if number % 4 == 1 else ""
            file.write(json.dumps({"answer": text + call}) + "\n")


def speed(texts: list[str], profile: tagstream.Profile, round_bytes: int) -> float:
    """Megabytes per second of this thread's CPU time, in the best round."""
    array, size = pa.array(texts), sum(len(text.encode()) for text in texts)
    times, best = -(-round_bytes // size), float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time_ns()
        for _ in range(times):
            tagstream.arrow.parse(array, profile)
        best = min(best, (time.thread_time_ns() - start) / times)
    return size * 1_000 / best


def rust() -> dict[str, float]:
    """The last column of the other kernel, by the names of its rows."""
    rows = [line.rsplit(maxsplit=2) for line in sys.stdin.read().splitlines()[1:]]
    return {name.strip(): float(array) for name, _, array in rows}


def main() -> None:
    if sys.argv[1] == "make":
        return make(Path(sys.argv[2]))
    round_bytes = 1 if "--quick" in sys.argv else ROUND_BYTES
    texts = [json.loads(line)["answer"] for line in Path(sys.argv[1]).read_text().splitlines()]
    rows = {"clean text": [text for text in texts if "<" not in text], "all messages": texts}
    peer = rust()
    print("\nColumns, in MB of text per second of CPU time\n\n| | tagstream.arrow | Rust | share |\n|---|---|---|---|")
    for kind, texts in rows.items():
        for name, profile in PROFILES.items():
            own, other = speed(texts, profile, round_bytes), peer[f"{kind}, {name}"]
            print(f"| {kind}, {name} | {own:,.0f} | {other:,.0f} | {own / other:.0%} |")


if __name__ == "__main__":
    main()
