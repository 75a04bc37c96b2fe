// An application that imports `tagstream/fetch` alone.

import { tagstreamFetch } from "tagstream/fetch";

export async function check() {
  const message = { choices: [{ index: 0, message: { content: "<think>a</think>b" } }] };
  const fetch = tagstreamFetch({ fetch: async () => new Response(JSON.stringify(message)) });
  const response = await fetch("https://example.com/v1/chat/completions", { method: "POST", body: "{}" });
  return (await response.json()).choices[0].message.content === "b" ? "ok" : "not rewritten";
}
