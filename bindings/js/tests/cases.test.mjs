// Every case, and every recorded stream.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as api from "tagstream";
import { problemsOf, sorted } from "./cases.mjs";
import { cases, streams } from "./files.mjs";

test(`all ${cases.length} cases, in all cuts`, () => {
  assert.ok(cases.length > 1000);
  assert.deepEqual(cases.flatMap((testCase) => problemsOf(api, testCase)), []);
});

test(`the ${streams.length} recorded streams`, () => {
  const profile = new api.Profile({ profile: { thinking: { tags: ["think"] }, elements: [{ name: "node" }] } });
  for (const { stream, from, bytes, expect } of streams) {
    const got = api.aggregate(bytes, from, profile).map((message, index) => ({
      ...only(message, expect[index]),
      tool_calls: message.tool_calls.map(({ arguments_json, ...call }) => call),
      notices: message.notices.map((notice) => notice.code),
    }));
    assert.equal(sorted(got), sorted(expect), stream);
  }
});

const only = (item, ask) => Object.fromEntries(Object.entries(item).filter(([key]) => key in ask));

test("streams are rewritten without a change of their meaning", () => {
  const profile = new api.Profile();
  const meaning = (bytes, from) => {
    const messages = api.aggregate(bytes, from, profile);
    return messages.map(({ content, thoughts, finish_reason }) => ({ content, thought: thoughts.join(""), finish_reason }));
  };
  for (const { stream, from, bytes } of streams.filter(({ from }) => from === "openai" || from === "anthropic")) {
    const rewriter = new api.Rewriter(from, profile);
    const out = Buffer.concat([rewriter.push(bytes), rewriter.finish()]);
    assert.deepEqual(meaning(out, from), meaning(bytes, from), stream);
  }
});
