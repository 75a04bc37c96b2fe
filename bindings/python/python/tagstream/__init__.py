"""Streaming parser for the markup that language models put in their output."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._errors import ProfileError
from ._message import Message, OpenCall
from ._stream import aevents, events, filter
from ._tagstream import (
    Element,
    ElementDelta,
    ElementPart,
    ElementStart,
    Filter,
    Finish,
    Notice,
    Parser,
    Profile,
    Rewriter,
    Session,
    Skip,
    Text,
    Thought,
    ThoughtEnd,
    ThoughtStart,
    ToolCall,
    ToolCallDelta,
    ToolCallError,
    ToolCallStart,
    Usage,
    __version__,
    aggregate,
    parse,
    presets,
    strip,
)
from ._types import Chunk, Event, ProfileLike, Settings

if TYPE_CHECKING:
    from . import arrow, httpx, httpx2

# The clients need packages that this one does not require.
_ON_DEMAND = ("arrow", "httpx", "httpx2")


def __getattr__(name: str) -> object:
    if name in _ON_DEMAND:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Chunk",
    "Element",
    "ElementDelta",
    "ElementPart",
    "ElementStart",
    "Event",
    "Filter",
    "Finish",
    "Message",
    "Notice",
    "OpenCall",
    "Parser",
    "Profile",
    "ProfileError",
    "ProfileLike",
    "Rewriter",
    "Session",
    "Settings",
    "Skip",
    "Text",
    "Thought",
    "ThoughtEnd",
    "ThoughtStart",
    "ToolCall",
    "ToolCallDelta",
    "ToolCallError",
    "ToolCallStart",
    "Usage",
    "__version__",
    "aevents",
    "aggregate",
    "events",
    "filter",
    "parse",
    "presets",
    "strip",
]
