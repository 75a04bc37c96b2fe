"""The plug-in in vLLM's registries, and under the driver that its server uses."""

from __future__ import annotations

from typing import Any

import pytest
import stubs

stubs.install(
    "aiohttp", "cpuinfo", "huggingface_hub", "openai_harmony", "prometheus_client", "pybase64", "safetensors",
    "torch", "transformers", "uvloop", "xgrammar", "zmq",
    "vllm.config", "vllm.distributed", "vllm.model_executor", "vllm.multimodal", "vllm.platforms",
)  # fmt: skip

from messages import CALL, CALLED, CASES, REFUSED, TOOLS, Case, cuts
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.parser.abstract_parser import DelegatingParser
from vllm.plugins import load_general_plugins
from vllm.reasoning import ReasoningParserManager
from vllm.tool_parsers import ToolParserManager

load_general_plugins()


def request(tools: Any = TOOLS, **more: Any) -> Any:
    return ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "Hi"}], tools=tools, **more)


def parser(tools: Any = TOOLS, *, has_reasoning: bool = True, has_tools: bool = True) -> Any:
    class Both(DelegatingParser):
        reasoning_parser_cls = ReasoningParserManager.get_reasoning_parser("tagstream") if has_reasoning else None
        tool_parser_cls = ToolParserManager.get_tool_parser("tagstream") if has_tools else None

    return Both(stubs.Tokenizer(), request(tools).tools)


def stream(chunks: list[str], asked: Any = None, prompt: str = "", **options: Any) -> Case:
    asked = asked or request()
    driver, seen, calls = parser(asked.tools, **options), Case("", ""), {}
    encode = stubs.Tokenizer().encode
    for number, chunk in enumerate(chunks):
        is_last = number == len(chunks) - 1
        delta = driver.parse_delta(chunk, encode(chunk), asked, encode(prompt), finished=is_last)
        if delta is None:
            continue
        seen.reasoning += delta.reasoning or ""
        seen.content += delta.content or ""
        for call in delta.tool_calls:
            name, arguments = calls.get(call.index, ("", ""))
            assert (call.id is None) == bool(name)
            calls[call.index] = (name + (call.function.name or ""), arguments + (call.function.arguments or ""))
    assert list(calls) == list(range(len(calls)))
    seen.calls = tuple(calls.values())
    return seen


def compare(seen: Case, wanted: Case) -> None:
    assert (seen.reasoning, seen.content.strip(), seen.calls) == (wanted.reasoning, wanted.content, wanted.calls)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_streams(case: Case) -> None:
    for chunks in cuts(case.text):
        compare(stream(chunks), case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_whole_messages(case: Case) -> None:
    reasoning, content, calls = parser().parse(case.text, request(), enable_auto_tools=True)
    found = tuple((call.name, call.arguments) for call in calls or [])
    compare(Case("", "", reasoning or "", content or "", found), case)


def test_a_thought_after_a_call_comes_from_the_tool_parser() -> None:
    text = f"<think>one</think>{CALL}<think>two</think>done"
    for chunks in cuts(text):
        seen = stream(chunks)
        assert (seen.reasoning.replace("\n", ""), seen.content, seen.calls) == ("onetwo", "done", (CALLED,))


def test_the_prompt_may_have_opened_or_ended_the_thought() -> None:
    for chunks in cuts("plan</think>Hi"):
        compare(stream(chunks, prompt="assistant\n<think>\n"), Case("", "", "plan", "Hi"))
    compare(stream(["Hi"], prompt="assistant\n<think>\n\n</think>\n\n"), Case("", "", "", "Hi"))
    reasoning, content, _ = parser().parse("plan</think>Hi", request(), enable_auto_tools=True)
    assert (reasoning, content) == ("plan", "Hi")


def test_a_user_may_write_a_thinking_tag() -> None:
    compare(stream(["Hi there"], prompt="user: what is <think>?<|im_end|>assistant\n"), Case("", "", "", "Hi there"))


def test_each_parser_works_alone() -> None:
    for chunks in cuts("<think>plan</think>Hi"):
        compare(stream(chunks, has_tools=False), Case("", "", "plan", "Hi"))
    for chunks in cuts(f"Hi {CALL}"):
        compare(stream(chunks, has_reasoning=False), Case("", "", "", "Hi", (CALLED,)))


def test_calls_that_the_request_does_not_allow_are_text() -> None:
    call = CALL.replace("<think>a</think>", "a")
    for asked in (request(None), request(tool_choice="none")):
        seen = stream([f"Hi {call}"], asked)
        assert (seen.calls, seen.content) == ((), f"Hi {call}")
    assert stream([REFUSED]).content == REFUSED
    _, content, calls = parser().parse(REFUSED, request(), enable_auto_tools=True)
    assert (content, calls) == (REFUSED, None)


def test_required_calls_are_read_in_the_models_format() -> None:
    asked = request(tool_choice="required")
    adjusted = parser().adjust_request(asked)
    assert adjusted.skip_special_tokens is False and adjusted.structured_outputs is None
    assert stream([CALL], asked).calls == (CALLED,)


def test_token_ids_tell_where_reasoning_ends() -> None:
    reader = ReasoningParserManager.get_reasoning_parser("tagstream")(stubs.Tokenizer())
    ids = stubs.Tokenizer().encode("<think>ab</think>cd")
    assert reader.is_reasoning_end(ids) and not reader.is_reasoning_end(ids[:3])
    assert reader.extract_content_ids(ids) == [ord("c"), ord("d")]
    assert reader.count_reasoning_tokens(ids) == 2
    assert (reader.reasoning_start_str, reader.reasoning_end_str) == ("<think>", "</think>")


def test_the_environment_chooses_the_dialect(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "<tool_call>\n<function=write>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>"
    monkeypatch.setenv("TAGSTREAM_PRESET", "qwen3-coder")
    assert stream([text]).calls == (("write", '{"path":"a"}'),)
    monkeypatch.setenv("TAGSTREAM_PRESET", "")
    monkeypatch.setenv("TAGSTREAM_DIALECT", "glm")
    assert stream([CALL]).calls == ()
