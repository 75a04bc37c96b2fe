"""The kernel for columns: what goes in and out, with pyarrow and without it."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import tagstream
import tagstream.arrow

TEXTS = [
    "<think>plan</think>5 < 6",
    None,
    "",
    'Now:<tool_call>{"name":"now","arguments":{"zone":"x"}}</tool_call>',
    '<tool_call>{"name":"now","arguments":[]}</tool_call>',
    "`<think>` in code, and ünïcödé</think>",
]


def rows(messages: tagstream.arrow.Messages) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pa.array(messages).to_pylist()
    return found


def expected(text: str | None) -> dict[str, object]:
    if text is None:
        return {"content": None, "thoughts": [], "tool_calls": [], "notices": []}
    message = tagstream.parse(text, preset="qwen3")
    found = rows(tagstream.arrow.parse(pa.array([text]), preset="qwen3"))[0]
    assert found["content"] == message.content
    assert found["thoughts"] == list(message.thoughts)
    calls, notices = found["tool_calls"], found["notices"]
    assert isinstance(calls, list) and isinstance(notices, list)
    assert [(call["id"], call["name"]) for call in calls] == [(call.id, call.name) for call in message.tool_calls]
    assert [notice["code"] for notice in notices] == [notice.code for notice in message.notices]
    return found


@pytest.mark.parametrize(
    "type", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())]
)
def test_all_forms_of_strings(type: pa.DataType) -> None:
    array = pa.array(TEXTS, pa.string()).cast(pa.binary() if type == pa.binary() else pa.string())
    array = array.dictionary_encode() if pa.types.is_dictionary(type) else array.cast(type)
    wanted = [expected(text) for text in TEXTS]
    assert rows(tagstream.arrow.parse(array, preset="qwen3")) == wanted
    # A part of an array begins in the middle of its buffers.
    assert rows(tagstream.arrow.parse(array[2:5], preset="qwen3")) == wanted[2:5]


def test_columns_of_tables_and_chunks() -> None:
    column = pa.table({"answer": pa.chunked_array([TEXTS[:2], TEXTS[2:]])})["answer"]
    messages = tagstream.arrow.parse(column, preset="qwen3")
    assert len(messages) == len(TEXTS)
    chunked = pa.chunked_array(messages)
    assert chunked.num_chunks == 2
    assert chunked.to_pylist() == [expected(text) for text in TEXTS]
    assert pa.table(messages).column_names == ["content", "thoughts", "tool_calls", "notices"]
    with pytest.raises(ValueError, match="as a stream"):
        pa.array(messages)
    assert pa.chunked_array(tagstream.arrow.parse(pa.chunked_array([], pa.string()))).to_pylist() == []


def test_a_dictionary_may_have_no_values() -> None:
    array = pa.array([None, None], pa.dictionary(pa.int32(), pa.string()))
    assert rows(tagstream.arrow.parse(array)) == [expected(None)] * 2


def test_any_object_with_the_interface() -> None:
    class Mine:
        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            pair: tuple[object, object] = pa.array(TEXTS).__arrow_c_array__(requested_schema)
            return pair

    assert len(tagstream.arrow.parse(Mine())) == len(TEXTS)


def test_an_array_is_read_only_once_from_its_capsules() -> None:
    class Twice:
        pair: tuple[object, object] = pa.array(TEXTS).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
            return self.pair

    class Stream:
        capsule: object = pa.chunked_array([TEXTS]).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self.capsule

    for source in (Twice(), Stream()):
        assert len(tagstream.arrow.parse(source)) == len(TEXTS)
        with pytest.raises(ValueError, match="released"):
            tagstream.arrow.parse(source)


def test_mistakes() -> None:
    with pytest.raises(TypeError, match="__arrow_c_array__ or __arrow_c_stream__"):
        tagstream.arrow.parse(TEXTS)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected strings, got an array of type Int64"):
        tagstream.arrow.parse(pa.array([1]))
    with pytest.raises(TypeError, match="row 0 is not UTF-8"):
        tagstream.arrow.parse(pa.array([b"\xff"]))
    with pytest.raises(tagstream.ProfileError):
        tagstream.arrow.parse(pa.array(TEXTS), preset="no such preset")


def test_the_source_may_go_before_the_result() -> None:
    array = pa.array(TEXTS * 1000)
    messages = tagstream.arrow.parse(array)
    del array
    copy = pa.array(messages)
    del messages
    assert copy[0].as_py()["thoughts"] == ["plan"]


def test_pyarrow_is_not_required() -> None:
    code = "import sys, tagstream; tagstream.arrow.parse; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
