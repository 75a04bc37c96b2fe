"""Runs every contender on the same chunks, and prints the nanoseconds per chunk.

Times are CPU times of this thread, the best of several rounds: the machine may be busy. A contender
that is not done after its time is stopped, and compared by what it had read until then.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator

import messages
import peers

Contender = Callable[[Iterable[str]], Iterator[int]]


def measure(contender: Contender, chunks: list[str], seconds: float) -> tuple[float, int]:
    """CPU nanoseconds per chunk, and the chunks that were read."""
    clock, limit, gave = time.thread_time_ns, int(seconds * 1e9), 0
    results = contender(chunks)
    gc.collect()
    start = clock()
    for number, count in enumerate(results):
        if count < 0:
            start, gave = clock(), 1
        elif number & 255 == 0 and clock() - start > limit:
            return (clock() - start) / (number + 1 - gave), number + 1 - gave
    return (clock() - start) / len(chunks), len(chunks)


def table(title: str, contenders: dict[str, Contender], chunks: list[str], rounds: int, seconds: float) -> None:
    best: dict[str, tuple[float, int]] = {}
    for number in range(rounds):
        for name, contender in contenders.items():
            if number and best[name][1] < len(chunks):
                continue  # one round of those that were stopped is enough
            try:
                result = measure(contender, chunks, seconds)
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                result = (float("nan"), 0)
            best[name] = min(best.get(name, result), result)
    base = best["tagstream"][0]
    print(f"\n{title}\n\n| | ns per chunk | times tagstream | read |\n|---|---|---|---|")
    for name, (ns, read) in best.items():
        share = "all" if read == len(chunks) else f"{read / len(chunks):.0%}, then stopped"
        print(f"| {name} | {ns:,.0f} | {ns / base:,.1f} | {share} |")


def main() -> None:
    is_quick = "--quick" in sys.argv
    rounds, seconds = (3, 5.0) if is_quick else (15, 60.0)
    thinking, call = messages.chunks(messages.thinking(200_000)), messages.chunks(messages.call(400_000))
    print(f"Python {sys.version.split()[0]}, tagstream {peers.tagstream.__version__}, best of {rounds} rounds")
    table("200 KB, half of it a thought, in chunks of 4 characters", peers.THINKING, thinking, rounds, seconds)
    table("One call with an argument of 400 KB, in chunks of 4 characters", peers.CALLS, call, rounds, seconds)


if __name__ == "__main__":
    main()
