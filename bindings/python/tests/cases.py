"""The language-neutral cases in `cases/`: reading them, and checking events against them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tagstream

FOLDER = Path(__file__).parents[3] / "cases"
IGNORED = {"compare", "stream", "max_seconds", "scaling"}


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def all_cases() -> list[dict[str, Any]]:
    return [case for path in sorted(FOLDER.glob("*.jsonl")) for case in lines(path)]


def recorded() -> list[tuple[str, str, bytes, list[dict[str, Any]]]]:
    """The recorded streams: a name, the format, the bytes, and the messages."""
    out = []
    for line in lines(FOLDER / "wire" / "expect.jsonl"):
        data = (FOLDER / "wire" / line["stream"]).read_bytes()
        out.append((line["stream"], line["from"], data, line["expect"]))
        out.append((line["stream"] + " auto", "auto", data, line.get("auto", line["expect"])))
    return out


def profile(case: dict[str, Any]) -> tagstream.Profile:
    if "model" in case:
        return tagstream.Profile(model=case["model"], tools=case["tools"])
    return tagstream.Profile(case["profile"])


def chunks(case: dict[str, Any]) -> list[bytes]:
    if "chunks" in case:
        return [chunk.encode() for chunk in case["chunks"]]
    if "bytes_hex" in case:
        return [bytes.fromhex(chunk) for chunk in case["bytes_hex"]]
    gen = case["gen"]
    middle = "".join(itertools.islice(itertools.cycle(gen["repeat"]), gen["total"]))
    message, size = gen["prefix"] + middle + gen["suffix"], gen["chunk"]
    return [message[k : k + size].encode() for k in range(0, len(message), size)]


def read(case: dict[str, Any], profile: tagstream.Profile, pieces: list[bytes]) -> list[dict[str, Any]]:
    if case["from"] == "text":
        return joined(list(tagstream.events(pieces, profile)))
    session = tagstream.Session(case["from"], profile)
    pairs = [pair for piece in pieces for pair in session.push(piece)] + session.finish()
    assert all(choice == 0 for choice, _ in pairs)
    return joined([event for _, event in pairs])


def joined(events: Sequence[tagstream.Event | tagstream.Finish | tagstream.Usage]) -> list[dict[str, Any]]:
    """The events as the contract writes them, without spans, messages and skips; neighbours joined."""
    out: list[dict[str, Any]] = []
    for event in events:
        new = event.to_dict()
        for key in ("span", "message", "raw"):
            new.pop(key, None)
        if new["type"] == "skip":
            continue
        last = out[-1] if out else {}
        rest = {key: value for key, value in new.items() if key != "text"}
        if new["type"] in ("text", "thought", "call_delta", "element_delta") and rest == {
            key: value for key, value in last.items() if key != "text"
        }:
            last["text"] += new["text"]
        else:
            out.append(new)
    return out


def text(events: list[dict[str, Any]]) -> str:
    return "".join(event["text"] for event in events if event["type"] == "text")


def blocks(events: list[dict[str, Any]]) -> list[str]:
    out: list[str] = []
    for event in events:
        if event["type"] == "thought_start":
            out.append("")
        elif event["type"] == "thought":
            out[-1] += event["text"]
    return out


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def only(found: list[dict[str, Any]], wanted: list[Any]) -> list[Any]:
    """Each with the keys that the case asks for."""
    padded = itertools.zip_longest(found, wanted[: len(found)])
    return [{key: item[key] for key in item if key in ask} if isinstance(ask, dict) else item for item, ask in padded]


def error(event: dict[str, Any], asked: str) -> str:
    names = [f"{event['code']}:{name}" for name in (event.get("argument"), event["name"]) if name]
    return asked if asked in names else event["code"]


def is_json(piece: str) -> bool:
    try:
        json.loads(piece)
    except ValueError:
        return False
    return True


def json_arguments(events: list[dict[str, Any]]) -> list[str]:
    out: dict[int, str] = {}
    for event in of(events, "call_delta"):
        if "argument" not in event:
            out[event["index"]] = out.get(event["index"], "") + event["text"]
    return list(out.values())


def balanced(events: list[dict[str, Any]]) -> bool:
    kinds = [event["type"] for event in events if event["type"] in ("thought_start", "thought_end")]
    return kinds == ["thought_start", "thought_end"] * (len(kinds) // 2)


def observed(key: str, events: list[dict[str, Any]], message: str, wanted: Any) -> Any:
    seen = text(events)
    match key:
        case "text":
            return seen
        case "reasoning":
            return "".join(blocks(events))
        case "reasoning_blocks":
            return blocks(events)
        case "notices":
            return [event["code"] for event in of(events, "notice")]
        case "flags":
            codes = {event["code"] for event in of(events, "notice") + of(events, "call_error")}
            return [flag for flag in wanted if flag.replace("unclosed_think", "unclosed_thought") in codes | {flag} & codes]
        case "events":
            return events
        case "elements":
            renamed = [{("attrs" if k == "attributes" else k): v for k, v in e.items()} for e in of(events, "element_end")]
            return only(renamed, wanted)
        case "tool_calls":
            return only(of(events, "call_end"), wanted)
        case "calls_count":
            return len(of(events, "call_end"))
        case "errors":
            asked = itertools.chain(wanted, itertools.repeat(""))
            return [error(event, ask) for event, ask in zip(of(events, "call_error"), asked, strict=False)]
        case "text_starts_with":
            return wanted if seen.startswith(wanted) else seen
        case "text_ends_with":
            return wanted if seen.endswith(wanted) else seen
        case "text_equals_input":
            return seen == message
        case "not_contains":
            return [piece for piece in wanted if piece not in seen]
        case "events_balanced":
            return balanced(events)
        case "no_empty_reasoning_block":
            return all(block.strip() for block in blocks(events))
        case "args_valid_json":
            return all(map(is_json, json_arguments(events)))
    raise AssertionError(f"the runner does not know {key}")


def problem(expect: dict[str, Any], events: list[dict[str, Any]], message: str) -> str | None:
    for key, wanted in expect.items():
        if key in IGNORED:
            continue
        got = observed(key, events, message, wanted)
        both = (got, wanted)
        if expect.get("compare") == "trim" and isinstance(got, str) and isinstance(wanted, str):
            both = (got.strip(), wanted.strip())
        if both[0] != both[1]:
            return f"{key} is {got!r}, not {wanted!r}"
    return None


def checkpoint(point: dict[str, Any], events: list[dict[str, Any]], message: str) -> None:
    """What must be out after a chunk, and what must not be out yet."""
    arguments: dict[str, str] = {}
    for event in of(events, "call_delta"):
        name = event.get("argument", "")
        arguments[name] = arguments.get(name, "") + event["text"]
    seen = {"text": text(events), "reasoning": "".join(blocks(events))}
    for key, wanted in point.items():
        kind, _, bound = key.partition("_at_")
        pairs = [(seen.get(kind, ""), wanted)]
        if kind == "args":
            pairs = [(arguments.get(name, ""), value) for name, value in wanted.items()]
        if bound == "least":
            assert all(has.startswith(value) for has, value in pairs), (key, pairs)
        elif bound == "most":
            assert all(value.startswith(has) for has, value in pairs), (key, pairs)
    rest = {key: value for key, value in point.items() if "_at_" not in key and key != "after_chunk"}
    assert problem(rest, events, message) is None, problem(rest, events, message)


def check_stream(case: dict[str, Any], profile: tagstream.Profile) -> None:
    parser, seen, read = tagstream.Parser(profile), [], b""
    points = case["expect"].get("stream", [])
    for number, chunk in enumerate(chunks(case)):
        seen += parser.push(chunk)
        read += chunk
        for point in points:
            if point["after_chunk"] == number:
                checkpoint(point, joined(seen), read.decode(errors="replace"))


def check(case: dict[str, Any], events: list[dict[str, Any]]) -> None:
    message = b"".join(chunks(case)).decode(errors="replace")
    problems = [problem(expect, events, message) for expect in [case["expect"], *case.get("expect_alt", [])]]
    assert None in problems, "; or ".join(map(str, problems))
