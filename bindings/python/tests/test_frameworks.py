"""Frameworks on top of the SDKs inherit the client."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
import pytest
import tagstream.httpx2
from replay import ARGUMENTS, CONTENT, SCHEMA, THOUGHT, Server

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_langchain(server: Server) -> None:
    from langchain_core.messages import AIMessageChunk
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    model = ChatOpenAI(
        model="m",
        api_key=SecretStr("k"),
        base_url=server.url + "/v1",
        http_client=tagstream.httpx2.Client(preset="qwen3"),
        stream_usage=False,
    ).bind_tools([{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}])
    answer: Any = model.invoke("Hi")
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == [("get_weather", ARGUMENTS)]
    assert answer.content.strip() == CONTENT
    total: Any = sum(model.stream("Hi"), start=AIMessageChunk(content=""))
    assert [(call["name"], call["args"]) for call in total.tool_calls] == [("get_weather", ARGUMENTS)]
    assert total.content.strip() == CONTENT


def test_pydantic_ai(server: Server) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, ThinkingPart, ToolCallPart
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = openai.AsyncOpenAI(
        api_key="k", base_url=server.url + "/v1", http_client=tagstream.httpx2.AsyncClient(preset="qwen3")
    )
    agent = Agent(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client)))
    cities: list[str] = []

    @agent.tool_plain
    def get_weather(city: str) -> str:
        cities.append(city)
        server.answer = lambda path, body: (b'{"id":"c","object":"chat.completion","created":1,"model":"m","choices":'  # type: ignore[method-assign]
            b'[{"index":0,"message":{"role":"assistant","content":"<think>ok</think>Sunny"},"finish_reason":"stop"}]}',
            "application/json")  # fmt: skip
        return "sunny"

    result = asyncio.run(agent.run("Hi"))
    parts = [part for message in result.all_messages() if isinstance(message, ModelResponse) for part in message.parts]
    assert result.output == "Sunny" and cities == ["Paris"]
    assert [part.content for part in parts if isinstance(part, ThinkingPart)] == [THOUGHT, "ok"]
    assert [part.tool_name for part in parts if isinstance(part, ToolCallPart)] == ["get_weather"]


def test_agents_sdk(server: Server) -> None:
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled

    set_tracing_disabled(True)
    client = openai.AsyncOpenAI(
        api_key="k", base_url=server.url + "/v1", http_client=tagstream.httpx2.AsyncClient(preset="qwen3")
    )
    cities: list[str] = []

    @function_tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        cities.append(city)
        return "sunny"

    agent = Agent(
        name="a",
        model=OpenAIChatCompletionsModel("m", client),
        tools=[get_weather],
        tool_use_behavior="stop_on_first_tool",
    )
    result = asyncio.run(Runner.run(agent, "Hi"))
    assert cities == ["Paris"] and result.final_output == "sunny"
