"""Stands in for packages that are not installed, so that others can be imported that need only their names."""

from __future__ import annotations

import sys
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any


class AnyName(type):
    """Whatever a stubbed package is asked for: a class to inherit from, a decorator, a type, a version."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return any_name(name)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and callable(args[0]) and not kwargs:
            return args[0]
        return super().__call__()

    def __or__(cls, other: Any) -> Any:
        return cls

    __ror__ = __getitem__ = __or__

    def __ge__(cls, other: Any) -> bool:
        return True

    __gt__ = __le__ = __lt__ = __ge__


def any_name(name: str) -> Any:
    def is_any(cls: type, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()

    members: dict[str, Any] = {
        "__init__": lambda self, *args, **kwargs: None,
        "__init_subclass__": classmethod(lambda cls, **kwargs: None),
        "__getattr__": lambda self, name: any_name(name),
        "__call__": lambda self, *args, **kwargs: args[0] if len(args) == 1 and callable(args[0]) else self,
        "__get_pydantic_core_schema__": classmethod(is_any),
    }
    return AnyName(name, (object,), members)


class StubModule(types.ModuleType):
    __path__: list[str] = []
    __version__ = "99"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = any_name(name)
        setattr(self, name, value)
        return value


class Finder(MetaPathFinder, Loader):
    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if any(fullname == name or fullname.startswith(name + ".") for name in self.names):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return StubModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def install(*names: str) -> None:
    sys.meta_path.insert(0, Finder(names))


class Tokenizer:
    """A tokenizer whose tokens are single characters, except for those of thinking and the end of a turn."""

    name_or_path = "Qwen/Qwen3-8B"
    special = ("<think>", "</think>", "<|im_end|>")
    all_special_ids = (0x200002,)

    def get_vocab(self) -> dict[str, int]:
        return {token: 0x200000 + place for place, token in enumerate(self.special)}

    def encode(self, text: str, **options: Any) -> list[int]:
        ids: list[int] = []
        while text:
            token = next((token for token in self.special if text.startswith(token)), text[0])
            ids.append(self.get_vocab().get(token, ord(text[0])))
            text = text[len(token) :]
        return ids
