"""JSON: of what callers pass, and of what models write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any


def dumps(value: object) -> str:
    """The text of a value, in which any mapping and any sequence counts."""
    return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def loads(text: str) -> Any:
    """The value of a text. Python refuses to read integers of thousands of digits; a model may write them."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(text, parse_int=_number)


def _number(digits: str) -> int | Decimal:
    try:
        return int(digits)
    except ValueError:
        return Decimal(digits)
