"""Iterators over chunks."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Unpack

from ._tagstream import Filter, Parser
from ._types import Chunk, Event, FilterSettings, ProfileLike, Settings


def events(
    chunks: Iterable[Chunk], profile: ProfileLike | None = None, **settings: Unpack[Settings]
) -> Iterator[Event]:
    """The events of a message that comes in chunks. Settings are those of `Parser`."""
    parser = Parser(profile, **settings)
    return _events(parser, chunks)


def _events(parser: Parser, chunks: Iterable[Chunk]) -> Iterator[Event]:
    for chunk in chunks:
        yield from parser.push(chunk)
    yield from parser.finish()


def aevents(
    chunks: AsyncIterable[Chunk], profile: ProfileLike | None = None, **settings: Unpack[Settings]
) -> AsyncIterator[Event]:
    """As `events`, for an asynchronous iterator."""
    parser = Parser(profile, **settings)
    return _aevents(parser, chunks)


async def _aevents(parser: Parser, chunks: AsyncIterable[Chunk]) -> AsyncIterator[Event]:
    async for chunk in chunks:
        for event in parser.push(chunk):
            yield event
    for event in parser.finish():
        yield event


def filter(
    chunks: Iterable[Chunk], profile: ProfileLike | None = None, **settings: Unpack[FilterSettings]
) -> Iterator[str]:
    """The text that a user should see, live. Settings are those of `Filter`."""
    return _filter(Filter(profile, **settings), chunks)


def _filter(content: Filter, chunks: Iterable[Chunk]) -> Iterator[str]:
    for chunk in chunks:
        if text := content.push(chunk):
            yield text
    if text := content.finish():
        yield text
