"""Clients and transports for `httpx2`: the answers of model providers with thinking and tool calls in their fields."""

import httpx2

from ._http import classes

Client, AsyncClient, Transport, AsyncTransport = classes(httpx2, __name__)

__all__ = ["AsyncClient", "AsyncTransport", "Client", "Transport"]
