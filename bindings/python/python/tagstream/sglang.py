"""The plug-in for SGLang: `--tool-call-parser tagstream --reasoning-parser tagstream`."""

from __future__ import annotations

from ._hosts import NAME


def register() -> None:
    """Makes the parsers known to SGLang, which calls this before it reads its arguments."""
    from . import _sglang

    _sglang.FunctionCallParser.ToolCallParserEnum[NAME] = _sglang.TagstreamToolDetector
    _sglang.ReasoningParser.DetectorMap[NAME] = _sglang.TagstreamReasoningDetector
