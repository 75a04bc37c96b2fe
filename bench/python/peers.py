"""The contenders. Each reads chunks one by one, and yields how many characters came out of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import stubs

stubs.install(
    "IPython", "aiohttp", "cpuinfo", "huggingface_hub", "mistral_common", "openai_harmony", "prometheus_client", "pybase64",
    "safetensors", "torch", "tqdm", "transformers", "uvloop", "xgrammar", "zmq",
    "vllm.config", "vllm.distributed", "vllm.model_executor", "vllm.multimodal", "vllm.platforms",
    "sglang.kernels", "sglang.lang", "sglang.srt.platforms", "sglang.srt.utils",
)  # fmt: skip

import tagstream
import thinkstrip
from langchain_core.output_parsers import JsonOutputParser, XMLOutputParser
from messages import TAG, TOOLS
from sglang.srt.entrypoints.openai.protocol import Tool
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from sglang.srt.parser.reasoning_parser import ReasoningParser
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.parser.abstract_parser import DelegatingParser
from vllm.reasoning import ReasoningParserManager
from vllm.tool_parsers import ToolParserManager

Chunks = Iterable[str]
PROFILE = tagstream.Profile(preset="qwen3", tools=TOOLS)
REQUEST = ChatCompletionRequest(model="m", messages=[{"role": "user", "content": "Hi"}], tools=TOOLS)


def own(chunks: Chunks) -> Iterator[int]:
    push = tagstream.Parser(PROFILE).push
    for chunk in chunks:
        count = 0
        for event in push(chunk):
            count += len(getattr(event, "text", ""))
        yield count


def own_push(chunks: Chunks) -> Iterator[int]:
    """The same without a look at the events: what the call and its events cost."""
    push = tagstream.Parser(PROFILE).push
    for chunk in chunks:
        yield len(push(chunk))


def thinkstrip_feed(chunks: Chunks) -> Iterator[int]:
    feed = thinkstrip.ThinkStrip().feed
    for chunk in chunks:
        yield len(feed(chunk) or "")


class Tokenizer(stubs.Tokenizer):
    special = ("<think>", "</think>", "<tool_call>", "</tool_call>")

    def decode(self, ids: list[int], **options: Any) -> str:
        names = {number: token for token, number in self.get_vocab().items()}
        return "".join(names.get(number) or chr(number) for number in ids)

    def tokenize(self, text: str) -> list[str]:
        return [self.decode([number]) for number in self.encode(text)]

    def convert_ids_to_tokens(self, ids: list[int], **options: Any) -> list[str]:
        return [self.decode([number]) for number in ids]


def vllm(reasoning: str | None, tools: str | None) -> Any:
    """vLLM's driver with its own parsers, as its server uses them."""

    def read(chunks: Chunks) -> Iterator[int]:
        class Driver(DelegatingParser):
            reasoning_parser_cls = ReasoningParserManager.get_reasoning_parser(reasoning) if reasoning else None
            tool_parser_cls = ToolParserManager.get_tool_parser(tools) if tools else None

        driver, encode = Driver(Tokenizer(), REQUEST.tools), Tokenizer().encode
        tokens = [(chunk, encode(chunk)) for chunk in chunks]
        yield -1  # the clock starts here: a server has the tokens already
        for chunk, ids in tokens:
            delta = driver.parse_delta(chunk, ids, REQUEST, [1], finished=False)
            yield size(delta) if delta else 0

    def size(delta: Any) -> int:
        calls = sum(len(call.function.arguments or "") for call in delta.tool_calls)
        return len(delta.content or "") + len(delta.reasoning or "") + calls

    return read


def sglang_thinking(chunks: Chunks) -> Iterator[int]:
    parse = ReasoningParser("qwen3").parse_stream_chunk
    for chunk in chunks:
        reasoning, text = parse(chunk)
        yield len(reasoning or "") + len(text or "")


def sglang_calls(chunks: Chunks) -> Iterator[int]:
    parse = FunctionCallParser([Tool(**tool) for tool in TOOLS], "qwen25").parse_stream_chunk
    for chunk in chunks:
        text, calls = parse(chunk)
        yield len(text) + sum(len(call.parameters) for call in calls)


def langchain_xml(chunks: Chunks) -> Iterator[int]:
    """The parser of tags, with all in one element, and without any other `<`."""
    clean = [chunk if TAG.fullmatch(chunk) else chunk.replace("<", "") for chunk in chunks]
    for _ in XMLOutputParser().transform(iter(["<answer>", *clean, "</answer>"])):
        yield 1


def langchain_json(chunks: Chunks) -> Iterator[int]:
    """The parser of JSON that grows; the tags are taken off before."""
    text = "".join(chunks).removeprefix("<tool_call>\n").removesuffix("\n</tool_call>")
    for _ in JsonOutputParser().transform(text[k : k + 4] for k in range(0, len(text), 4)):
        yield 1


THINKING = {
    "tagstream": own,
    "tagstream, push alone": own_push,
    "thinkstrip": thinkstrip_feed,
    "vLLM, qwen3": vllm("qwen3", None),
    "vLLM, deepseek_r1": vllm("deepseek_r1", None),
    "SGLang, qwen3": sglang_thinking,
    "LangChain, XMLOutputParser": langchain_xml,
}
CALLS = {
    "tagstream": own,
    "vLLM, hermes": vllm(None, "hermes"),
    "SGLang, qwen25": sglang_calls,
    "LangChain, JsonOutputParser": langchain_json,
}
