"""Clients and transports for `httpx`: the answers of model providers with thinking and tool calls in their fields."""

import httpx

from ._http import classes

Client, AsyncClient, Transport, AsyncTransport = classes(httpx, __name__)

__all__ = ["AsyncClient", "AsyncTransport", "Client", "Transport"]
