"""The types that the functions of the package have in common."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from ._tagstream import (
    Element,
    ElementDelta,
    ElementStart,
    Notice,
    Profile,
    Skip,
    Text,
    Thought,
    ThoughtEnd,
    ThoughtStart,
    ToolCall,
    ToolCallDelta,
    ToolCallError,
    ToolCallStart,
)

Event: TypeAlias = (
    Text
    | ThoughtStart
    | Thought
    | ThoughtEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolCall
    | ToolCallError
    | ElementStart
    | ElementDelta
    | Element
    | Notice
    | Skip
)
Chunk: TypeAlias = str | bytes | bytearray | memoryview
Format: TypeAlias = Literal["auto", "text", "openai", "responses", "anthropic", "gemini", "ollama"]
ProfileLike: TypeAlias = Profile | str | os.PathLike[str] | Mapping[str, Any]
Tools: TypeAlias = str | bytes | Sequence[Any] | Mapping[str, Any]


class Settings(TypedDict, total=False):
    """What markup counts: at most one of `preset`, `model` and a profile, and what changes it."""

    preset: str | None
    model: str | None
    dialect: str | Sequence[str] | None
    tools: Tools | None
    starts_open: bool | None


class FilterSettings(Settings, total=False):
    """The settings of a `Filter`."""

    show_thinking: bool
    show: Sequence[str]
    hide: Sequence[str]


class RewriteSettings(Settings, total=False):
    """The settings of a `Rewriter`."""

    thinking: Literal["move", "hide", "keep"]
    refused: Literal["show", "drop"]
    calls: Literal["whole", "stream"]
    reasoning_field: str | None


class HttpSettings(RewriteSettings, total=False):
    """The settings of an HTTP client or transport."""

    profile: ProfileLike | None
