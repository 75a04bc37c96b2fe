"""The interface: events, errors, snapshots, threads, cancellation, memory."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import resource
import sys
import sysconfig
import threading
import tracemalloc
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tagstream
from tagstream import Text, Thought, ThoughtEnd, ThoughtStart, ToolCall

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "read",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        },
    }
]
CALL = '<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>'


def test_events_can_be_matched_compared_hashed_and_pickled() -> None:
    events = list(tagstream.events(["<think a=1>plan</think>5 < 6", CALL], tools=TOOLS))
    assert events[:4] == [
        ThoughtStart("think", {"a": "1"}, span=(0, 11)),
        Thought("plan", span=(11, 15)),
        ThoughtEnd(True, span=(15, 23)),
        Text("5 < 6", span=(23, 28)),
    ]
    for event in events:
        same = pickle.loads(pickle.dumps(event))
        assert same == event and hash(same) == hash(event) and repr(same) == repr(event)
        with pytest.raises(AttributeError):
            event.span = (0, 0)  # type: ignore[misc]
    match [event for event in events if isinstance(event, ToolCall)]:
        case [ToolCall(0, _, "read", {"path": path})]:
            assert path == "a"
        case other:
            pytest.fail(repr(other))
    assert Text("a") != Thought("a") and Text("a") != Text("a", span=(0, 1))
    assert repr(Text("a", span=(0, 1))) == "Text(text='a', span=(0, 1))"


def test_events_stay_as_they_are() -> None:
    message = tagstream.parse('<tool_call>{"name": "read", "arguments": {"path": "\u00e4"}}</tool_call>', tools=TOOLS)
    (call,) = message.tool_calls
    call.arguments["path"] = "other"
    assert call.arguments == {"path": "ä"} and call.to_dict()["arguments"] == {"path": "ä"}
    assert call == ToolCall(0, "call_0", "read", {"path": "ä"})
    start = ThoughtStart("think", {"a": "1"})
    start.attributes["a"] = "2"
    assert start == copy.deepcopy(start) == ThoughtStart("think", [("a", "1")])


def test_halves_of_characters_are_joined_everywhere() -> None:
    whole, lone = ["a\ud83d", "\ude00b"], ["a\ud83d"]
    assert ("".join(tagstream.filter(whole)), "".join(tagstream.filter(lone))) == ("a\U0001f600b", "a\ufffd")
    assert (tagstream.strip("a\ud83d\ude00b"), tagstream.strip("a\ud83d")) == ("a\U0001f600b", "a\ufffd")
    assert tagstream.aggregate("a\ud83d", "text")[0].content == "a\ufffd"
    rewriter, session = tagstream.Rewriter("openai"), tagstream.Session("text")
    frames = ['data: {"choices":[{"index":0,"delta":{"content":"' + whole[0], whole[1] + '"}}]}\n\n']
    out = b"".join([*map(rewriter.push, frames), rewriter.finish()])
    assert "\U0001f600" in out.decode()
    events = [*session.push(whole[0]), *session.push(whole[1]), *session.finish()]
    assert "".join(event.text for _, event in events if isinstance(event, Text)) == "a\U0001f600b"


def test_halves_of_characters_are_joined_and_lone_ones_replaced() -> None:
    parser = tagstream.Parser()
    events = [*parser.push("a\ud83d"), *parser.push("\ude00b\ud83d"), *parser.push("c"), *parser.finish()]
    assert "".join(e.text for e in events if isinstance(e, Text)) == "a\U0001f600b\ufffdc"
    assert [e.code for e in events if isinstance(e, tagstream.Notice)] == ["invalid_utf8"]


def test_errors_have_the_key_and_the_line(tmp_path: Path) -> None:
    with pytest.raises(tagstream.ProfileError) as caught:
        tagstream.Parser("[thinking]\nmode = 'loud'")
    text = "line 2: `thinking.mode`: unknown value `loud`; allowed: `extract`, `hide`, `show`"
    assert (str(caught.value), caught.value.key, caught.value.line) == (text, "thinking.mode", 2)
    with pytest.raises(tagstream.ProfileError, match="unknown preset `qwen`") as caught:
        tagstream.Parser(preset="qwen")
    assert caught.value.key == "preset"
    with pytest.raises(FileNotFoundError):
        tagstream.Parser(tmp_path / "none.toml")
    with pytest.raises(TypeError):
        tagstream.Parser().push(5)  # type: ignore[arg-type]
    same = pickle.loads(pickle.dumps(caught.value))
    assert (str(same), same.key) == (str(caught.value), "preset")


def test_a_profile_has_many_sources(tmp_path: Path) -> None:
    toml, json = "[thinking]\ntags = ['plan']", '{"thinking": {"tags": ["plan"]}}'
    path = tmp_path / "p.toml"
    path.write_text(toml)
    table = {"thinking": {"tags": ["plan"]}}
    for profile in (path, str(path), toml, json, table, tagstream.Profile(table)):
        assert tagstream.parse("<plan>a</plan>b", profile).thoughts == ("a",)
    assert tagstream.Parser(model="Qwen/Qwen3-8B").profile.thinking_markers == [("<think>", "</think>")]
    assert "qwen3" in tagstream.presets()
    with pytest.raises(TypeError, match="only one of"):
        tagstream.Parser(path, preset="qwen3")
    open_profile = tagstream.Profile(preset="qwen3", tools=TOOLS, starts_open=True)
    message = tagstream.parse("a</think>" + CALL, open_profile)
    assert message.thoughts == ("a",) and len(message.tool_calls) == 1
    assert CALL in tagstream.parse(CALL, open_profile.without_calls(), starts_open=False).content
    glm = "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>"
    for dialect in ("auto", ["hermes", "glm"], "glm"):
        assert len(tagstream.parse(glm, tools=TOOLS, dialect=dialect).tool_calls) == 1
    assert tagstream.parse(glm, tools=TOOLS, dialect="hermes").tool_calls == ()


def test_whole_messages() -> None:
    unknown = CALL.replace("read", "write")
    message = tagstream.parse(f"<think>a</think>One{CALL}two{unknown}", tools=TOOLS)
    assert (message.content, message.thoughts) == ("One two", ("a",))
    (call,) = message.tool_calls
    assert (call.name, call.arguments, call.arguments_json) == ("read", {"path": "a"}, '{"path":"a"}')
    assert [(notice.code, notice.call) for notice in message.notices] == [("unknown_tool", 1)]
    assert tagstream.parse(b"<think>a</think>b\xff").content == "b\ufffd"
    assert [notice.code for notice in tagstream.parse("b\ud83d").notices] == ["invalid_utf8"]
    assert pickle.loads(pickle.dumps(message)) == message


def test_open_elements_and_growing_calls_can_be_seen() -> None:
    parser = tagstream.Parser({"elements": [{"name": "node"}]}, tools=TOOLS)
    parser.push("<node id='7'>Content</")
    (element,) = parser.open_elements
    assert (element.name, element.attributes, element.body, element.complete) == ("node", {"id": "7"}, "Content", False)
    assert parser.held == "</"
    parser.push("node>" + CALL[:50])
    (call,) = parser.open_calls
    assert call.name == "read" and call.json is not None and call.json.startswith('{"path"')
    parser.push(CALL[50:])
    assert parser.open_calls == [] and parser.open_elements == []


def test_a_finished_parser_says_so() -> None:
    parser = tagstream.Parser()
    parser.finish()
    assert parser.is_finished
    with pytest.raises(ValueError, match="finished"):
        parser.push("a")


def test_one_parser_in_many_threads_loses_nothing() -> None:
    parser = tagstream.Parser()
    start = threading.Barrier(4)

    def push(size: int) -> int:
        start.wait()
        return sum(len(e.text) for _ in range(200) for e in parser.push("x" * size) if isinstance(e, Text))

    with ThreadPoolExecutor(4) as pool:
        seen = sum(pool.map(push, [1, 10, 100, 40_000]))
    assert seen == 200 * 40_111


def test_a_cancelled_task_ends_its_source() -> None:
    async def run() -> None:
        never, is_closed = asyncio.Event(), asyncio.Event()

        async def chunks() -> AsyncIterator[str]:
            try:
                yield "<think>a"
                await never.wait()
            finally:
                is_closed.set()

        seen: list[tagstream.Event] = []

        async def collect() -> None:
            async for event in tagstream.aevents(chunks()):
                seen.append(event)

        task = asyncio.create_task(collect())
        while len(seen) < 2:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert [type(event) for event in seen] == [ThoughtStart, Thought] and is_closed.is_set()

    asyncio.run(run())


def test_a_free_threaded_python_stays_so() -> None:
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not getattr(sys, "_is_gil_enabled")()  # noqa: B009
    else:
        pytest.skip("this Python has a global lock")


LARGE: dict[str, Callable[[str], object]] = {
    "Parser": tagstream.Parser().push,
    "Filter": tagstream.Filter().push,
    "Rewriter": tagstream.Rewriter("openai").push,
    "Session": tagstream.Session("text").push,
    "parse": tagstream.parse,
    "strip": tagstream.strip,
    "aggregate": lambda text: tagstream.aggregate(text, "text"),
}


@pytest.mark.parametrize("name", LARGE)
def test_others_run_while_a_large_chunk_is_read(name: str) -> None:
    """Python does not switch threads by itself here: another one runs only while the lock is released."""
    interval, gate, has_run = sys.getswitchinterval(), threading.Event(), threading.Event()

    def run() -> None:
        gate.wait()
        has_run.set()

    thread = threading.Thread(target=run)
    thread.start()
    sys.setswitchinterval(1_000)
    try:
        parser, small, large = tagstream.Parser(), "x" * 100, "x" * 5_000_000
        gate.set()
        if getattr(sys, "_is_gil_enabled", lambda: True)():
            assert not any(parser.push(small) and has_run.is_set() for _ in range(10_000))
        assert any([LARGE[name](large), has_run.is_set()][1] for _ in range(1_000))
    finally:
        sys.setswitchinterval(interval)
        thread.join()


def test_a_million_events_leave_nothing_behind() -> None:
    parser = tagstream.Parser({"thinking": {"tags": ["think"]}, "elements": [{"name": "node"}]}, tools=TOOLS)
    chunks = ["<think>", "abcd", "é", "</think>", "text", CALL[:40], CALL[40:], CALL.replace("read", "x"), "<node a='1'>b</node>"]

    def push(events: int) -> None:
        while events > 0:
            for chunk in chunks:
                events -= sum(1 for event in parser.push(chunk) if hash(event) and event.to_dict())

    push(20_000)
    gc.collect()
    tracemalloc.start()
    before, used = tracemalloc.get_traced_memory()[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    push(10_000)
    tracemalloc.stop()
    push(1_000_000)
    gc.collect()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used < 8_000, "KiB"
    tracemalloc.start()
    push(10_000)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 10_000


def test_references_are_given_back() -> None:
    chunk = "".join(["some ", "text"])
    before = sys.getrefcount(chunk)
    events = list(tagstream.events([chunk] * 10))
    assert len(events) == 10
    del events
    gc.collect()
    assert sys.getrefcount(chunk) == before


def test_streams_of_providers() -> None:
    stream = (
        b'data: {"choices":[{"index":0,"delta":{"content":"<think>hm</think>Hi"}}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )
    (message,) = tagstream.aggregate(stream)
    assert (message.content, message.thoughts, message.finish_reason) == ("Hi", ("hm",), "stop")
    rewriter = tagstream.Rewriter("openai", preset="qwen3")
    out = b"".join([*(rewriter.push(stream[k : k + 1]) for k in range(len(stream))), rewriter.finish()])
    assert b'"reasoning_content":"hm"' in out and b"<think>" not in out
    session = tagstream.Session("openai")
    events = [*session.push(stream), *session.finish()]
    assert (0, tagstream.Finish("stop")) in events


def test_text_without_tags() -> None:
    assert tagstream.strip("a<b>x</b>c") == "a c"
    assert list(tagstream.filter(["x<thi", "nk>a</think>b"])) == ["x", "b"]
