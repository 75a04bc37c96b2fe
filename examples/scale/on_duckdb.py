"""DuckDB: a function for SQL that gets and returns Arrow arrays."""

import sys

import duckdb
import pyarrow as pa
import tagstream.arrow

TYPE = """STRUCT(content VARCHAR, thoughts VARCHAR[],
    tool_calls STRUCT(id VARCHAR, "name" VARCHAR, arguments VARCHAR)[],
    notices STRUCT(code VARCHAR, message VARCHAR, call BIGINT)[])"""


def parse(answers: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array(tagstream.arrow.parse(answers, preset="qwen3"))


def connect() -> duckdb.DuckDBPyConnection:
    db = duckdb.connect()
    function_type = db.type(TYPE)
    # Of a null, DuckDB would not ask the function: the message would be null, and not its content.
    db.create_function("tagstream", parse, ["VARCHAR"], function_type, type="arrow", null_handling="special")
    return db


def clean(source: str, target: str) -> None:
    query = f"SELECT * EXCLUDE message, unnest(message) FROM (SELECT *, tagstream(answer) AS message FROM '{source}')"
    connect().execute(f"COPY ({query}) TO '{target}' (FORMAT parquet)")


if __name__ == "__main__":
    clean(*sys.argv[1:])
