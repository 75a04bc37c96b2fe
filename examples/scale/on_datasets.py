"""Hugging Face datasets: `map` over batches in Arrow's format."""

import sys

import pyarrow as pa
import tagstream.arrow
from datasets import Dataset


def parse(batch: pa.Table) -> pa.Table:
    messages = pa.table(tagstream.arrow.parse(batch["answer"], preset="qwen3"))
    for name in messages.column_names:
        batch = batch.append_column(name, messages[name])
    return batch


def clean(source: str, target: str, processes: int | None = None) -> None:
    rows = Dataset.from_parquet(source).with_format("arrow")
    rows = rows.map(parse, batched=True, batch_size=10_000, num_proc=processes)
    rows.to_parquet(target)


if __name__ == "__main__":
    clean(*sys.argv[1:])
