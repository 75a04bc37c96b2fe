"""What the plug-ins for inference servers have in common."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ._errors import ProfileError
from ._tagstream import (
    Notice,
    Parser,
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
from ._types import Event

NAME = "tagstream"
VARIABLES = ("TAGSTREAM_PROFILE", "TAGSTREAM_PRESET", "TAGSTREAM_DIALECT")
_VARIABLE_OF = {"preset": "TAGSTREAM_PRESET", "dialect": "TAGSTREAM_DIALECT"}

# What a profile removes, apart from the markup of calls and elements.
_REMOVED = frozenset({"hidden", "empty_section", "marker", "orphan_close", "tag", "white_space"})


def profile_for(*models: str | None) -> Profile:
    """The profile that the environment names, or that of the first model that is known."""
    return _profile(models, *(os.environ.get(name) or None for name in VARIABLES))


@lru_cache(maxsize=32)
def _profile(models: tuple[str | None, ...], path: str | None, preset: str | None, names: str | None) -> Profile:
    found = [name.strip() for name in (names or "").split(",") if name.strip()]
    dialect = found[0] if len(found) == 1 else found or None
    try:
        return _load(models, path, preset, dialect)
    except ProfileError as error:
        variable = _VARIABLE_OF.get((error.key or "").split("[")[0])
        if variable is None:
            raise
        raise ProfileError(f"{variable}: {error}", error.key) from None


def _load(
    models: tuple[str | None, ...], path: str | None, preset: str | None, dialect: str | list[str] | None
) -> Profile:
    if path:
        return Profile(Path(path), dialect=dialect)
    if preset:
        return Profile(preset=preset, dialect=dialect)
    for model in filter(None, models):
        try:
            return Profile(model=model, dialect=dialect)
        except ProfileError as error:
            if error.key != "model":
                raise
    return Profile(dialect=dialect or "auto")


def with_tools(profile: Profile, tools: Sequence[Any] | None) -> Profile:
    """The profile for a request with these tools; without any, it has no calls."""
    if not tools:
        return profile.without_calls()
    return Profile(profile, tools=[tool if isinstance(tool, dict) else tool.model_dump() for tool in tools])


@dataclass(slots=True)
class Parts:
    """What a chunk has added to a message."""

    content: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)


class Reader:
    """Sorts a message into the fields that servers have.

    A server with two parsers gives what the first leaves to the second: `raw_calls` leaves calls in
    the content as they were written, `raw_thoughts` thoughts.
    """

    def __init__(self, profile: Profile, *, raw_calls: bool = False, raw_thoughts: bool = False) -> None:
        self._parser = Parser(profile)
        self._raw_calls, self._raw_thoughts = raw_calls, raw_thoughts
        self._unread = b""  # of the message, from byte `_at` on
        self._at = 0
        self._refused = -1
        self._has_thought = False
        self.closer_without_opener: str | None = None
        """The first closing tag that closes nothing, if no thought came before it."""

    def push(self, text: str) -> Parts:
        self._unread += text.encode(errors="surrogatepass")
        return self._parts(self._parser.push(text))

    def finish(self) -> Parts:
        return self._parts(self._parser.finish())

    def whole(self, text: str) -> Parts:
        """A message that is complete."""
        first, rest = self.push(text), self.finish()
        return Parts(first.content + rest.content, first.reasoning + rest.reasoning, first.calls + rest.calls)

    @property
    def rest(self) -> str:
        """The end of the message so far that is in no part yet."""
        return self._unread.decode(errors="replace")

    def _parts(self, events: Iterable[Event]) -> Parts:
        parts, content = Parts(), []
        for event in events:
            content.append(self._take(event, parts))
        parts.content = "".join(content)
        return parts

    def _take(self, event: Event, parts: Parts) -> str:
        """Adds an event to the parts, and returns what it is of the content."""
        raw = self._raw(event)
        match event:
            case Text(text):
                return text
            case ThoughtStart() | Thought() | ThoughtEnd():
                return raw if self._raw_thoughts else self._think(event, parts)
            case ToolCallStart() | ToolCallDelta() | ToolCall() | ToolCallError():
                return raw if self._raw_calls else self._call(event, parts)
            case Skip("call" | "wrapper"):
                return raw if self._raw_calls else ""
            case Skip(reason):
                if reason == "orphan_close" and not self._has_thought and self.closer_without_opener is None:
                    self.closer_without_opener = raw
                return "" if reason in _REMOVED and not self._raw_thoughts else raw
            case Notice():
                return ""
        return raw

    def _raw(self, event: Event) -> str:
        """The bytes of the message that an event accounts for."""
        if event.span is None:
            return ""
        end = event.span[1] - self._at
        raw, self._unread, self._at = self._unread[:end], self._unread[end:], event.span[1]
        return raw.decode(errors="replace")

    def _think(self, event: Event, parts: Parts) -> str:
        match event:
            case ThoughtStart() if self._has_thought:
                parts.reasoning += "\n"
            case Thought(text):
                parts.reasoning += text
                self._has_thought = True
        return ""

    def _call(self, event: Event, parts: Parts) -> str:
        """A refused call is text, so that nothing is lost; one that was cut off is shown to nobody."""
        match event:
            case ToolCall():
                parts.calls.append(event)
            case ToolCallError(index, _, code, _, _, raw) if index != self._refused:
                self._refused = index
                return "" if code == "incomplete_call" else raw
        return ""
