"""The HTTP clients, under the official SDKs, against a server that replays answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anthropic
import httpx
import httpx2
import ollama
import openai
import pytest
import tagstream
import tagstream.httpx
import tagstream.httpx2
from google import genai
from google.genai import types
from replay import ARGUMENTS, CONTENT, SCHEMA, THOUGHT, Server

MESSAGES: list[Any] = [{"role": "user", "content": "Hi"}]
FUNCTION: dict[str, Any] = {"name": "get_weather", "parameters": SCHEMA}
TOOLS: list[Any] = [{"type": "function", "function": FUNCTION}]
BROKEN = {tagstream.httpx: httpx.RemoteProtocolError, tagstream.httpx2: httpx2.RemoteProtocolError}
MODULES = pytest.mark.parametrize("module", [tagstream.httpx, tagstream.httpx2], ids=["httpx", "httpx2"])
Seen = tuple[str, str, list[tuple[str, dict[str, Any]]]]
WANTED: Seen = (THOUGHT, CONTENT, [("get_weather", ARGUMENTS)])


def of_openai(message: Any) -> Seen:
    calls = [(call.function.name, json.loads(call.function.arguments)) for call in message.tool_calls or []]
    return message.model_dump().get("reasoning_content") or "", (message.content or "").strip(), calls


def of_openai_stream(chunks: list[Any]) -> Seen:
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    thought = "".join(delta.model_dump().get("reasoning_content") or "" for delta in deltas)
    calls = [call for delta in deltas for call in delta.tool_calls or []]
    content = "".join(delta.content or "" for delta in deltas)
    return thought, content.strip(), [(call.function.name, json.loads(call.function.arguments)) for call in calls]


def test_openai(server: Server) -> None:
    http = tagstream.httpx2.Client(preset="qwen3")
    client = openai.OpenAI(api_key="k", base_url=server.url + "/v1", http_client=http)
    answer = client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
    assert of_openai(answer.choices[0].message) == WANTED
    assert answer.choices[0].finish_reason == "tool_calls"
    chunks = list(client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS, stream=True))
    assert of_openai_stream(chunks) == WANTED
    thought, content, calls = of_openai_stream(
        list(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
    )
    assert thought == THOUGHT and "<tool_call>" in content and calls == [], "calls only of declared tools"


def test_openai_async(server: Server) -> None:
    async def run() -> tuple[Seen, Seen]:
        http = tagstream.httpx2.AsyncClient(preset="qwen3")
        async with openai.AsyncOpenAI(api_key="k", base_url=server.url + "/v1", http_client=http) as client:
            answer = await client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS)
            stream = await client.chat.completions.create(model="m", messages=MESSAGES, tools=TOOLS, stream=True)
            return of_openai(answer.choices[0].message), of_openai_stream([chunk async for chunk in stream])

    assert asyncio.run(run()) == (WANTED, WANTED)


def of_responses(items: list[Any]) -> Seen:
    thought = "".join(part.text for item in items if item.type == "reasoning" for part in item.content or item.summary)
    text = "".join(part.text for item in items if item.type == "message" for part in item.content)
    calls = [(item.name, json.loads(item.arguments)) for item in items if item.type == "function_call"]
    return thought, text.strip(), calls


def test_openai_responses(server: Server) -> None:
    tools: list[Any] = [{"type": "function", **FUNCTION}]
    http = tagstream.httpx2.Client(preset="qwen3")
    client = openai.OpenAI(api_key="k", base_url=server.url + "/v1", http_client=http)
    assert of_responses(client.responses.create(model="m", input="Hi", tools=tools).output) == WANTED
    with client.responses.stream(model="m", input="Hi", tools=tools) as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        assert of_responses(list(stream.get_final_response().output)) == WANTED
    assert "".join(deltas).strip() == CONTENT

    async def run() -> Seen:
        http = tagstream.httpx2.AsyncClient(preset="qwen3")
        async with openai.AsyncOpenAI(api_key="k", base_url=server.url + "/v1", http_client=http) as client:
            async with client.responses.stream(model="m", input="Hi", tools=tools) as stream:
                return of_responses(list((await stream.get_final_response()).output))

    assert asyncio.run(run()) == WANTED


def of_anthropic(message: Any) -> Seen:
    blocks = message.content
    thought = "".join(block.thinking for block in blocks if block.type == "thinking")
    text = "".join(block.text for block in blocks if block.type == "text")
    return thought, text.strip(), [(block.name, block.input) for block in blocks if block.type == "tool_use"]


ANTHROPIC_TOOLS: list[Any] = [{"name": "get_weather", "input_schema": SCHEMA}]


def test_anthropic(server: Server) -> None:
    http = tagstream.httpx2.Client(preset="qwen3")
    client = anthropic.Anthropic(api_key="k", base_url=server.url, http_client=http)
    request: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": MESSAGES, "tools": ANTHROPIC_TOOLS}
    assert of_anthropic(client.messages.create(**request)) == WANTED
    with client.messages.stream(**request) as stream:
        assert of_anthropic(stream.get_final_message()) == WANTED


def test_anthropic_async(server: Server) -> None:
    async def run() -> Seen:
        http = tagstream.httpx2.AsyncClient(preset="qwen3")
        request: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": MESSAGES, "tools": ANTHROPIC_TOOLS}
        async with anthropic.AsyncAnthropic(api_key="k", base_url=server.url, http_client=http) as client:
            async with client.messages.stream(**request) as stream:
                return of_anthropic(await stream.get_final_message())

    assert asyncio.run(run()) == WANTED


def of_gemini(answers: list[Any]) -> Seen:
    parts = [part for answer in answers for part in answer.candidates[0].content.parts or []]
    thought = "".join(part.text for part in parts if part.thought)
    text = "".join(part.text or "" for part in parts if not part.thought)
    return thought, text.strip(), [(part.function_call.name, part.function_call.args) for part in parts if part.function_call]


def gemini_config() -> types.GenerateContentConfig:
    declaration = types.FunctionDeclaration(name="get_weather", parameters_json_schema=SCHEMA)
    off = types.AutomaticFunctionCallingConfig(disable=True)
    return types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declaration])], automatic_function_calling=off
    )


@MODULES
def test_google_genai(server: Server, module: Any) -> None:
    options = types.HttpOptions(
        base_url=server.url,
        httpx_client=module.Client(preset="qwen3"),
        httpx_async_client=module.AsyncClient(preset="qwen3"),
    )
    client = genai.Client(api_key="k", http_options=options)
    answer = client.models.generate_content(model="m", contents="Hi", config=gemini_config())
    assert of_gemini([answer]) == WANTED
    stream = client.models.generate_content_stream(model="m", contents="Hi", config=gemini_config())
    assert of_gemini(list(stream)) == WANTED

    async def run() -> Seen:
        stream = await client.aio.models.generate_content_stream(model="m", contents="Hi", config=gemini_config())
        return of_gemini([answer async for answer in stream])

    assert asyncio.run(run()) == WANTED


def of_ollama(answers: list[Any]) -> Seen:
    thought = "".join(answer.message.thinking or "" for answer in answers)
    text = "".join(answer.message.content or "" for answer in answers)
    calls = [call.function for answer in answers for call in answer.message.tool_calls or []]
    return thought, text.strip(), [(call.name, dict(call.arguments)) for call in calls]


def test_ollama(server: Server) -> None:
    client = ollama.Client(server.url, transport=tagstream.httpx.Transport(preset="qwen3"))
    assert of_ollama([client.chat("m", MESSAGES, tools=TOOLS)]) == WANTED
    assert of_ollama(list(client.chat("m", MESSAGES, tools=TOOLS, stream=True))) == WANTED

    async def run() -> Seen:
        client = ollama.AsyncClient(server.url, transport=tagstream.httpx.AsyncTransport(preset="qwen3"))
        return of_ollama([answer async for answer in await client.chat("m", MESSAGES, tools=TOOLS, stream=True)])

    assert asyncio.run(run()) == WANTED


@MODULES
def test_compressed_answers_are_read(server: Server, module: Any) -> None:
    server.compresses = True
    with module.Client(preset="qwen3") as client:
        answer = client.post(server.url + "/v1/chat/completions", json={"tools": TOOLS})
        assert answer.json()["choices"][0]["message"]["reasoning_content"] == THOUGHT
        assert "content-encoding" not in answer.headers


@MODULES
def test_an_answer_knows_how_long_it_took(server: Server, module: Any) -> None:
    path = server.url + "/v1/chat/completions"
    with module.Client(preset="qwen3") as client:
        assert client.post(path, json={}).elapsed.total_seconds() > 0
        with client.stream("POST", path, json={"stream": True}) as answer:
            answer.read()
        assert answer.elapsed.total_seconds() > 0

    async def run() -> float:
        async with module.AsyncClient(preset="qwen3") as client:
            answer = await client.post(path, json={})
            return float(answer.elapsed.total_seconds())

    assert asyncio.run(run()) > 0


@MODULES
def test_what_is_not_a_message_is_left_alone(server: Server, module: Any) -> None:
    with module.Client(preset="qwen3") as client:
        answer = client.post(server.url + "/v1/embeddings", json={"stream": True})
        assert b"<thi" in answer.content and answer.headers["content-length"] == str(len(answer.content))
        server.status = 500
        answer = client.post(server.url + "/v1/chat/completions", json={})
        assert answer.status_code == 500 and "<think>" in answer.text


def test_settings_reach_the_rewriter(server: Server) -> None:
    path = server.url + "/v1/chat/completions"
    with tagstream.httpx.Client(profile={"thinking": {"tags": ["think"]}}, thinking="hide", timeout=5) as client:
        assert client.timeout == httpx.Timeout(5)
        message = client.post(path, json={}).json()["choices"][0]["message"]
        assert "reasoning_content" not in message and "asks" not in message["content"]
    with tagstream.httpx2.Client(reasoning_field="reasoning") as other:
        assert other.post(path, json={}).json()["choices"][0]["message"]["reasoning"] == THOUGHT
    with pytest.raises(tagstream.ProfileError, match="unknown preset"):
        tagstream.httpx2.Client(preset="qwen")
    assert isinstance(other, httpx2.Client)


def test_a_cancelled_request_closes_its_connection(server: Server) -> None:
    async def run() -> bool:
        async with tagstream.httpx.AsyncClient(preset="qwen3") as client:
            request = client.build_request("POST", server.url + "/v1/chat/completions", json={"stream": True})
            response = await client.send(request, stream=True)
            started = asyncio.Event()

            async def read() -> None:
                async for _ in response.aiter_bytes():
                    started.set()
                    await asyncio.Event().wait()

            task = asyncio.create_task(read())
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await response.aclose()
            return response.is_closed

    assert asyncio.run(run())


# The path of a request, and what ends a stream of its format.
STREAMS = {
    "/v1/chat/completions": b"[DONE]",
    "/v1/responses": b"response.completed",
    "/v1/messages": b"message_stop",
    "/api/chat": b"done_reason",
    "/v1/models/m:streamGenerateContent": b"finishReason",
}


def broken(server: Server, path: str) -> None:
    """Lets the server break off after the first characters of what could be a tag."""
    whole, _ = server.answer(path, {"stream": True})
    assert STREAMS[path] in whole
    server.breaks_at = whole.index(b"\n", whole.index(b"6. <t")) + len("\n\n")


@MODULES
@pytest.mark.parametrize("path", STREAMS)
def test_what_is_held_comes_before_an_error(server: Server, module: Any, path: str) -> None:
    broken(server, path)
    seen = b""
    with module.Client(preset="qwen3") as client:
        with client.stream("POST", server.url + path, json={"stream": True}) as answer, pytest.raises(BROKEN[module]):
            for chunk in answer.iter_bytes():
                seen += chunk
    assert b'<t"' in seen and STREAMS[path] not in seen

    async def run() -> bytes:
        seen = b""
        async with module.AsyncClient(preset="qwen3") as client:
            async with client.stream("POST", server.url + path, json={"stream": True}) as answer:
                with pytest.raises(BROKEN[module]):
                    async for chunk in answer.aiter_bytes():
                        seen += chunk
        return seen

    seen = asyncio.run(run())
    assert b'<t"' in seen and STREAMS[path] not in seen


@MODULES
def test_a_body_that_breaks_off_is_an_error(server: Server, module: Any) -> None:
    server.breaks_at = 100
    with module.Client(preset="qwen3") as client, pytest.raises(BROKEN[module]):
        client.post(server.url + "/v1/chat/completions", json={})
