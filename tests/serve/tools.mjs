// Lets the Node SDKs declare tools, as tools.py does for Python.
const names = ["get_weather", "bash", "now"];
const tools = names.map((name) => ({ type: "function", function: { name, parameters: { type: "object" } } }));
const plain = globalThis.fetch;

globalThis.fetch = (url, options) => {
  const body = JSON.parse(options.body);
  if (!body.tools?.length) body.tools = tools;
  const headers = new Headers(options.headers);
  headers.delete("content-length");
  return plain(url, { ...options, headers, body: JSON.stringify(body) });
};
