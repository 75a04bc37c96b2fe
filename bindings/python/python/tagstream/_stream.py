"""Iterators over chunks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable
from typing import Any, TypeVar, Unpack

from ._tagstream import Filter, Parser
from ._types import Chunk, Event, FilterSettings, ProfileLike, Settings

T = TypeVar("T")


def events(
    chunks: Iterable[Chunk], profile: ProfileLike | None = None, **settings: Unpack[Settings]
) -> Generator[Event, None, None]:
    """The events of a message that comes in chunks. Settings are those of `Parser`."""
    parser = Parser(profile, **settings)
    return _read(parser.push, parser.finish, chunks)


def aevents(
    chunks: AsyncIterable[Chunk], profile: ProfileLike | None = None, **settings: Unpack[Settings]
) -> AsyncGenerator[Event, None]:
    """As `events`, for an asynchronous iterator."""
    parser = Parser(profile, **settings)
    return _aread(parser, chunks)


def filter(
    chunks: Iterable[Chunk], profile: ProfileLike | None = None, **settings: Unpack[FilterSettings]
) -> Generator[str, None, None]:
    """The text that a user should see, live. Settings are those of `Filter`."""
    content = Filter(profile, **settings)
    return _read(lambda chunk: _some(content.push(chunk)), lambda: _some(content.finish()), chunks)


def _some(text: str) -> list[str]:
    return [text] if text else []


# What is held comes before an error of the source. A source that is not read to its end is closed: one that waits
# for a server would stay open until it is collected.


def _read(
    push: Callable[[Chunk], list[T]], finish: Callable[[], list[T]], chunks: Iterable[Chunk]
) -> Generator[T, None, None]:
    source: Any = iter(chunks)
    is_read = False
    try:
        for chunk in source:
            yield from push(chunk)
        is_read = True
    except Exception:
        yield from finish()
        raise
    finally:
        if not is_read and hasattr(source, "close"):
            source.close()
    yield from finish()


async def _aread(parser: Parser, chunks: AsyncIterable[Chunk]) -> AsyncGenerator[Event, None]:
    source: Any = aiter(chunks)
    is_read = False
    try:
        async for chunk in source:
            for event in parser.push(chunk):
                yield event
        is_read = True
    except Exception:
        for event in parser.finish():
            yield event
        raise
    finally:
        if not is_read and hasattr(source, "aclose"):
            await source.aclose()
    for event in parser.finish():
        yield event
