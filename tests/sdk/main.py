"""Rewrites streams, lets the official SDKs read them, and compares what they found."""

import json
import os
import pathlib
import re
import subprocess
import sys
import warnings

import drive
import texts
from server import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
SDK = pathlib.Path(os.environ["SDK"])
WORK = SDK / "work"
MADE_ID = re.compile(r"^(call|toolu)_(\w+_)?\d+$")

# Streams whose meaning the Python helpers get wrong, or refuse. Each must really differ: one that
# no longer does is an error here.
HELPER_IS_WRONG = {
    "openai-tool-calls-interleaved.sse": "wants the call with index 0 first",
    "openai-tool-call-repeats-itself.sse": "joins ids and names that are repeated",
    "openai-tool-call-name-changes.sse": "joins names",
    "openai-tool-call-object-arguments.sse": "wants arguments to be a string",
    "openai-tool-calls-without-ids.sse": "takes two calls with one index for one",
    "openai-tool-call-bad-json.sse": "returns calls that are not JSON",
    "openai-usage-choices-null.sse": "wants choices to be a list",
    "openai-usage-without-choices.sse": "wants choices",
    "openai-delta-null.sse": "wants a delta",
    "openai-bare-chunks.sse": "wants an id",
    "openai-data-on-many-lines.sse": "wants an id",
    "openai-ping-event.sse": "takes every event for a chunk",
    "openai-crlf-no-space.sse": "loses the first event after a byte order mark",
    "openai-last-event-unfinished.sse": "loses an event without its blank line",
    "openai-broken-frame.sse": "wants every frame to be JSON",
    "openai-invalid-utf8.sse": "wants UTF-8",
    "mistral-content-parts.sse": "wants content to be a string",
    "mistral-calls-without-index.sse": "wants an index",
    "openrouter-details-only.sse": "does not know this field",
    "openrouter-reasoning-details.sse": "joins roles",
    "lmstudio-reasoning.sse": "joins roles",
    "lmstudio-gpt-oss.sse": "joins roles",
    "ollama-v1-reasoning.sse": "joins roles",
    "responses-done-without-deltas.sse": "believes the end, which is empty",
    "llamacpp-responses.sse": "wants the places of items",
    "responses-summary-and-refusal.sse": "believes the end, which is empty",
    "gemini-partial-args.sse": "leaves arguments in pieces",
    "ollama-broken-line.ndjson": "wants every line to be JSON",
    "anthropic-no-event-lines.sse": "wants the name of an event",
    "perplexity-message-beside-delta.sse": "joins roles",
    "vllm-content-index.sse": "wants parts to be counted in their item",
}

# Elements stay in the text, where `expect` takes them out.
CONTENT = {"anthropic-two-texts.sse": "One <node id='a'>x</node>Two <node id='b'>y</node>"}

# What the `ai` package does not read at all: several choices, refusals, the old calls, other fields.
NOT_FOR_AI = {
    "openai-two-choices.sse",
    "two-choices",
    "openai-refusal.sse",
    "openai-function-call.sse",
    "another-field",
}


# What no client reads: a list, which the package for Gemini does not ask for, and errors in it.
# To that package, a prompt that was blocked is an answer.
NOT_FOR_ANY = {"gemini-list.json", "gemini-error-list.json", "gemini-blocked.sse"}

# Streams that only those read who know them: one that goes on where another was interrupted, and errors
# that are no JSON of the format.
NOT_FOR_ANY |= {"responses-resumed.sse", "llamacpp-error-field.sse", "responses-detail.json"}

# Rewritten streams that a client reads in another way. Each must really differ, as above.
CLIENT_IS_WRONG = {
    ("anthropic-unknown-events.sse", "ai anthropic"): "wants to know every kind of citation",
    ("gemini-two-candidates.sse", "ai google"): "takes all candidates for one",
    ("perplexity-message-beside-delta.sse", "openai-node helper"): "adds deltas to the message beside them",
}

# Formats whose packages give calls no ids.
WITHOUT_IDS = ("google-genai", "ollama", "ai google")


def profile(name, calls):
    """A profile with thinking, and calls if they are asked for."""
    lines = ['[thinking]\ntags = ["think"]', '[[elements]]\nname = "node"']
    if calls:
        lines.append(f'[calls]\ndialect = "{calls["dialect"]}"')
    path = WORK / f"{name}.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def tagstream(*args, data):
    done = subprocess.run([os.environ["TAGSTREAM"], *map(str, args)], input=data, capture_output=True)
    # 1 reports an error of the server, whose stream was passed on.
    if done.returncode not in (0, 1):
        sys.exit(f"tagstream {args}: {done.stderr.decode()}")
    return done.stdout


def recorded():
    """The recorded streams of both APIs, as cases."""
    for line in (ROOT / "cases/wire/expect.jsonl").read_text().splitlines():
        case = json.loads(line)
        name = case["stream"]
        if case["from"] == "text" or name in NOT_FOR_ANY:
            continue
        expect = [as_sdk(message) for message in case["expect"]]
        expect[0]["content"] = CONTENT.get(name, expect[0]["content"])
        yield {
            "name": name,
            "form": case["from"],
            "kind": name.rsplit(".", 1)[1],
            "body": (ROOT / "cases/wire" / name).read_bytes(),
            "calls": None,
            "flags": [],
            "expect": expect,
            "notices": [code for message in case["expect"] for code in message["notices"]],
        }


def as_sdk(message):
    """A message of ours as the SDKs have it."""
    return {
        "content": message["content"],
        "reasoning": "".join(message["thoughts"]),
        "calls": message["tool_calls"],
        "finish": message["finish_reason"],
    }


def difference(got, expect, notices=(), client=""):
    """What is wrong with an answer; None if it is right."""
    # An SDK raises what the server reports, and may refuse a stream that has lost its end.
    if "stream_error" in notices:
        return None if "error" in got else "the error of the server was not raised"
    broken = {"truncated_stream", "invalid_frame"} & set(notices)
    # A call of the provider's own passes as it came, also if it is not whole or no JSON.
    passed = {"incomplete_call", "invalid_json"} & set(notices)
    if "error" in got:
        return None if is_allowed(got["error"], expect, client, broken, passed) else got["error"]
    choices = got["choices"][:1] if client.startswith("ai") else got["choices"]
    expect = expect[:1] if client.startswith("ai") else expect
    if len(choices) != len(expect):
        return None if broken else f"{len(choices)} choices, not {len(expect)}"
    for one, other in zip(choices, expect):
        ids = [call["id"] for call in one["calls"]]
        has_ids = not client.startswith(WITHOUT_IDS)
        needs_ids = "function_call" != one["finish"] and has_ids
        if needs_ids and (len(ids) > len(set(ids)) or not all(ids)):
            return f"ids are missing or there twice: {ids}"
        one, other = (normal(choice, passed, has_ids) for choice in (one, other))
        if one != other:
            return f"\n    it is {json.dumps(one)}\n    not   {json.dumps(other)}"
    return None


def is_allowed(error, expect, client, broken, passed):
    """Whether a client may raise this, since it does so by design."""
    is_cut = any(choice["finish"] == "length" for choice in expect)
    by_length = is_cut and client == "openai-py helper" and error.startswith("LengthFinishReasonError")
    # Of a response that is incomplete, the Python helper gives no answer.
    by_length |= any(choice["finish"] == "max_output_tokens" for choice in expect) and "response.completed" in error
    return broken or by_length or (passed and client in ("ai", "ai 6") and error.startswith("AI_"))


def normal(choice, passed, has_ids):
    """Ids that were made are alike; of calls that came in turns, the order does not count."""
    calls = []
    for call in [] if passed else choice["calls"]:
        is_made = not has_ids or not call.get("id") or MADE_ID.match(call["id"])
        call_id = "" if is_made else call["id"]
        calls.append({"id": call_id, "name": call["name"], "arguments": call["arguments"]})
    return {**choice, "calls": sorted(calls, key=lambda call: call["id"])}


def check_rewritten(server):
    """Every client must read every rewritten stream, and find what is in it."""
    cases = [*recorded(), *texts.cases()]
    results = {}
    listed = []
    for case in cases:
        path = profile(case["name"], case["calls"])
        flags = ["--from", case["form"], "--profile", path, *case["flags"]]
        rewritten = tagstream("rewrite", *flags, data=case["body"])
        server.add(case["name"], rewritten, case["kind"])
        url = f"{server.url}/{case['name']}"
        results[case["name"]] = drive.read(url, case["form"], case["kind"])
        tools = sorted({call["name"] for choice in case["expect"] for call in choice["calls"]})
        listed.append({key: case[key] for key in ("name", "form", "kind")} | {"url": url, "tools": tools})
    for name, answers in node(listed).items():
        results[name] |= answers
    failed = []
    for case in cases:
        for client, got in results[case["name"]].items():
            if client in ("ai", "ai 6") and case["name"] in NOT_FOR_AI:
                continue
            problem = difference(got, case["expect"], case.get("notices", ()), client)
            known = (case["name"], client) in CLIENT_IS_WRONG
            if known and not problem:
                failed.append(f"{case['name']}, {client}: is on the list of what is wrong, and is right")
            if problem and not known:
                failed.append(f"{case['name']}, {client}: {problem}")
    count = sum(map(len, results.values()))
    print(f"{len(cases)} rewritten streams, {count} readings, {len(failed)} wrong")
    return failed


def node(listed):
    command = ["node", SDK / "node/drive.mjs"]
    # The SDKs print what they cannot read, also where a case is about just that.
    done = subprocess.run(command, input=json.dumps(listed).encode(), capture_output=True)
    if done.returncode != 0:
        sys.exit(f"drive.mjs: {done.stderr.decode()}")
    return json.loads(done.stdout)


def check_aggregate(server):
    """`aggregate` must give what the Python helpers build from the same stream."""
    nothing = WORK / "nothing.toml"
    nothing.write_text("")
    failed = []
    count = 0
    for case in recorded():
        if {"stream_error", "truncated_stream"} & set(case["notices"]):
            continue
        name = f"original-{case['name']}"
        server.add(name, case["body"], case["kind"])
        answers = drive.read(f"{server.url}/{name}", case["form"], case["kind"])
        args = ["--from", case["form"], "--profile", nothing, "--whitespace", "as-is"]
        ours = tagstream("aggregate", *args, data=case["body"])
        ours = [json.loads(line) for line in ours.splitlines()]
        for client, got in answers.items():
            if client == "openai-py":
                continue
            count += 1
            problem = difference(got, [as_sdk(message) for message in ours], (), client)
            usage = ours[0]["usage"] and got.get("usage")
            if not problem and usage and not within(ours[0]["usage"], usage):
                problem = f"usage is {got['usage']}, not {ours[0]['usage']}"
            known = case["name"] in HELPER_IS_WRONG
            if problem and not known:
                failed.append(f"aggregate {case['name']}, {client}: {problem}")
            if known and not problem:
                failed.append(f"aggregate {case['name']}, {client}: is on the list of what is wrong, and is right")
    print(f"{count} aggregates against the helpers' own, {len(failed)} wrong")
    return failed


def within(ours, theirs):
    """Helpers add fields of their own to usage."""
    return all(theirs.get(key) == value for key, value in ours.items())


def main():
    # Some of the originals are not what the SDKs expect; that is the point of them.
    warnings.simplefilter("ignore")
    WORK.mkdir(parents=True, exist_ok=True)
    server = Server()
    failed = check_rewritten(server) + check_aggregate(server)
    for problem in failed:
        print(problem)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
