// A server that answers every request with the same message, as text, in the format that the path asks for.

import { createServer } from "node:http";

const TURN = { id: "m", object: "chat.completion.chunk", created: 1, model: "m" };

const response = (status, output) => ({ id: "resp", object: "response", created_at: 1, status, model: "m", output });

/** The frames of each format. */
const FORMATS = {
  "/v1/chat/completions": {
    type: "text/event-stream",
    *frames(pieces) {
      const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({ ...TURN, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      yield chunk({ role: "assistant", content: "" });
      for (const content of pieces) yield chunk({ content });
      yield chunk({}, "stop");
      yield "data: [DONE]\n\n";
    },
    body: (text) => ({ ...TURN, object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }),
  },
  "/v1/messages": {
    type: "text/event-stream",
    *frames(pieces) {
      const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
      const usage = { input_tokens: 1, output_tokens: 1 };
      yield event("message_start", { message: { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage } });
      yield event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
      for (const text of pieces) yield event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
      yield event("content_block_stop", { index: 0 });
      yield event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
      yield event("message_stop", {});
    },
    body: (text) => ({ id: "m", type: "message", role: "assistant", model: "m", content: [{ type: "text", text }], stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } }),
  },
  "/v1/responses": {
    type: "text/event-stream",
    *frames(pieces) {
      let sequence_number = 0;
      const event = (type, rest) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...rest })}\n\n`;
      const text = pieces.join("");
      const part = (text) => ({ type: "output_text", text, annotations: [] });
      const item = (status, content) => ({ id: "msg", type: "message", role: "assistant", status, content });
      const place = { item_id: "msg", output_index: 0, content_index: 0 };
      yield event("response.created", { response: response("in_progress", []) });
      yield event("response.output_item.added", { output_index: 0, item: item("in_progress", []) });
      yield event("response.content_part.added", { ...place, part: part("") });
      for (const delta of pieces) yield event("response.output_text.delta", { ...place, delta });
      yield event("response.output_text.done", { ...place, text });
      yield event("response.content_part.done", { ...place, part: part(text) });
      yield event("response.output_item.done", { output_index: 0, item: item("completed", [part(text)]) });
      yield event("response.completed", { response: response("completed", [item("completed", [part(text)])]) });
    },
    body: (text) =>
      response("completed", [
        { id: "msg", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text, annotations: [] }] },
      ]),
  },
  "/v1beta/models/m:streamGenerateContent?alt=sse": {
    type: "text/event-stream",
    streams: true,
    *frames(pieces) {
      const frame = (candidate) => `data: ${JSON.stringify({ candidates: [{ index: 0, ...candidate }] })}\r\n\r\n`;
      for (const text of pieces) yield frame({ content: { role: "model", parts: [{ text }] } });
      yield frame({ content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" });
    },
  },
  "/api/chat": {
    streams: true,
    type: "application/x-ndjson",
    *frames(pieces) {
      const line = (content, rest) => `${JSON.stringify({ model: "m", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content }, ...rest })}\n`;
      for (const content of pieces) yield line(content, { done: false });
      yield line("", { done: true, done_reason: "stop" });
    },
    body: (text) => ({ model: "m", created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content: text }, done: true, done_reason: "stop" }),
  },
};

/** Serves the message in pieces of three characters; with `cutOff`, the connection breaks before the end. */
export async function serve(message, { cutOff = false } = {}) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let sent = "";
    for await (const chunk of request) sent += chunk;
    const body = sent ? JSON.parse(sent) : {};
    requests.push({ path: request.url, body });
    const format = FORMATS[request.url];
    if (!format) return response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
    const streams = body.stream ?? format.streams;
    response.writeHead(200, { "content-type": streams ? format.type : "application/json" });
    if (!streams) return response.end(JSON.stringify(format.body(message)));
    const frames = [...format.frames(message.match(/[^]{1,3}/g))];
    for (const frame of cutOff ? frames.slice(0, -2) : frames) response.write(frame);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, requests, close: () => server.close() };
}
