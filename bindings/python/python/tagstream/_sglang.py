"""The parsers for SGLang, which gives the text that the reasoning parser leaves to the tool parser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem
from sglang.srt.function_call.function_call_parser import FunctionCallParser

try:
    from sglang.srt.parser import reasoning_parser
except ImportError:
    from sglang.srt import reasoning_parser

from ._hosts import Parts, Reader, profile_for, with_tools
from ._tagstream import Profile

__all__ = ["FunctionCallParser", "ReasoningParser", "TagstreamReasoningDetector", "TagstreamToolDetector"]

ReasoningParser = reasoning_parser.ReasoningParser
ReasoningResult = reasoning_parser.StreamingParseResult


class TagstreamToolDetector(BaseFormatDetector):  # type: ignore[misc]
    """Finds tool calls; each is sent once it is complete and valid."""

    def __init__(self, tokenizer: Any = None) -> None:
        super().__init__()
        self._profile = Profile(profile_for(getattr(tokenizer, "name_or_path", None)), starts_open=False)
        self._reader: Reader | None = None
        self._calls = 0

    def has_tool_call(self, text: str) -> bool:
        whole = Reader(self._profile, raw_thoughts=True).whole(text)
        return bool(whole.calls) or whole.content != text

    def detect_and_parse(self, text: str, tools: Sequence[Any]) -> Any:
        parts = self._new_reader(tools).whole(text)
        places = self._get_tool_indices(tools)
        calls = [
            ToolCallItem(tool_index=places.get(call.name, -1), name=call.name, parameters=call.arguments_json)
            for call in parts.calls
        ]
        return StreamingParseResult(normal_text=parts.content, calls=calls)

    def parse_streaming_increment(self, new_text: str, tools: Sequence[Any]) -> Any:
        if self._reader is None:
            self._reader = self._new_reader(tools)
        return self._result(self._reader.push(new_text))

    def finish(self, tools: Sequence[Any]) -> Any:
        return self._result(self._reader.finish() if self._reader else Parts())

    def _new_reader(self, tools: Sequence[Any]) -> Reader:
        return Reader(with_tools(self._profile, tools), raw_thoughts=True)

    def _result(self, parts: Parts) -> Any:
        calls = [
            ToolCallItem(tool_index=number, name=call.name, parameters=call.arguments_json)
            for number, call in enumerate(parts.calls, self._calls)
        ]
        self._calls += len(calls)
        return StreamingParseResult(normal_text=parts.content, calls=calls)

    def supports_structural_tag(self) -> bool:
        return False

    def parses_required_natively(self) -> bool:
        return True

    def structure_info(self) -> Any:
        raise NotImplementedError("tagstream reads the model's own format and does not constrain it")


class TagstreamReasoningDetector(reasoning_parser.BaseReasoningFormatDetector):  # type: ignore[misc]
    """Finds thoughts, and leaves calls to the tool parser."""

    def __init__(
        self,
        stream_reasoning: bool = True,
        force_reasoning: bool | None = None,
        continue_final_message: bool = False,
        previous_content: str = "",
        force_nonempty_content: bool = False,
        tokenizer: Any = None,
    ) -> None:
        profile = profile_for(getattr(tokenizer, "name_or_path", None))
        opener, closer = next(iter(profile.thinking_markers), ("<think>", "</think>"))
        super().__init__(
            opener,
            closer,
            force_reasoning=bool(force_reasoning),
            stream_reasoning=stream_reasoning,
            continue_final_message=continue_final_message,
            previous_content=previous_content,
        )
        # SGLang forces reasoning in every answer with "always", which is its own default. With the other, it does so
        # for requests that turn thinking on, which it refuses if there is no mode at all. Chat templates come first.
        self.reasoning_default = "always" if profile.starts_open else "explicit_enable_thinking"
        # The message may continue one that has decided it.
        is_known = force_reasoning is not None or continue_final_message
        starts_open = self._in_reasoning if is_known else None
        self._profile = Profile(profile, starts_open=starts_open)
        self._reader = Reader(self._profile, raw_calls=True)
        self._waiting = ""  # reasoning that is not streamed
        self._all = ""  # reasoning that becomes the content if there is no other
        self._needs_content = force_nonempty_content

    def detect_and_parse(self, text: str) -> Any:
        parts = Reader(self._profile, raw_calls=True).whole(text)
        if self._needs_content and not parts.content:
            return ReasoningResult(normal_text=parts.reasoning)
        return ReasoningResult(normal_text=parts.content, reasoning_text=parts.reasoning)

    def parse_streaming_increment(self, new_text: str) -> Any:
        return self._result(self._reader.push(new_text))

    def finish(self) -> Any:
        parts = self._reader.finish()
        if self._needs_content and not parts.content:
            return ReasoningResult(normal_text=self._all + parts.reasoning)
        return self._result(parts, is_last=True)

    def _result(self, parts: Parts, is_last: bool = False) -> Any:
        if parts.content:
            self._needs_content = False
        if self._needs_content:
            self._all += parts.reasoning
        reasoning = self._waiting + parts.reasoning
        waits = not (self.stream_reasoning or parts.content or is_last)
        self._waiting = reasoning if waits else ""
        return ReasoningResult(normal_text=parts.content, reasoning_text="" if waits else reasoning)
