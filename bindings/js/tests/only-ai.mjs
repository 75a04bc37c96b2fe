// An application that imports `tagstream/ai` alone.

import { tagstreamMiddleware } from "tagstream/ai";

export async function check() {
  const content = [{ type: "text", text: "<think>a</think>b" }];
  const doGenerate = async () => ({ content, finishReason: "stop" });
  const result = await tagstreamMiddleware().wrapGenerate({ params: {}, doGenerate });
  return result.content.map(({ text }) => text).join() === "a,b" ? "ok" : JSON.stringify(result.content);
}
