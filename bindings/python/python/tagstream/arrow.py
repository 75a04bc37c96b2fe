"""Columns of texts, read at once: any Arrow library goes in and out, and none is required."""

from __future__ import annotations

from ._tagstream import Messages
from ._tagstream import arrow_parse as parse

__all__ = ["Messages", "parse"]
