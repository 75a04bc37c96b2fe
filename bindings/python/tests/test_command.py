"""The command that comes with the wheel, also on a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import tagstream

COMMAND = str(Path(sys.executable).with_name("tagstream"))


def test_the_command_comes_with_the_wheel() -> None:
    command = Path(sys.executable).with_name("tagstream")
    for call in ([str(command)], [sys.executable, "-m", "tagstream"]):
        version = subprocess.run([*call, "--version"], capture_output=True, text=True, check=True)
        assert version.stdout.strip().startswith("tagstream ")
        filtered = subprocess.run([*call, "filter"], input=b"<think>a</think>b", capture_output=True, check=True)
        assert filtered.stdout == b"b"
        assert subprocess.run([*call, "nothing"], capture_output=True).returncode == 2


def test_errors_of_profiles_have_the_texts_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    for toml in ["[thinking]\nmode = 'loud'", "thinking = 5", "[thinking]\ntags = ['a b']", "[calls]\nx = 1", "]", "a ="]:
        path.write_text(toml)
        with pytest.raises(tagstream.ProfileError) as caught:
            tagstream.Profile(path)
        told = subprocess.run([COMMAND, "filter", "--profile", path], input=b"", capture_output=True, text=False)
        assert told.returncode == 2
        assert told.stderr.decode().removeprefix("tagstream: ").startswith(str(caught.value)), told.stderr


def on_terminal(*arguments: str | Path) -> str:
    """What a command shows on a terminal."""
    ours, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    child = subprocess.Popen([COMMAND, *arguments], stdin=its, stdout=its, stderr=its, env=environment)
    os.close(its)
    seen = b""
    while True:
        try:
            new = os.read(ours, 4096)
        except OSError:  # Linux reports the end of a terminal so
            new = b""
        if not new:
            break
        seen += new
    os.close(ours)
    assert child.wait() == 0, seen
    return seen.decode()


def test_batch_shows_its_progress_on_a_terminal(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    with source.open("w") as lines:
        for number in range(4_000):
            lines.write(json.dumps({"id": number, "answer": "<think>plan</think>" + "some words " * 200}) + "\n")
        lines.write("not JSON\n")
    seen = on_terminal("batch", source, "-o", tmp_path / "out.jsonl", "--field", "answer")
    assert "/s" in seen and " left, " in seen and " records" in seen
    bar, _, summary = seen.rpartition("\x1b[")
    assert f"{source}:4001: " in bar, "a bad record is reported above the bar"
    assert "left" not in summary and "1 file, 4001 records, 1 of them bad" in summary
