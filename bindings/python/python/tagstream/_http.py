"""HTTP clients whose answers are rewritten, for any package with the interface of `httpx`."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

from ._tagstream import Plan, Rewriter
from ._types import HttpSettings

DROPPED_HEADERS = ("content-encoding", "content-length", "transfer-encoding")


def classes(http: Any, module: str) -> tuple[Any, Any, Any, Any]:
    """The classes `Client`, `AsyncClient`, `Transport` and `AsyncTransport` for the package `http`."""

    class Body(http.SyncByteStream):  # type: ignore[misc]
        """The body of an answer, rewritten while it is read."""

        def __init__(self, response: Any, rewriter: Rewriter) -> None:
            self.response, self.rewriter, self.answer = response, rewriter, None

        def __iter__(self) -> Iterator[bytes]:
            try:
                for chunk in self.response.iter_bytes():
                    if out := self.rewriter.push(chunk):
                        yield out
            except Exception:
                yield self.rewriter.finish()  # what is held; it contains no end of its own
                raise
            yield self.rewriter.finish()

        def close(self) -> None:
            self.response.close()
            take_time(self.response, self.answer)

    class AsyncBody(http.AsyncByteStream):  # type: ignore[misc]
        """As `Body`, for an asynchronous client."""

        def __init__(self, response: Any, rewriter: Rewriter) -> None:
            self.response, self.rewriter, self.answer = response, rewriter, None

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for chunk in self.response.aiter_bytes():
                    if out := self.rewriter.push(chunk):
                        yield out
            except Exception:
                yield self.rewriter.finish()  # what is held; it contains no end of its own
                raise
            yield self.rewriter.finish()

        async def aclose(self) -> None:
            await self.response.aclose()
            take_time(self.response, self.answer)

    def rewritten(request: Any, response: Any, body: Any) -> Any:
        """The answer with another body, which is not compressed and has no known length."""
        headers = [(name, value) for name, value in response.headers.raw if name.decode().lower() not in DROPPED_HEADERS]
        answer = http.Response(
            response.status_code,
            headers=headers,
            stream=body,
            request=request,
            extensions=response.extensions,
            history=response.history,
            default_encoding=response.default_encoding,
        )
        answer.next_request = response.next_request
        body.answer = answer
        return answer

    def rewriter(plan: Plan, request: Any, response: Any) -> Rewriter | None:
        if not response.is_success:
            return None
        return plan.rewriter(request.url.path, request.content)

    class Transport(http.BaseTransport):  # type: ignore[misc]
        """Sends requests through another transport, and rewrites the answers."""

        def __init__(self, transport: Any = None, **settings: Any) -> None:
            self._plan = Plan(**settings)
            self._transport = transport or http.HTTPTransport()

        def handle_request(self, request: Any) -> Any:
            if not Plan.applies_to(request.url.path):
                return self._transport.handle_request(request)
            request.read()
            response = self._transport.handle_request(request)
            found = rewriter(self._plan, request, response)
            return response if found is None else rewritten(request, response, Body(response, found))

        def close(self) -> None:
            self._transport.close()

    class AsyncTransport(http.AsyncBaseTransport):  # type: ignore[misc]
        """As `Transport`, for an asynchronous client."""

        def __init__(self, transport: Any = None, **settings: Any) -> None:
            self._plan = Plan(**settings)
            self._transport = transport or http.AsyncHTTPTransport()

        async def handle_async_request(self, request: Any) -> Any:
            if not Plan.applies_to(request.url.path):
                return await self._transport.handle_async_request(request)
            await request.aread()
            response = await self._transport.handle_async_request(request)
            found = rewriter(self._plan, request, response)
            return response if found is None else rewritten(request, response, AsyncBody(response, found))

        async def aclose(self) -> None:
            await self._transport.aclose()

    # A client of its own transport would lose its proxies and certificates: `send` sees what comes
    # through any of them.
    class Client(http.Client):  # type: ignore[misc]
        """A client whose answers are rewritten. Its other arguments are those of the package's client."""

        def __init__(self, **arguments: Any) -> None:
            self._plan = Plan(**taken(arguments))
            super().__init__(**arguments)

        def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
            if not Plan.applies_to(request.url.path):
                return super().send(request, stream=stream, **options)
            request.read()
            response = super().send(request, stream=True, **options)
            found = rewriter(self._plan, request, response)
            if found is not None:
                response = rewritten(response.request, response, Body(response, found))
            if not stream:
                try:
                    response.read()
                finally:
                    response.close()
            return response

    class AsyncClient(http.AsyncClient):  # type: ignore[misc]
        """As `Client`, asynchronous."""

        def __init__(self, **arguments: Any) -> None:
            self._plan = Plan(**taken(arguments))
            super().__init__(**arguments)

        async def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
            if not Plan.applies_to(request.url.path):
                return await super().send(request, stream=stream, **options)
            await request.aread()
            response = await super().send(request, stream=True, **options)
            found = rewriter(self._plan, request, response)
            if found is not None:
                response = rewritten(response.request, response, AsyncBody(response, found))
            if not stream:
                try:
                    await response.aread()
                finally:
                    await response.aclose()
            return response

    made = (Client, AsyncClient, Transport, AsyncTransport)
    for item in made:
        item.__module__, item.__qualname__ = module, item.__name__
    return made


def take_time(response: Any, answer: Any) -> None:
    """A client measures how long its own response took: the one that is made from it gets the same time."""
    with contextlib.suppress(RuntimeError):  # a transport measures nothing; its client will
        answer.elapsed = response.elapsed


def taken(arguments: dict[str, Any]) -> dict[str, Any]:
    """Takes the settings of a plan out of the arguments of a client."""
    return {key: arguments.pop(key) for key in HttpSettings.__optional_keys__ & arguments.keys()}
