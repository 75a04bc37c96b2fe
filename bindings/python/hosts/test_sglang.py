"""The plug-in in SGLang's registries, and under the parsers that its server uses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import stubs
import tagstream

stubs.install(
    "IPython", "aiohttp", "openai_harmony", "pybase64", "torch", "tqdm", "transformers", "xgrammar",
    "sglang.kernels", "sglang.lang", "sglang.srt.connector", "sglang.srt.entrypoints.openai.serving_base",
    "sglang.srt.managers", "sglang.srt.observability", "sglang.srt.platforms", "sglang.srt.utils",
)  # fmt: skip

from messages import CALL, CALLED, CASES, REFUSED, TOOLS, Case, cuts
from sglang.srt.entrypoints.openai.protocol import ChatCompletionRequest, Tool
from sglang.srt.entrypoints.openai.serving_chat import OpenAIServingChat
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from sglang.srt.parser.reasoning_parser import ReasoningParser
from sglang.srt.plugins import load_plugins_by_group

for register, _ in load_plugins_by_group("sglang.srt.plugins").values():
    register()


def tool_parser(tools: Any = TOOLS) -> Any:
    return FunctionCallParser([Tool(**tool) for tool in tools], "tagstream", tokenizer=stubs.Tokenizer())


def reasoning_parser(**options: Any) -> Any:
    return ReasoningParser("tagstream", tokenizer=stubs.Tokenizer(), **options)


def stream(chunks: list[str], tools: Any = TOOLS, **options: Any) -> Case:
    first, second, seen, calls = reasoning_parser(**options), tool_parser(tools), Case("", ""), []
    results = [first.parse_stream_chunk(chunk) for chunk in chunks]
    results.append(first.parse_stream_end())
    for reasoning, text in results:
        seen.reasoning += reasoning
        content, found = second.parse_stream_chunk(text)
        seen.content += content
        calls += found
    content, found = second.parse_stream_end()
    seen.content += content
    calls += found
    assert [call.tool_index for call in calls] == list(range(len(calls)))
    seen.calls = tuple((call.name, call.parameters) for call in calls)
    return seen


def compare(seen: Case, wanted: Case) -> None:
    assert (seen.reasoning, seen.content.strip(), seen.calls) == (wanted.reasoning, wanted.content, wanted.calls)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_streams(case: Case) -> None:
    for chunks in cuts(case.text):
        compare(stream(chunks), case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_whole_messages(case: Case) -> None:
    reasoning, text = reasoning_parser().parse_non_stream(case.text)
    content, calls = tool_parser().parse_non_stream(text)
    assert all(call.tool_index == 0 for call in calls), "the tool's place in the request"
    compare(Case("", "", reasoning, content, tuple((call.name, call.parameters) for call in calls)), case)


def test_a_thought_after_a_call_is_found() -> None:
    for chunks in cuts(f"<think>one</think>{CALL}<think>two</think>done"):
        seen = stream(chunks)
        assert (seen.reasoning, seen.content, seen.calls) == ("one\ntwo", "done", (CALLED,))


def test_the_prompt_may_have_opened_the_thought() -> None:
    for chunks in cuts("plan</think>Hi"):
        compare(stream(chunks, force_reasoning=True), Case("", "", "plan", "Hi"))


def test_reasoning_that_is_not_streamed_comes_at_once() -> None:
    parser = reasoning_parser(stream_reasoning=False)
    results = [parser.parse_stream_chunk(chunk) for chunk in ("<think>pl", "an", "</think>Hi")]
    assert results == [("", ""), ("", ""), ("plan", "Hi")]


def test_without_a_reasoning_parser_thoughts_are_text() -> None:
    parser = tool_parser()
    text, calls = parser.parse_stream_chunk(f"<think>plan</think>Hi {CALL}")
    assert (text.strip(), len(calls)) == ("<think>plan</think>Hi", 1)


def test_calls_that_the_request_does_not_allow_are_text() -> None:
    assert stream([CALL], []).content == CALL
    assert stream([REFUSED]).content == REFUSED


def test_required_calls_are_read_in_the_models_format() -> None:
    parser = tool_parser()
    assert parser.owns_tool_format() and parser.get_structure_constraint("required") is None


def test_the_names_are_known_before_arguments_are_read() -> None:
    """The server takes the allowed values of its flags from these tables if their modules are loaded."""
    assert "tagstream" in FunctionCallParser.ToolCallParserEnum and "tagstream" in ReasoningParser.DetectorMap


def test_the_environment_chooses_the_dialect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSTREAM_DIALECT", "glm")
    assert stream([CALL]).calls == ()


def serving(config: Any = None, prompt_opens: bool = False) -> Any:
    """What the server decides with, for a chat template that has this toggle, and may open a thought."""
    chat = OpenAIServingChat.__new__(OpenAIServingChat)
    chat.reasoning_parser, chat._reasoning_detector = "tagstream", reasoning_parser().detector
    chat.template_manager = SimpleNamespace(reasoning_config=config, force_reasoning=prompt_opens)
    chat.tokenizer_manager = SimpleNamespace(tokenizer=stubs.Tokenizer())
    chat._tool_call_parsing_active = lambda request: False
    return chat


def asked(**more: Any) -> Any:
    return ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "Hi"}], **more)


def answer(chat: Any, text: str, request: Any = None) -> tuple[str, str]:
    """The reasoning and the rest of a streamed answer, by the server's own decision."""
    return chat._process_reasoning_stream(0, text, {}, {}, request or asked(), "stop")


def test_a_plain_answer_is_not_reasoning_if_nothing_opens_a_thought() -> None:
    assert answer(serving(), "Hi") == ("", "Hi")
    assert answer(serving(), "<think>plan</think>Hi") == ("plan", "Hi")
    assert answer(serving(prompt_opens=True), "plan</think>Hi") == ("plan", "Hi")


def test_a_profile_may_say_that_every_answer_begins_in_a_thought(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSTREAM_PRESET", "deepseek-r1")
    assert answer(serving(), "plan</think>Hi") == ("plan", "Hi")


def test_a_toggle_of_the_template_counts() -> None:
    toggle = SimpleNamespace(special_case=None, toggle_param="enable_thinking", default_enabled=True)
    off = asked(chat_template_kwargs={"enable_thinking": False})
    assert answer(serving(toggle), "plan</think>Hi") == ("plan", "Hi")
    assert answer(serving(toggle), "Hi", off) == ("", "Hi")


def test_requests_may_turn_thinking_on_and_off() -> None:
    """Requests of Anthropic's format do, also for templates that have no toggle."""
    for is_on, wanted in ((True, ("plan", "Hi")), (False, ("", "Hi"))):
        chat, request = serving(), asked()
        chat.apply_reasoning_enabled(request, is_on)
        assert answer(chat, "<think>plan</think>Hi" if is_on else "Hi", request) == wanted


def test_a_dialect_that_does_not_exist_is_an_error_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAGSTREAM_DIALECT", "foo")
    with pytest.raises(tagstream.ProfileError, match="^TAGSTREAM_DIALECT: `dialect`: unknown dialect `foo`"):
        tool_parser()
