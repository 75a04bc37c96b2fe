"""Every case in `cases/`, in the given chunks, whole, byte by byte, and at random cuts."""

from __future__ import annotations

from typing import Any

import cases
import pytest
import tagstream
from hypothesis import given, settings
from hypothesis import strategies as st

CASES = cases.all_cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    profile, pieces = cases.profile(case), cases.chunks(case)
    message = b"".join(pieces)
    cuts = [pieces, [message]]
    if len(message) < 100_000:
        cuts.append([message[k : k + 1] for k in range(len(message))])
    for cut in cuts:
        if case.get("known_gap"):
            with pytest.raises(AssertionError):
                cases.check(case, cases.read(case, profile, cut))
        else:
            cases.check(case, cases.read(case, profile, cut))


@pytest.mark.parametrize("case", [case for case in CASES if "stream" in case["expect"]], ids=lambda case: case["id"])
def test_checkpoints(case: dict[str, Any]) -> None:
    cases.check_stream(case, cases.profile(case))


RECORDED = cases.recorded()


@pytest.mark.parametrize("stream", RECORDED, ids=[name for name, *_ in RECORDED])
def test_recorded_stream(stream: tuple[str, Any, bytes, list[dict[str, Any]]]) -> None:
    _, format, data, wanted = stream
    profile = tagstream.Profile({"thinking": {"tags": ["think"]}, "elements": [{"name": "node"}]})
    messages = [
        {
            "choice": message.choice,
            "content": message.content,
            "thoughts": list(message.thoughts),
            "tool_calls": [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls],
            "finish_reason": message.finish_reason,
            "notices": [notice.code for notice in message.notices],
            "usage": message.usage,
        }
        for message in tagstream.aggregate(data, format, profile)
    ]
    assert [{key: m[key] for key in want} for m, want in zip(messages, wanted, strict=True)] == wanted


SHORT = [case for case in CASES if len(b"".join(cases.chunks(case))) < 2_000]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_cut_matters(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(SHORT))
    message = b"".join(cases.chunks(case))
    places = sorted(data.draw(st.sets(st.integers(0, len(message)))))
    pieces = [message[a:b] for a, b in zip([0, *places], [*places, len(message)], strict=True)]
    profile = cases.profile(case)
    assert cases.read(case, profile, pieces) == cases.read(case, profile, [message])
