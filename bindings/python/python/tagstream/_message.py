"""Whole messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import Notice, ToolCall


@dataclass(frozen=True, slots=True)
class Message:
    """A complete message; of a provider's stream, one choice."""

    content: str
    thoughts: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    notices: tuple[Notice, ...] = ()
    choice: int = 0
    finish_reason: str | None = None
    usage: dict[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A tool call that has begun, as far as it has come: to be shown, not to be acted on.

    `arguments` has the text of each argument so far; `json` the text of all of them, in dialects
    whose arguments are JSON.
    """

    index: int
    id: str
    name: str
    arguments: dict[str, str] = field(hash=False)
    json: str | None
