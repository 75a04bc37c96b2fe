"""The interface: events, errors, snapshots, threads, cancellation, memory."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import copy
import gc
import pickle
import resource
import subprocess
import sys
import sysconfig
import threading
import tracemalloc
import types
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import tagstream
from tagstream import Text, Thought, ThoughtEnd, ThoughtStart, ToolCall
from tagstream._hosts import profile_for

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


def test_calls_are_equal_by_the_values_of_their_arguments() -> None:
    ways = ['{"path": "a", "n": 1}', '{"n": 1.0, "path": "\\u0061"}']
    calls = [ToolCall(0, "i", "read", way) for way in ways]
    assert calls[0] == calls[1] and hash(calls[0]) == hash(calls[1])
    assert calls[0] != ToolCall(0, "i", "read", {"path": "b", "n": 1})
    assert tagstream.Usage('{"a": 1, "b": 2}') == tagstream.Usage({"b": 2, "a": 1})
    assert ToolCall(0, "i", "read", "no JSON") == ToolCall(0, "i", "read", "no JSON") != calls[0]


def test_numbers_of_any_length_can_be_read() -> None:
    digits = "9" * 5_000
    call = ToolCall(0, "i", "read", '{"n": ' + digits + "}")
    assert str(call.arguments["n"]) == digits and digits in repr(call) and digits in str(call.to_dict())
    match call:
        case ToolCall(arguments={"n": number}):
            assert number == call.arguments["n"]
    assert pickle.loads(pickle.dumps(call)) == call
    frame = 'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\\"n\\":'
    stream = frame + digits + '}"}}]}}],"usage":{"total_tokens":' + digits + "}}\n\ndata: [DONE]\n\n"
    session = tagstream.Session("openai")
    events = [event for _, event in [*session.push(stream), *session.finish()]]
    assert all(repr(event) for event in events) and {"call_end", "usage"} <= {event.type for event in events}
    (message,) = tagstream.aggregate(stream, "openai")
    assert str(message.tool_calls[0].arguments["n"]) == digits


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


def test_errors_name_the_argument_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("[thinking]\n[calls]\ndialect = 'auto'")
    given: list[dict[str, Any]] = [{"preset": "qwen3"}, {"model": "Qwen/Qwen3-8B"}, {"profile": path}]
    for more in [*given, {"profile": path.read_text()}]:
        for dialect, key in (("foo", "dialect"), (["glm", "foo"], "dialect[1]")):
            with pytest.raises(tagstream.ProfileError, match="unknown dialect `foo`") as caught:
                tagstream.Profile(**more, dialect=dialect)
            assert (caught.value.key, caught.value.line) == (key, None)
            assert str(caught.value).startswith(f"`{key}`: ")
    path.write_text("[calls]\ndialect = 'foo'")
    with pytest.raises(tagstream.ProfileError, match="line 2: `calls.dialect`"):
        tagstream.Profile(path)


def test_the_environment_of_a_server_chooses_the_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    for names, dialect in ((" hermes , glm,", ["hermes", "glm"]), (" glm ", "glm"), (" , ", "auto")):
        monkeypatch.setenv("TAGSTREAM_DIALECT", names)
        assert profile_for() == tagstream.Profile(dialect=dialect)
    for variable in ("TAGSTREAM_DIALECT", "TAGSTREAM_PRESET"):
        monkeypatch.setenv(variable, "foo")
        with pytest.raises(tagstream.ProfileError, match=f"^{variable}: .*`foo`"):
            profile_for()


def test_profiles_can_be_compared_hashed_pickled_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("[thinking]\ntags = ['plan']")
    made = {
        "Profile(preset='thinking')": tagstream.Profile(),
        "Profile(preset='qwen3', dialect='glm', tools=<1>)": tagstream.Profile(
            model="Qwen/Qwen3-8B", dialect="glm", tools=TOOLS
        ),
        "Profile(preset='qwen3', starts_open=True).without_calls()": tagstream.Profile(
            preset="qwen3", starts_open=True
        ).without_calls(),
        "Profile('[thinking]')": tagstream.Profile("[thinking]"),
        'Profile({"thinking":{"tags":["plan"]}})': tagstream.Profile({"thinking": {"tags": ["plan"]}}),
        f"Profile({path!r})": tagstream.Profile(path),
    }
    message = "a</think><plan>b</plan>" + CALL
    for text, profile in made.items():
        same = pickle.loads(pickle.dumps(profile))
        assert repr(profile) == repr(same) == text
        assert same == profile and hash(same) == hash(profile)
        assert tagstream.parse(message, same) == tagstream.parse(message, profile)
    assert len(set(made.values())) == len(made) and tagstream.Profile() != "thinking"
    lists = tagstream.Profile(dialect=["hermes", "glm"])
    assert pickle.loads(pickle.dumps(lists)) == lists != tagstream.Profile(dialect="hermes")
    assert made["Profile(preset='qwen3', starts_open=True).without_calls()"].starts_open


def test_any_mapping_and_any_sequence_will_do() -> None:
    table = types.MappingProxyType({"thinking": types.MappingProxyType({"tags": ("plan",)})})
    assert tagstream.parse("<plan>a</plan>b", table).thoughts == ("a",)
    tools = collections.UserList([collections.UserDict(tool) for tool in TOOLS])
    assert len(tagstream.parse(CALL, tools=tools).tool_calls) == 1
    with pytest.raises(TypeError, match="set is not JSON"):
        tagstream.Parser(tools={1})  # type: ignore[arg-type]


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
    same = pickle.loads(pickle.dumps(message))
    assert same == message and hash(same) == hash(message)


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


def test_a_source_is_closed_if_it_is_left() -> None:
    closed: list[str] = []

    def chunks(name: str) -> Iterator[str]:
        try:
            yield "a"
            yield "b"
        finally:
            closed.append(name)

    async def achunks() -> AsyncIterator[str]:
        for chunk in chunks("async"):
            yield chunk

    held = chunks("events"), chunks("filter")  # so that no source is closed because it is collected
    for events in (tagstream.events(held[0]), tagstream.filter(held[1])):
        with contextlib.closing(events):
            next(events)

    async def run() -> None:
        source = achunks()
        async with contextlib.aclosing(tagstream.aevents(source)) as events:
            await anext(events)
        with pytest.raises(StopAsyncIteration):
            await anext(source)

    asyncio.run(run())
    assert closed == ["events", "filter", "async"]


def test_what_is_held_comes_before_an_error_of_the_source() -> None:
    def chunks() -> Iterator[str]:
        yield "a <thi"
        raise ConnectionError

    async def achunks() -> AsyncIterator[str]:
        for chunk in chunks():
            yield chunk

    seen: list[str] = []

    def see(event: tagstream.Event) -> None:
        seen.extend([event.text] if isinstance(event, Text) else [])

    with pytest.raises(ConnectionError):
        for event in tagstream.events(chunks()):
            see(event)

    async def run() -> None:
        async for event in tagstream.aevents(achunks()):
            see(event)

    with pytest.raises(ConnectionError):
        asyncio.run(run())
    with pytest.raises(ConnectionError):
        for text in tagstream.filter(chunks()):
            seen.append(text)
    assert "".join(seen) == "a <thi" * 3


# A destructor that runs while a list of events, or of open calls, is made.
REENTRY = """
import gc, tagstream
use = {use}
seen = []

class Node:
    def __del__(self):
        try:
            seen.append(use())
        except RuntimeError as error:
            assert "by the thread that is using it" in str(error)
            seen.append(None)

gc.set_threshold(1)
while len(seen) < 1_000:
    node = Node()
    node.itself = node
    del node
    use()
gc.disable()
"""
PARSER = "tagstream.Parser(tools=[{'name': 'f'}])"
USES = {
    "push": f"(lambda parser: lambda: parser.push('a'))({PARSER})",
    "open_calls": f"""(lambda parser: parser.push('<tool_call>{{"name": "f", "arguments": {{') and (lambda: parser.open_calls))({PARSER})""",
    "Session": "(lambda session: lambda: session.push('a'))(tagstream.Session('text'))",
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_destructor_that_uses_the_same_parser_does_not_wait_for_ever(use: str) -> None:
    done = subprocess.run([sys.executable, "-c", REENTRY.replace("{use}", use)], capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")


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
    (message,) = tagstream.aggregate(b'{"choices":[{"index":0,"message":{"content":"Hi"}}],"usage":{"total_tokens":1}}')
    assert message.usage == {"total_tokens": 1} and len({message, message}) == 1


def test_text_without_tags() -> None:
    assert tagstream.strip("a<b>x</b>c") == "a c"
    assert tagstream.strip("a <b>x</b> c", whitespace="collapse", preset=None) == "a c"
    ways: list[dict[str, Any]] = [{"preset": "qwen3"}, {"model": "Qwen/Qwen3-8B"}, {"profile": {}}]
    for given in ways:
        with pytest.raises(TypeError, match="whatever the profile is"):
            tagstream.strip("a", whitespace="collapse", **given)
    assert list(tagstream.filter(["x<thi", "nk>a</think>b"])) == ["x", "b"]
