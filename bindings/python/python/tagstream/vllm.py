"""The plug-in for vLLM: `--tool-call-parser tagstream --reasoning-parser tagstream`."""

from __future__ import annotations

import importlib
from typing import Any

from ._hosts import NAME

PARSERS = "tagstream._vllm"


def register() -> None:
    """Makes the parsers known to vLLM, which calls this in each of its processes."""
    tools = find("ToolParserManager", "vllm.tool_parsers", "vllm.entrypoints.openai.tool_parsers")
    reasoning = find("ReasoningParserManager", "vllm.reasoning")
    for manager, name in ((tools, "TagstreamToolParser"), (reasoning, "TagstreamReasoningParser")):
        if hasattr(manager, "register_lazy_module"):
            manager.register_lazy_module(NAME, PARSERS, name)
        else:
            manager.register_module(NAME, force=True, module=getattr(importlib.import_module(PARSERS), name))


def find(name: str, *modules: str) -> Any:
    """A member of the first module that has it: vLLM has moved its parsers several times."""
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise ImportError(f"this version of vLLM has no {name} in {' or '.join(modules)}")
