from typing import Any

import httpx2 as http

from ._types import HttpSettings
from typing import Unpack

__all__ = ["AsyncClient", "AsyncTransport", "Client", "Transport"]

class Client(http.Client):
    def __init__(self, **arguments: Any) -> None: ...

class AsyncClient(http.AsyncClient):
    def __init__(self, **arguments: Any) -> None: ...

class Transport(http.BaseTransport):
    def __init__(self, transport: http.BaseTransport | None = None, **settings: Unpack[HttpSettings]) -> None: ...

class AsyncTransport(http.AsyncBaseTransport):
    def __init__(self, transport: http.AsyncBaseTransport | None = None, **settings: Unpack[HttpSettings]) -> None: ...
