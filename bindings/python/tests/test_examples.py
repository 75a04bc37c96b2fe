"""The examples, and the code of the guide, run."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
from replay import THOUGHT, Server

HERE = Path(__file__).parents[1]
GUIDE = HERE.parents[1] / "docs" / "python.md"
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL) if GUIDE.exists() else []


def test_stream(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(HERE / "examples" / "stream.py"), run_name="__main__")
    out, err = capsys.readouterr()
    assert out == "One moment. \nwait({'seconds': 5})\n" and err == "He wants a pause.\n"


def test_openai_sdk(server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["", server.url + "/v1", "Hi"])
    runpy.run_path(str(HERE / "examples" / "openai_sdk.py"), run_name="__main__")
    out, err = capsys.readouterr()
    assert out.startswith("Let me see: 5 < 6.") and err == THOUGHT


def test_readme() -> None:
    (block,) = re.findall(r"```python\n(.*?)```", (HERE / "README.md").read_text(), re.DOTALL)
    exec(block, {})


@pytest.mark.parametrize("block", [b for b in BLOCKS if "# not run" not in b], ids=lambda block: block.split("\n")[0])
def test_guide(block: str, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block of the guide runs on its own, with the names that it takes for granted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profile.toml").write_text("[thinking]\ntags = ['think']\n")
    names: dict[str, Any] = {
        "chunks": ["<thi", "nk>plan</think>5 <", " 6"],
        "text": "<think>plan</think>5 < 6",
        "url": server.url,
        "tools": [{"name": "wait", "parameters": {"type": "object", "properties": {"seconds": {"type": "integer"}}}}],
    }
    exec("import tagstream", names)
    exec(block, names)
