"""The official Python SDKs: reads an answer and gives what their helpers make of it."""

import json

import anthropic
import ollama
import openai
from google import genai

ASK = [{"role": "user", "content": "Hi"}]


def openai_client(url):
    return openai.OpenAI(base_url=url, api_key="x", max_retries=0)


def anthropic_client(url):
    return anthropic.Anthropic(base_url=url, api_key="x", max_retries=0)


def openai_helper(url):
    with openai_client(url).chat.completions.stream(model="m", messages=ASK) as stream:
        for _ in stream:
            pass
        return openai_answer(stream.get_final_completion())


def openai_raw(url):
    """Plain iteration, joined by the rules of the API reference."""
    choices = {}
    usage = None
    for chunk in openai_client(url).chat.completions.create(model="m", messages=ASK, stream=True):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            into = choices.setdefault(choice.index, empty())
            into["finish"] = choice.finish_reason or into["finish"]
            delta = choice.delta
            into["roles"] += delta.role is not None
            into["content"] += delta.content or getattr(delta, "refusal", None) or ""
            into["reasoning"] += reasoning(delta)
            for piece in delta.tool_calls or []:
                if piece.index == len(into["calls"]):
                    into["calls"].append({"id": piece.id, "name": piece.function.name, "arguments": ""})
                else:
                    assert not piece.id and not piece.function.name, "an id or a name is repeated"
                into["calls"][piece.index]["arguments"] += piece.function.arguments or ""
            if delta.function_call:
                if delta.function_call.name:
                    into["calls"].append({"id": "", "name": delta.function_call.name, "arguments": ""})
                into["calls"][-1]["arguments"] += delta.function_call.arguments or ""
    for choice in choices.values():
        assert choice.pop("roles") == 1, "a role comes once"
        for call in choice["calls"]:
            call["arguments"] = parsed(call["arguments"])
    return {"choices": [choices[index] for index in sorted(choices)], "usage": plain(usage)}


def openai_body(url):
    return openai_answer(openai_client(url).chat.completions.create(model="m", messages=ASK))


def openai_answer(completion):
    choices = []
    for choice in completion.choices:
        message = choice.message
        calls = [
            {"id": call.id, "name": call.function.name, "arguments": parsed(call.function.arguments)}
            for call in message.tool_calls or []
        ]
        if message.function_call:
            function = message.function_call
            calls.append({"id": "", "name": function.name, "arguments": parsed(function.arguments)})
        assert message.role == "assistant", message.role
        choices.append(
            {
                "content": message.content or message.refusal or "",
                "reasoning": reasoning(message),
                "calls": calls,
                "finish": choice.finish_reason,
            }
        )
    return {"choices": choices, "usage": plain(completion.usage)}


def responses_helper(url):
    with openai_client(url).responses.stream(model="m", input="Hi") as stream:
        for _ in stream:
            pass
        return responses_answer(stream.get_final_response())


def responses_raw(url):
    """Plain iteration: the events alone must say all that the answer says at the end."""
    items = {}
    final = None
    with openai_client(url).responses.create(model="m", input="Hi", stream=True) as events:
        for number, event in enumerate(events):
            assert event.sequence_number == number, f"{event.type} has the number {event.sequence_number}"
            kind = event.type.removeprefix("response.")
            if kind in ("error", "failed"):
                raise RuntimeError("the server reports an error")
            if kind in ("completed", "incomplete"):
                final = event.response
            elif kind == "output_item.added":
                assert event.output_index == len(items), "items are numbered without gaps"
                items[event.output_index] = {"type": event.item.type, "text": "", "done": False}
            elif kind == "output_item.done":
                items[event.output_index].update(done=True, item=event.item)
            elif kind.endswith(".delta"):
                assert not items[event.output_index]["done"], "an item that is done goes on"
                items[event.output_index]["text"] += event.delta
    answer = responses_answer(final)
    of = lambda kind: "".join(item["text"] for item in items.values() if item["type"] == kind)
    assert all(item["done"] for item in items.values()), "an item is not done"
    assert of("message") == answer["choices"][0]["content"], "the text of the deltas is another one"
    assert of("reasoning") == answer["choices"][0]["reasoning"], "the thinking of the deltas is another one"
    ids = [item["item"].id for item in items.values()]
    assert not final.output or ids == [item.id for item in final.output], "the items are other ones"
    return answer


def responses_body(url):
    return responses_answer(openai_client(url).responses.create(model="m", input="Hi"))


def responses_answer(response):
    answer = empty()
    answer.pop("roles")
    for item in response.output:
        if item.type == "message":
            for part in item.content:
                answer["content"] += part.refusal if part.type == "refusal" else part.text
        elif item.type == "reasoning":
            parts = [*item.summary, *(item.content or [])]
            answer["reasoning"] += "".join(part.text for part in parts)
        elif item.type == "function_call":
            call = {"id": item.call_id, "name": item.name, "arguments": parsed(item.arguments)}
            answer["calls"].append(call)
        elif item.type == "custom_tool_call":
            answer["calls"].append({"id": item.call_id, "name": item.name, "arguments": {"input": item.input}})
    details = response.incomplete_details
    answer["finish"] = details.reason if details else response.status
    return {"choices": [answer], "usage": plain(response.usage)}


def anthropic_helper(url):
    with anthropic_client(url).messages.stream(model="m", max_tokens=9, messages=ASK) as stream:
        for _ in stream:
            pass
        return anthropic_answer(stream.get_final_message())


def anthropic_body(url):
    message = anthropic_client(url).messages.create(model="m", max_tokens=9, messages=ASK)
    return anthropic_answer(message)


def anthropic_answer(message):
    answer = empty()
    answer.pop("roles")
    for block in message.content:
        if block.type == "text":
            assert block.text, "no block of text is empty"
            answer["content"] += block.text
        elif block.type == "thinking":
            answer["reasoning"] += block.thinking
        elif block.type == "tool_use":
            answer["calls"].append({"id": block.id, "name": block.name, "arguments": block.input})
    answer["finish"] = message.stop_reason
    return {"choices": [answer], "usage": plain(message.usage)}


def gemini_client(url):
    return genai.Client(api_key="x", http_options={"base_url": url, "retry_options": {"attempts": 1}})


def gemini_stream(url):
    client = gemini_client(url)
    return gemini_answer(client.models.generate_content_stream(model="m", contents="Hi"))


def gemini_body(url):
    client = gemini_client(url)
    return gemini_answer([client.models.generate_content(model="m", contents="Hi")])


def gemini_answer(responses):
    """All parts of all responses, joined: the package has no helper for that."""
    choices = {}
    usage = None
    for response in responses:
        usage = response.usage_metadata or usage
        for candidate in response.candidates or []:
            into = choices.setdefault(candidate.index or 0, empty())
            into.pop("roles", None)
            if candidate.finish_reason:
                into["finish"] = candidate.finish_reason.value
            for part in candidate.content and candidate.content.parts or []:
                if part.function_call:
                    call = part.function_call
                    into["calls"].append({"id": call.id, "name": call.name, "arguments": call.args or {}})
                elif part.text:
                    into["reasoning" if part.thought else "content"] += part.text
    usage = usage and usage.model_dump(exclude_unset=True, by_alias=True)
    return {"choices": [choices[index] for index in sorted(choices)], "usage": usage}


def ollama_stream(url):
    ask = dict(model="m", stream=True)
    client = ollama.Client(host=url)
    if "generate" in url:
        return ollama_answer(client.generate(prompt="Hi", **ask))
    return ollama_answer(client.chat(messages=ASK, **ask))


def ollama_body(url):
    return ollama_answer([ollama.Client(host=url).chat(model="m", messages=ASK)])


def ollama_answer(lines):
    answer = empty()
    answer.pop("roles")
    for line in lines:
        message = getattr(line, "message", None)
        answer["content"] += (message.content if message else line.response) or ""
        answer["reasoning"] += (message or line).thinking or ""
        for call in message and message.tool_calls or []:
            name, arguments = call.function.name, dict(call.function.arguments)
            answer["calls"].append({"id": None, "name": name, "arguments": arguments})
        answer["finish"] = line.done_reason or answer["finish"]
    return {"choices": [answer], "usage": None}


def empty():
    return {"content": "", "reasoning": "", "calls": [], "finish": None, "roles": 0}


def reasoning(message):
    """Servers differ in the field; where several are given, they say the same."""
    fields = ("reasoning_content", "reasoning", "thoughts")
    given = (getattr(message, field, None) for field in fields)
    return next((text for text in given if text), "")


def parsed(arguments):
    try:
        return json.loads(arguments or "{}")
    except (TypeError, ValueError):
        return {"invalid": str(arguments)}


def plain(usage):
    """Only what the server has sent."""
    return usage and usage.model_dump(exclude_unset=True)


DRIVERS = {
    ("openai", "sse"): {"openai-py helper": openai_helper, "openai-py": openai_raw},
    ("openai", "json"): {"openai-py body": openai_body},
    ("responses", "sse"): {"openai-py helper": responses_helper, "openai-py": responses_raw},
    ("responses", "json"): {"openai-py body": responses_body},
    ("anthropic", "sse"): {"anthropic-py helper": anthropic_helper},
    ("anthropic", "json"): {"anthropic-py body": anthropic_body},
    ("gemini", "sse"): {"google-genai": gemini_stream},
    ("gemini", "json"): {"google-genai body": gemini_body},
    ("ollama", "ndjson"): {"ollama-py": ollama_stream},
    ("ollama", "json"): {"ollama-py body": ollama_body},
}


def read(url, form, kind):
    """What each client makes of the answer."""
    path = "/v1" if form in ("openai", "responses") else ""
    results = {}
    for name, driver in DRIVERS[form, kind].items():
        try:
            results[name] = driver(url + path)
        except Exception as error:
            results[name] = {"error": f"{type(error).__name__}: {error}"}
    return results
