"""Each recipe gives what `tagstream batch` gives; also if a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import messages

ROWS = 30_000
COLUMNS = ["id", "answer", "content", "thoughts", "tool_calls", "notices"]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six files of 5,000 answers, so that every engine has several parts to work on."""
    folder = tmp_path_factory.mktemp("source")
    for start in range(0, ROWS, 5_000):
        numbers = range(start, start + 5_000)
        rows = pa.table({"id": list(numbers), "answer": [messages.answer(n, 40) for n in numbers]})
        pq.write_table(rows, folder / f"part-{start:06}.parquet", row_group_size=1_000)
    return folder


@pytest.fixture(scope="module")
def expected(source: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    target = tmp_path_factory.mktemp("expected") / "out"
    command = [os.environ["TAGSTREAM"], "batch", source, "-o", target, "--field", "answer", "--preset", "qwen3"]
    subprocess.run(command, check=True)
    rows = read(target)
    assert len(rows) == ROWS
    assert sum(len(row["thoughts"]) for row in rows) > ROWS / 4
    assert sum(len(row["tool_calls"]) for row in rows) > ROWS / 20
    assert sum(len(row["notices"]) for row in rows) > ROWS / 20
    return rows


def read(path: Path) -> list[dict[str, object]]:
    """The rows of a file or directory, by their numbers."""
    table = pa.dataset.dataset(path, format="parquet").to_table(columns=COLUMNS)
    return table.sort_by("id").to_pylist()


def the_same(rows: list[dict[str, object]], expected: list[dict[str, object]]) -> None:
    """Nothing is lost, doubled or different."""
    assert [row["id"] for row in rows] == list(range(ROWS))
    for row, wanted in zip(rows, expected):
        assert row == wanted


def test_recipes_are_short() -> None:
    recipes = sorted(Path(__file__).parent.glob("on_*.py"))
    assert len(recipes) == 5
    for recipe in recipes:
        assert len(recipe.read_text().splitlines()) <= 40, recipe


def test_polars(source: Path, expected: list[dict[str, object]], tmp_path: Path) -> None:
    import on_polars

    on_polars.clean(f"{source}/*.parquet", str(tmp_path / "out.parquet"))
    the_same(read(tmp_path / "out.parquet"), expected)


def test_duckdb(source: Path, expected: list[dict[str, object]], tmp_path: Path) -> None:
    import on_duckdb

    on_duckdb.clean(f"{source}/*.parquet", str(tmp_path / "out.parquet"))
    the_same(read(tmp_path / "out.parquet"), expected)


@pytest.mark.parametrize("processes", [None, 2])
def test_datasets(source: Path, expected: list[dict[str, object]], tmp_path: Path, processes: int | None) -> None:
    import on_datasets

    files = [str(path) for path in sorted(source.iterdir())]
    on_datasets.clean(files, str(tmp_path / "out.parquet"), processes)
    the_same(read(tmp_path / "out.parquet"), expected)


def kill_once(marker: Path, pid: int) -> None:
    """Kills a process; only the first call does."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[None]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_ray(ray_cluster: None, source: Path, expected: list[dict[str, object]], tmp_path: Path) -> None:
    import on_ray

    on_ray.clean(str(source), str(tmp_path / "out"))
    the_same(read(tmp_path / "out"), expected)


def test_ray_whose_worker_is_killed(
    ray_cluster: None, source: Path, expected: list[dict[str, object]], tmp_path: Path
) -> None:
    import on_ray

    marker = tmp_path / "killed"

    def step(batch: pa.Table) -> pa.Table:
        if 17_000 in batch["id"].to_pylist():
            kill_once(marker, os.getpid())
        return on_ray.parse(batch)

    on_ray.clean(str(source), str(tmp_path / "out"), step)
    assert marker.exists()
    the_same(read(tmp_path / "out"), expected)


@pytest.fixture(scope="module")
def spark() -> Iterator[object]:
    """A cluster of two executors, each a process of its own."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", False)
    builder = builder.config("spark.executorEnv.PYTHONPATH", os.environ["PYTHONPATH"])
    builder = builder.config("spark.executor.memory", "1g").config("spark.driver.bindAddress", "127.0.0.1")
    session = builder.config("spark.driver.host", "127.0.0.1").getOrCreate()
    yield session
    session.stop()


def test_spark(spark: object, source: Path, expected: list[dict[str, object]], tmp_path: Path) -> None:
    import on_spark

    on_spark.clean(spark, str(source), str(tmp_path / "out"))
    the_same(read(tmp_path / "out"), expected)


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("victim", ["worker", "executor"])
def test_spark_whose_worker_is_killed(
    spark: object, source: Path, expected: list[dict[str, object]], tmp_path: Path, victim: str
) -> None:
    import on_spark

    marker = tmp_path / "killed"

    def step(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if 17_000 in batch["id"].to_pylist():
                # A worker is a child of Python's daemon, which is a child of the executor.
                executor = parent(parent(os.getpid()))
                kill_once(marker, os.getpid() if victim == "worker" else executor)
            yield from on_spark.parse(iter([batch]))

    on_spark.clean(spark, str(source), str(tmp_path / "out"), step)
    assert marker.exists()
    the_same(read(tmp_path / "out"), expected)
