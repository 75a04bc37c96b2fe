"""The official SDK with a server that leaves thinking and tool calls in the text."""

import sys

import openai
import tagstream


def client(base_url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=base_url, api_key="none", http_client=tagstream.httpx2.Client(preset="qwen3"))


def ask(base_url: str, question: str) -> str:
    answer = client(base_url).chat.completions.create(
        model="qwen3", messages=[{"role": "user", "content": question}], stream=True
    )
    text = ""
    for chunk in answer:
        for choice in chunk.choices:
            thought = getattr(choice.delta, "reasoning_content", None)
            print(thought or "", end="", file=sys.stderr)
            text += choice.delta.content or ""
    return text


if __name__ == "__main__":
    print(ask(sys.argv[1], sys.argv[2]))
