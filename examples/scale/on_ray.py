"""Ray Data: `map_batches` with Arrow tables, on all nodes of a cluster."""

import sys

import pyarrow as pa
import ray
import tagstream.arrow


def parse(batch: pa.Table) -> pa.Table:
    messages = pa.table(tagstream.arrow.parse(batch["answer"], preset="qwen3"))
    for name in messages.column_names:
        batch = batch.append_column(name, messages[name])
    return batch


def clean(source: str, target: str, step=parse) -> None:
    rows = ray.data.read_parquet(source)
    rows = rows.map_batches(step, batch_format="pyarrow", batch_size=10_000)
    rows.write_parquet(target)


if __name__ == "__main__":
    ray.init()  # on a cluster: ray.init("auto")
    clean(*sys.argv[1:])
