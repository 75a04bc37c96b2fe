// What every environment must do: a sample of the cases, a wrapped `fetch`, and the middleware.

import * as api from "tagstream";
import { tagstreamMiddleware } from "tagstream/ai";
import { tagstreamFetch } from "tagstream/fetch";
import { problemsOf } from "./cases.mjs";
import cases from "./sample-cases.mjs";

/** `ok`, or what is wrong. */
export async function check() {
  const problems = cases.flatMap((testCase) => problemsOf(api, testCase));
  const message = { choices: [{ index: 0, message: { content: "<think>a</think>b" }, finish_reason: "stop" }] };
  const answer = async () => new Response(JSON.stringify(message), { headers: { "content-type": "application/json" } });
  const response = await tagstreamFetch({ fetch: answer })("https://example.com/v1/chat/completions", { method: "POST", body: "{}" });
  const read = (await response.json()).choices[0].message;
  if (read.reasoning_content !== "a" || read.content !== "b") problems.push(`fetch: ${JSON.stringify(read)}`);
  let text = "";
  const stream = new Blob(["<think>a</think>", "5 < 6"]).stream();
  for await (const event of api.events(stream)) text += event.type === "text" ? event.text : "";
  if (text !== "5 < 6") problems.push(`events: ${text}`);
  if (typeof tagstreamMiddleware().wrapStream !== "function") problems.push("ai");
  return problems.join("\n") || `ok: ${cases.length} cases`;
}
