"""The parsers for vLLM.

vLLM gives a message to the reasoning parser until that reports the end of the reasoning, and the rest
to the tool parser. So the reasoning parser reads up to the first text or call, and hands over what it
has not used as it was written. The tool parser reads everything after it, later thoughts included.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from ._hosts import Parts, Reader, profile_for, with_tools
from ._tagstream import Profile, ToolCall
from .vllm import find

ToolParser = find("ToolParser", "vllm.tool_parsers.abstract_tool_parser", "vllm.tool_parsers",
                  "vllm.entrypoints.openai.tool_parsers")  # fmt: skip
ReasoningParser = find("ReasoningParser", "vllm.reasoning.abs_reasoning_parsers", "vllm.reasoning")
PROTOCOL = (
    "vllm.entrypoints.generate.base.protocol",
    "vllm.entrypoints.openai.engine.protocol",
    "vllm.entrypoints.openai.protocol",
)
DeltaMessage = find("DeltaMessage", *PROTOCOL)
DeltaToolCall = find("DeltaToolCall", *PROTOCOL)
DeltaFunctionCall = find("DeltaFunctionCall", *PROTOCOL)
ExtractedToolCallInformation = find("ExtractedToolCallInformation", *PROTOCOL)
FunctionCall = find("FunctionCall", *PROTOCOL)
ServerToolCall = find("ToolCall", *PROTOCOL)
REASONING_FIELD = "reasoning" if "reasoning" in DeltaMessage.model_fields else "reasoning_content"


def call_id(call: ToolCall) -> str:
    """The model's own id, or a new one: those made from a number are not unique in a conversation."""
    return f"call_{uuid.uuid4().hex[:24]}" if call.id == f"call_{call.index}" else call.id


def delta(parts: Parts, first_call: int = 0) -> Any:
    """A delta with these parts; None if there is nothing in it."""
    if not (parts.content or parts.reasoning or parts.calls):
        return None
    message = DeltaMessage(content=parts.content or None, **{REASONING_FIELD: parts.reasoning or None})
    message.tool_calls = [
        DeltaToolCall(
            id=call_id(call),
            type="function",
            index=number,
            function=DeltaFunctionCall(name=call.name, arguments=call.arguments_json),
        )
        for number, call in enumerate(parts.calls, first_call)
    ]
    return message


def keep_special_tokens(request: Any) -> Any:
    """Tags that are special tokens of the model have to reach the parser."""
    if hasattr(request, "skip_special_tokens"):
        request.skip_special_tokens = False
    return request


class TagstreamToolParser(ToolParser):  # type: ignore[misc, valid-type]
    """Finds tool calls; each is sent once it is complete and valid."""

    supports_required_and_named = False
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        try:
            super().__init__(tokenizer, tools)
        except TypeError:  # before vLLM knew the tools here
            super().__init__(tokenizer)
        self._profile = Profile(profile_for(getattr(tokenizer, "name_or_path", None)), starts_open=False)
        self._reader: Reader | None = None
        self._calls = 0

    def adjust_request(self, request: Any) -> Any:
        return keep_special_tokens(super().adjust_request(request))

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        parts = Reader(self._profile_for(request), raw_thoughts=True).whole(model_output)
        calls = [
            ServerToolCall(id=call_id(call), function=FunctionCall(name=call.name, arguments=call.arguments_json))
            for call in parts.calls
        ]
        return ExtractedToolCallInformation(tools_called=bool(calls), tool_calls=calls, content=parts.content or None)

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        if self._reader is None:
            self._reader = Reader(self._profile_for(request))
        return self._delta(self._reader.push(delta_text))

    def finish_streaming(self) -> Any:
        return self._delta(self._reader.finish()) if self._reader else None

    def _profile_for(self, request: Any) -> Profile:
        tools = None if getattr(request, "tool_choice", None) == "none" else request.tools
        return with_tools(self._profile, tools)

    def _delta(self, parts: Parts) -> Any:
        first, self._calls = self._calls, self._calls + len(parts.calls)
        return delta(parts, first)


class TagstreamReasoningParser(ReasoningParser):  # type: ignore[misc, valid-type]
    """Finds thoughts, and leaves calls to the tool parser."""

    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
        model = getattr(kwargs.get("model_config"), "model", None)
        self._profile = profile_for(model, getattr(tokenizer, "name_or_path", None))
        self._reader: Reader | None = Reader(self._profile, raw_calls=True)
        self._has_ended = False
        markers = self._profile.thinking_markers
        self._openers = self._ids(opener for opener, _ in markers)
        self._closers = self._ids(closer for _, closer in markers)
        self._others = frozenset(getattr(tokenizer, "all_special_ids", ())) - self._openers - self._closers

    def _ids(self, markers: Iterable[str]) -> frozenset[int]:
        return frozenset(self.vocab[marker] for marker in markers if marker in self.vocab)

    @property
    def reasoning_start_str(self) -> str | None:
        return next((opener for opener, _ in self._profile.thinking_markers), None)

    @property
    def reasoning_end_str(self) -> str | None:
        return next((closer for _, closer in self._profile.thinking_markers), None)

    def adjust_request(self, request: Any) -> Any:
        return keep_special_tokens(super().adjust_request(request))

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        reader = Reader(self._profile, raw_calls=True)
        parts = reader.whole(model_output)
        if any(reader.closer_without_opener == closer for _, closer in self._profile.thinking_markers):
            # The prompt, which is not shown here, has opened the thought.
            parts = Reader(Profile(self._profile, starts_open=True), raw_calls=True).whole(model_output)
        return parts.reasoning or None, parts.content or None

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> Any:
        if self._reader is None:
            return delta(Parts(content=delta_text))
        parts = self._reader.push(delta_text)
        if parts.content:
            parts.content += self._reader.rest
            self._reader, self._has_ended = None, True
        return delta(parts)

    def finish_streaming(self) -> Any:
        return delta(self._reader.finish()) if self._reader else None

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self._has_ended

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        # A marker in the text of a user is followed by the special tokens that end it.
        ids = [token for token in prompt_token_ids if token in self._openers | self._closers | self._others]
        opened = bool(ids) and ids[-1] in self._openers
        self._reader = Reader(Profile(self._profile, starts_open=opened), raw_calls=True)

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        return self._last_marker(input_ids) in self._closers

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        places = [place for place, token in enumerate(input_ids) if token in self._closers]
        return input_ids[places[-1] + 1 :] if places else []

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        count, is_open = 0, False
        for token in token_ids:
            if token in self._openers or token in self._closers:
                is_open = token in self._openers
            elif is_open:
                count += 1
        return count

    def _last_marker(self, ids: Sequence[int]) -> int | None:
        return next((token for token in reversed(ids) if token in self._openers or token in self._closers), None)

    # Their names in older versions.
    extract_reasoning_content = extract_reasoning
    extract_reasoning_content_streaming = extract_reasoning_streaming
