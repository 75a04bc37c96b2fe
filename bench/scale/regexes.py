"""What people do today: regular expressions in Python, line by line."""

import json
import re
import sys

THOUGHT = re.compile(r"<think>(.*?)</think>", re.DOTALL)
CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)


def parse(text: str) -> tuple[str, list[str], list[dict[str, object]]]:
    thoughts = [thought.strip() for thought in THOUGHT.findall(text)]
    calls = []
    for found in CALL.findall(text):
        try:
            calls.append(json.loads(found))
        except json.JSONDecodeError:
            continue
    content = CALL.sub("", THOUGHT.sub("", text)).strip()
    return content, thoughts, calls


def clean(source: str, target: str) -> None:
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as out:
        for line in lines:
            record = json.loads(line)
            content, thoughts, calls = parse(record["answer"] or "")
            record.update(content=content, thoughts=thoughts, tool_calls=calls)
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    clean(*sys.argv[1:])
