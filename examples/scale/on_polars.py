"""Polars: reads a Parquet file lazily and adds the columns with `map_batches`."""

import sys

import polars as pl
import tagstream.arrow

TYPE = pl.Struct({
    "content": pl.String,
    "thoughts": pl.List(pl.String),
    "tool_calls": pl.List(pl.Struct({"id": pl.String, "name": pl.String, "arguments": pl.String})),
    "notices": pl.List(pl.Struct({"code": pl.String, "message": pl.String, "call": pl.Int64})),
})


def parse(answers: pl.Series) -> pl.Series:
    return pl.Series(tagstream.arrow.parse(answers, preset="qwen3"))


def clean(source: str, target: str) -> None:
    message = pl.col("answer").map_batches(parse, return_dtype=TYPE, is_elementwise=True)
    rows = pl.scan_parquet(source).with_columns(message.alias("message")).unnest("message")
    rows.sink_parquet(target)


if __name__ == "__main__":
    clean(*sys.argv[1:])
