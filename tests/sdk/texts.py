"""Answers of models with thinking and calls in their text, as streams and bodies of both APIs."""

import json

WEATHER = {"name": "get_weather", "arguments": {"city": "Paris"}}
CELSIUS = {"name": "get_weather", "arguments": {"city": "Rome", "unit": "c"}}
SHELL = {"name": "bash", "arguments": {"command": 'echo "</parameter> & é😀"\nls'}}

# Dialect, the text of the calls, and what they are.
CALLS = [
    ("hermes", '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>', [WEATHER]),
    (
        "hermes",
        '<tool_call>{"name":"get_weather","arguments":{"city":"Paris"}}</tool_call>\n'
        '<tool_call>{"name":"get_weather","arguments":{"city":"Rome","unit":"c"}}</tool_call>',
        [WEATHER, CELSIUS],
    ),
    (
        "qwen3-coder",
        "<tool_call>\n<function=bash>\n<parameter=command>\n"
        'echo "</parameter> & é😀"\nls\n</parameter>\n</function>\n</tool_call>',
        [SHELL],
    ),
    (
        "glm",
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>",
        [WEATHER],
    ),
    (
        "function_calls",
        '<function_calls><invoke name="get_weather"><parameter name="city">Rome</parameter>'
        '<parameter name="unit">c</parameter></invoke></function_calls>',
        [CELSIUS],
    ),
    (
        "minimax",
        '<minimax:tool_call><invoke name="get_weather"><parameter name="city">Paris</parameter>'
        "</invoke></minimax:tool_call>",
        [WEATHER],
    ),
    (
        "dsml",
        '<｜DSML｜function_calls><｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">'
        "Paris</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>",
        [WEATHER],
    ),
    (
        "kimi-k2",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        '{"city":"Paris"}<|tool_call_end|><|tool_calls_section_end|>',
        [WEATHER],
    ),
    ("mistral", '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}]', [WEATHER]),
]


def choice(content="", reasoning="", calls=(), finish="stop"):
    return {"content": content, "reasoning": reasoning, "calls": list(calls), "finish": finish}


def cut(text, size):
    return [text[start : start + size] for start in range(0, len(text), size)] if size else [text]


# --- OpenAI ---


def chunk(choices, **more):
    head = {"id": "chatcmpl-Ab12", "object": "chat.completion.chunk", "created": 1700000000, "model": "m"}
    return {**head, "service_tier": "default", "choices": choices, **more}


def openai_stream(texts, size, finishes, usage=True, first=None):
    """All choices at once, in turns, with everything that OpenAI's own server sends."""
    frames = []
    for index in range(len(texts)):
        delta = {"role": "assistant", "content": "", "refusal": None}
        frames.append(chunk([{"index": index, "delta": delta, "logprobs": None, "finish_reason": None}], usage=None))
    for delta in first or []:
        frames.append(chunk([{"index": 0, "delta": delta, "finish_reason": None}]))
    pieces = [cut(text, size) for text in texts]
    for at in range(max(map(len, pieces))):
        for index, piece in enumerate(pieces):
            if at < len(piece):
                tokens = [{"token": piece[at], "logprob": -0.1, "bytes": None, "top_logprobs": []}]
                logprobs = {"content": tokens, "refusal": None}
                entry = {"index": index, "delta": {"content": piece[at]}, "logprobs": logprobs, "finish_reason": None}
                frames.append(chunk([entry], obfuscation="q" * (at % 7)))
    for index, finish in enumerate(finishes):
        frames.append(chunk([{"index": index, "delta": {}, "logprobs": None, "finish_reason": finish}]))
    if usage:
        frames.append(chunk([], usage={"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}))
    lines = [f"data: {json.dumps(frame)}\n\n" for frame in frames]
    lines.insert(1, ": keep-alive\n\n")
    return "".join(lines + ["data: [DONE]\n\n"]).encode()


def openai_body(texts, finishes):
    choices = [
        {"index": index, "message": {"role": "assistant", "content": text, "refusal": None}, "finish_reason": finish}
        for index, (text, finish) in enumerate(zip(texts, finishes))
    ]
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    return json.dumps({**chunk(choices), "object": "chat.completion", "usage": usage}, indent=1).encode()


# --- OpenAI Responses ---


def message_item(text, status):
    content = [] if text is None else [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {"id": "msg_Zz", "type": "message", "status": status, "role": "assistant", "content": content}


def response(status, output, **more):
    head = {"id": "resp_Ab12", "object": "response", "created_at": 1700000000, "model": "m", "status": status}
    return {**head, "error": None, "incomplete_details": None, "output": output, "usage": None, **more}


USED = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
REASONING = {"id": "rs_n", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "First. "}]}
FUNCTION_CALL = {"id": "fc_n", "type": "function_call", "call_id": "n", "name": "now", "arguments": "{}"}


def item_events(item, index, pieces):
    """All events of an item, as OpenAI sends them."""
    at = {"item_id": item["id"], "output_index": index}
    part_at = {**at, "content_index": 0}
    events = []
    if item["type"] == "function_call":
        added = {**item, "arguments": "", "status": "in_progress"}
        kind, key = "function_call_arguments", "arguments"
        part_at, whole = at, item["arguments"]
    else:
        added = {**item, "content": [], "status": "in_progress"}
        part = item["content"][0]
        whole, key = part["text"], "text"
        kind = {"message": "output_text", "reasoning": "reasoning_text"}[item["type"]]
        events.append({"type": "response.content_part.added", **part_at, "part": {**part, "text": ""}})
    more = {"logprobs": []} if kind == "output_text" else {}
    for number, piece in enumerate(pieces):
        padding = {"obfuscation": "q" * (number % 7)} if more else {}
        events.append({"type": f"response.{kind}.delta", **part_at, "delta": piece, **more, **padding})
    events.append({"type": f"response.{kind}.done", **part_at, key: whole, **more})
    if key == "text":
        events.append({"type": "response.content_part.done", **part_at, "part": part})
    first = {"type": "response.output_item.added", "output_index": index, "item": added}
    return [first, *events, {"type": "response.output_item.done", "output_index": index, "item": item}]


def responses_stream(text, size, before=(), after=(), status="completed", **more):
    """One message, with items of the provider's own before and after it."""
    message = message_item(text, status)
    output = [*before, message, *after]
    events = [{"type": f"response.{kind}", "response": response("in_progress", [])} for kind in ("created", "in_progress")]
    for index, item in enumerate(output):
        whole = item["arguments"] if item["type"] == "function_call" else item["content"][0]["text"]
        events += item_events(item, index, cut(whole, size))
    events.append({"type": f"response.{status}", "response": response(status, output, usage=USED, **more)})
    lines = [
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"
        for number, event in enumerate(events)
    ]
    lines.insert(3, ": keep-alive\n\n")
    return "".join(lines).encode()


def responses_body(text):
    return json.dumps(response("completed", [message_item(text, "completed")], usage=USED)).encode()


# --- Anthropic ---


def anthropic_stream(text, size, stop="end_turn", before=(), after=()):
    """One text, with blocks of the provider's own before and after it."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_01Xy", "type": "message", "role": "assistant", "content": [], "model": "m"}
    message = {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}
    events = [{"type": "message_start", "message": message}]
    blocks = [*before, ({"type": "text", "text": ""}, [{"type": "text_delta", "text": t} for t in cut(text, size)])]
    for index, (block, deltas) in enumerate([*blocks, *after]):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "ping"})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": stop, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9}}, {"type": "message_stop"}]
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def anthropic_body(text, stop="end_turn"):
    usage = {"input_tokens": 1, "output_tokens": 9}
    message = {"id": "msg_01Xy", "type": "message", "role": "assistant", "content": [{"type": "text", "text": text}]}
    return json.dumps({**message, "model": "m", "stop_reason": stop, "stop_sequence": None, "usage": usage}).encode()


THINKING = (
    {"type": "thinking", "thinking": "", "signature": ""},
    [{"type": "thinking_delta", "thinking": "First. "}, {"type": "signature_delta", "signature": "EqQB"}],
)
TOOL_USE = (
    {"type": "tool_use", "id": "toolu_native", "name": "now", "input": {}},
    [{"type": "input_json_delta", "partial_json": '{"tz":'}, {"type": "input_json_delta", "partial_json": '"CET"}'}],
)
NOW = {"id": "toolu_native", "name": "now", "arguments": {"tz": "CET"}}


# --- Gemini and Ollama ---


def gemini_frame(text, **more):
    candidate = {"content": {"role": "model", "parts": [{"text": text}]}, "index": 0, **more}
    return {"candidates": [candidate], "modelVersion": "m", "responseId": "r"}


def gemini_stream(text, size):
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 2, "totalTokenCount": 3}
    frames = [gemini_frame(piece) for piece in cut(text, size)]
    frames.append({**gemini_frame("", finishReason="STOP"), "usageMetadata": usage})
    return "".join(f"data: {json.dumps(frame)}\r\n\r\n" for frame in frames).encode()


def gemini_body(text):
    return json.dumps(gemini_frame(text, finishReason="STOP"), indent=1).encode()


def ollama_line(text, **more):
    message = {"role": "assistant", "content": text}
    return {"model": "m", "created_at": "2026-11-01T00:00:00Z", "message": message, "done": False, **more}


def ollama_stream(text, size):
    lines = [ollama_line(piece) for piece in cut(text, size)]
    lines.append(ollama_line("", done=True, done_reason="stop", eval_count=2))
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def ollama_body(text):
    return json.dumps(ollama_line(text, done=True, done_reason="stop", eval_count=2)).encode()


# --- all of them ---


def cases():
    """Each with its name, form, kind, answer, profile, flags, and what the SDKs must find."""
    yield from in_every_dialect()
    yield from of_openai()
    yield from of_responses()
    yield from of_anthropic()


def case(name, form, kind, body, expect, calls=None, flags=()):
    return dict(name=name, form=form, kind=kind, body=body, expect=expect, calls=calls, flags=list(flags))


def in_every_dialect():
    for number, (dialect, text, calls) in enumerate(CALLS):
        full = f"<think>I need {dialect}.</think>Let me look: {text}"
        found = choice("Let me look: ", f"I need {dialect}.", calls, "tool_calls")
        used = {**found, "finish": "tool_use"}
        done = {**found, "finish": "completed"}
        table = {"dialect": dialect}
        for size in (1, 3, 16, 0):
            name = f"made-{number}-{dialect}-{size}"
            yield case(f"{name}-openai", "openai", "sse", openai_stream([full], size, ["stop"]), [found], table)
            yield case(f"{name}-responses", "responses", "sse", responses_stream(full, size), [done], table)
            yield case(f"{name}-anthropic", "anthropic", "sse", anthropic_stream(full, size), [used], table)
            if size in (3, 0):
                stop = [{**found, "finish": "STOP"}]
                yield case(f"{name}-gemini", "gemini", "sse", gemini_stream(full, size), stop, table)
                stop = [{**found, "finish": "stop"}]
                yield case(f"{name}-ollama", "ollama", "ndjson", ollama_stream(full, size), stop, table)
        name = f"made-{number}-{dialect}-body"
        stop = [{**found, "finish": "STOP"}]
        yield case(f"{name}-gemini", "gemini", "json", gemini_body(full), stop, table)
        yield case(f"{name}-ollama", "ollama", "json", ollama_body(full), [{**found, "finish": "stop"}], table)
        yield case(f"{name}-openai", "openai", "json", openai_body([full], ["stop"]), [found], table)
        yield case(f"{name}-responses", "responses", "json", responses_body(full), [done], table)
        yield case(f"{name}-anthropic", "anthropic", "json", anthropic_body(full), [used], table)


def of_openai():
    hermes = {"dialect": "hermes"}
    _, call, calls = CALLS[0]
    text = f"Hi<think>a</think> there {call} and <b>"
    both = [choice("Hi there  and <b>", "a", calls, "tool_calls"), choice("No <thi", "", [], "length")]
    yield case("two-choices", "openai", "sse", openai_stream([text, "No <thi"], 2, ["stop", "length"]), both, hermes)
    yield case("two-choices-body", "openai", "json", openai_body([text, "No <thi"], ["stop", "length"]), both, hermes)
    only = openai_stream([call], 5, ["stop"])
    yield case("only-a-call", "openai", "sse", only, [choice("", "", calls, "tool_calls")], hermes)
    only = openai_body([call], ["stop"])
    yield case("only-a-call-body", "openai", "json", only, [choice("", "", calls, "tool_calls")], hermes)
    hidden = openai_stream([text], 4, ["stop"])
    found = choice("Hi there  and <b>", "", calls, "tool_calls")
    yield case("hidden", "openai", "sse", hidden, [found], hermes, ["--thinking", "hide"])
    kept = choice("Hi<think>a</think> there  and <b>", "", calls, "tool_calls")
    yield case("kept", "openai", "sse", hidden, [kept], hermes, ["--thinking", "keep"])
    moved = choice("Hi there  and <b>", "a", calls, "tool_calls")
    yield case("another-field", "openai", "sse", hidden, [moved], hermes, ["--reasoning-field", "thoughts"])
    cut_off = openai_stream(["Hm " + call[:40]], 6, ["length"])
    yield case("call-cut-off", "openai", "sse", cut_off, [choice("Hm ", finish="length")], hermes)
    bad = '<tool_call>{"name":"get_weather","arguments":{"city":}}</tool_call>'
    yield case("refused", "openai", "sse", openai_stream([bad], 6, ["stop"]), [choice(bad)], hermes)
    dropped = openai_stream(["Hm " + bad], 6, ["stop"])
    yield case("dropped", "openai", "sse", dropped, [choice("Hm ")], hermes, ["--refused", "drop"])
    native = [
        {"reasoning_content": "First. "},
        {"tool_calls": [{"index": 0, "id": "n", "type": "function", "function": {"name": "now", "arguments": "{"}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "}"}}]},
    ]
    mixed = openai_stream([text], 9, ["stop"], first=native)
    expect = {**moved, "reasoning": "First. a", "calls": [{"id": "n", "name": "now", "arguments": {}}, *calls]}
    yield case("native-and-found", "openai", "sse", mixed, [expect], hermes)


def of_responses():
    hermes = {"dialect": "hermes"}
    _, call, calls = CALLS[0]
    text = f"<think>a</think>Hi {call} and <think>b</think>{call} <b>"
    native = {"id": "n", "name": "now", "arguments": {}}
    mixed = responses_stream(text, 3, before=[REASONING], after=[FUNCTION_CALL])
    expect = choice("Hi  and  <b>", "First. ab", [*calls, *calls, native], "completed")
    yield case("r-native-and-found", "responses", "sse", mixed, [expect], hermes)
    hide = ["--thinking", "hide"]
    yield case("r-hidden", "responses", "sse", mixed, [{**expect, "reasoning": ""}], hermes, hide)
    kept = {**expect, "content": "<think>a</think>Hi  and <think>b</think> <b>", "reasoning": "First. "}
    yield case("r-kept", "responses", "sse", mixed, [kept], hermes, ["--thinking", "keep"])
    only = responses_stream(call, 5)
    yield case("r-only-a-call", "responses", "sse", only, [choice("", "", calls, "completed")], hermes)
    only = responses_body(call)
    yield case("r-only-a-call-body", "responses", "json", only, [choice("", "", calls, "completed")], hermes)
    thoughts = responses_stream("<think>a</think>", 4)
    yield case("r-only-hidden", "responses", "sse", thoughts, [choice(finish="completed")], flags=hide)
    details = {"reason": "max_output_tokens"}
    cut_off = responses_stream("Hm " + call[:40], 6, status="incomplete", incomplete_details=details)
    yield case("r-call-cut-off", "responses", "sse", cut_off, [choice("Hm ", finish=details["reason"])], hermes)
    bad = '<tool_call>{"name":"get_weather","arguments":{"city":}}</tool_call>'
    refused = responses_stream(bad, 6)
    yield case("r-refused", "responses", "sse", refused, [choice(bad, finish="completed")], hermes)
    dropped = responses_stream("Hm " + bad, 6)
    yield case("r-dropped", "responses", "sse", dropped, [choice("Hm ", finish="completed")], hermes, ["--refused", "drop"])


def of_anthropic():
    hermes = {"dialect": "hermes"}
    _, call, calls = CALLS[0]
    text = f"<think>a</think>Hi {call}<think>b</think>"
    mixed = anthropic_stream(text, 3, before=[THINKING], after=[TOOL_USE])
    expect = choice("Hi ", "First. ab", [*calls, NOW], "tool_use")
    yield case("a-native-and-found", "anthropic", "sse", mixed, [expect], hermes)
    hide = ["--thinking", "hide"]
    yield case("a-hidden", "anthropic", "sse", mixed, [{**expect, "reasoning": ""}], hermes, hide)
    kept = {**expect, "content": "<think>a</think>Hi <think>b</think>", "reasoning": "First. "}
    yield case("a-kept", "anthropic", "sse", mixed, [kept], hermes, ["--thinking", "keep"])
    only = anthropic_stream(call, 5, after=[TOOL_USE])
    yield case("a-only-calls", "anthropic", "sse", only, [choice("", "", [*calls, NOW], "tool_use")], hermes)
    cut_off = anthropic_stream("Hm " + call[:40], 6, stop="max_tokens")
    yield case("a-call-cut-off", "anthropic", "sse", cut_off, [choice("Hm ", finish="max_tokens")], hermes)
