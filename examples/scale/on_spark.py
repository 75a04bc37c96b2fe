"""Spark 4: `mapInArrow`, on all executors."""

import sys
from collections.abc import Iterator

import pyarrow as pa
import tagstream.arrow
from pyspark.sql import SparkSession

COLUMNS = """content string, thoughts array<string>,
    tool_calls array<struct<id: string, name: string, arguments: string>>,
    notices array<struct<code: string, message: string, call: bigint>>"""


def parse(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        messages = pa.record_batch(tagstream.arrow.parse(batch["answer"], preset="qwen3"))
        names = batch.schema.names + messages.schema.names
        yield pa.RecordBatch.from_arrays(batch.columns + messages.columns, names)


def clean(spark: SparkSession, source: str, target: str, step=parse) -> None:
    rows = spark.read.parquet(source)
    old = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in rows.schema)
    rows.mapInArrow(step, f"{old}, {COLUMNS}").write.parquet(target)


if __name__ == "__main__":
    clean(SparkSession.builder.getOrCreate(), *sys.argv[1:])
