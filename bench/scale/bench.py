"""Messages and megabytes per second, by cores and by number of messages, with memory."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import messages

HERE = Path(__file__).parent
RECIPES = Path(messages.__file__).parent
DATA = Path(os.environ["DATA"])
FLAGS = ["--field", "answer", "--preset", "qwen3", "--overwrite"]
# Distinct messages; more of them are these again, in another order.
DISTINCT = 5_000
CORES = sorted(os.sched_getaffinity(0))


# A process begins with the peak of the one that it was forked from, which is this one, with all messages: so
# a small one stands between them.
LAUNCH = """
import json, os, resource, subprocess, sys, time
os.sched_setaffinity(0, json.loads(sys.argv[1]))
start = time.perf_counter()
child = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL)
wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
sys.exit(child.returncode)
"""


@dataclass
class Run:
    """The best of several runs: all in seconds, and the memory in MiB."""

    wall: float
    cpu: float
    memory: float


def make(count: int) -> tuple[Path, Path, int]:
    """The same messages as JSON Lines and as Parquet, and how many bytes of text they have."""
    lines, rows = DATA / f"{count}.jsonl", DATA / f"{count}.parquet"
    texts = [messages.answer(number) for number in range(DISTINCT)]
    rng = random.Random(1)
    chosen = [texts[rng.randrange(DISTINCT)] for _ in range(count)]
    size = sum(len(text.encode()) for text in chosen if text)
    if not rows.exists():
        with lines.open("w", encoding="utf-8") as out:
            for number, text in enumerate(chosen):
                out.write(json.dumps({"id": number, "answer": text}, ensure_ascii=False) + "\n")
        pq.write_table(pa.table({"id": range(count), "answer": chosen}), rows, row_group_size=20_000, compression="zstd")
    return lines, rows, size


def measure(command: list[str | Path], cores: int, rounds: int, environment: dict[str, str] | None = None) -> Run:
    best: Run | None = None
    for _ in range(rounds):
        for old in DATA.glob("out*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        launched = [sys.executable, "-c", LAUNCH, json.dumps(CORES[:cores]), *map(str, command)]
        child = subprocess.run(launched, capture_output=True, text=True, env=os.environ | (environment or {}))
        if child.returncode != 0:
            sys.exit(f"{command}: {child.stderr}")
        run = Run(*json.loads(child.stdout))
        if best is None or run.wall < best.wall:
            best = run
    assert best is not None
    return best


def contenders(lines: Path, rows: Path, cores: int) -> dict[str, tuple[list[str | Path], dict[str, str]]]:
    batch = [os.environ["TAGSTREAM"], "batch"]
    threads = ["--threads", str(cores)]
    python = sys.executable
    recipe = lambda name: [python, RECIPES / f"on_{name}.py", rows, DATA / "out.parquet"]
    spark = {"PYSPARK_PYTHON": python, "PYSPARK_SUBMIT_ARGS": f"--master local[{cores}] --driver-memory 4g pyspark-shell"}
    return {
        "regexes": ([python, HERE / "regexes.py", lines, DATA / "out.jsonl"], {}),
        "batch-jsonl": ([*batch, lines, "-o", DATA / "out.jsonl", *FLAGS, *threads], {}),
        "batch-parquet": ([*batch, rows, "-o", DATA / "out.parquet", *FLAGS, *threads], {}),
        "polars": (recipe("polars"), {"POLARS_MAX_THREADS": str(cores)}),
        "duckdb": (recipe("duckdb"), {}),
        "datasets": (recipe("datasets"), {"HF_DATASETS_CACHE": str(DATA / "out-cache")}),
        "ray": (recipe("ray"), {"RAY_DEDUP_LOGS": "0"}),
        "spark": (recipe("spark"), spark),
    }


def wrong(lines: Path) -> str:
    """In how many messages the regular expressions find something else than tagstream."""
    target = DATA / "out.jsonl"
    subprocess.run([os.environ["TAGSTREAM"], "batch", lines, "-o", target, *FLAGS], check=True, capture_output=True)
    sys.path.insert(0, str(HERE))
    import regexes

    count = differs = 0
    with target.open(encoding="utf-8") as records:
        for line in records:
            record = json.loads(line)
            if record["content"] is None:
                continue
            content, thoughts, calls = regexes.parse(record["answer"])
            found = [{"name": call["name"], "arguments": json.loads(call["arguments"])} for call in record["tool_calls"]]
            count += 1
            same = content == record["content"].strip() and thoughts == record["thoughts"] and calls == found
            differs += not same
    return f"regular expressions: {differs} of {count} messages wrong ({100 * differs / count:.1f} %)"


def python_kernel(lines: Path) -> None:
    """The speed of the kernel as Python sees it, by CPU time, to be compared with the table of the Rust kernel."""
    import tagstream.arrow

    texts = [json.loads(line)["answer"] for line in lines.open(encoding="utf-8")]
    texts = [text for text in texts if text is not None]
    thinking, qwen = {"thinking": {"tags": ["think"]}}, tagstream.Profile(preset="qwen3")
    print("MB/s of text, by CPU time, through tagstream.arrow.parse")
    for name, only in [("clean text", lambda text: "<" not in text), ("all messages", lambda text: True)]:
        chosen = [text for text in texts if only(text)]
        array, size = pa.array(chosen), sum(len(text.encode()) for text in chosen)
        for policy, profile in [("thinking", tagstream.Profile(thinking)), ("preset qwen3", qwen)]:
            times, best = -(-200_000_000 // size), float("inf")
            for _ in range(7):
                start = time.thread_time()
                for _ in range(times):
                    tagstream.arrow.parse(array, profile)
                best = min(best, time.thread_time() - start)
            print(f"{f'{name}, {policy}':32} {size * times / best / 1e6:8.0f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", default="10000,100000,1000000")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    DATA.mkdir(parents=True, exist_ok=True)
    counts = [int(count) for count in args.messages.split(",")]
    only = set(filter(None, args.only.split(",")))
    print(subprocess.run([os.environ["KERNEL"], make(counts[0])[0]], check=True, capture_output=True, text=True).stdout)
    python_kernel(make(counts[0])[0])
    print(wrong(make(counts[0])[0]), flush=True)
    print(f"{'':14} {'messages':>9} {'cores':>5} {'seconds':>8} {'CPU s':>7} {'messages/s':>11} {'MB/s':>7} {'MiB':>6}")
    for count in counts:
        lines, rows, size = make(count)
        for cores in (1, 2):
            for name, (command, environment) in contenders(lines, rows, cores).items():
                if (only and name not in only) or (name == "regexes" and cores == 2):
                    continue
                run = measure(command, cores, args.rounds, environment)
                print(
                    f"{name:14} {count:9} {cores:5} {run.wall:8.2f} {run.cpu:7.2f} {count / run.wall:11,.0f}"
                    f" {size / run.wall / 1e6:7.1f} {run.memory:6.0f}",
                    flush=True,
                )


main()
